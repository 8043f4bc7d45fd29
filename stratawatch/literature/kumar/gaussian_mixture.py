"""GMM: strata between the components of a Gaussian mixture."""

from typing import Final

import numpy as np

from stratawatch.core.population import Floats
from stratawatch.literature.kumar.k_means import cluster_ends
from stratawatch.literature.kumar.weighted_values import WeightedValues

_STEPS: Final = 200
# EM ends after so many steps, or when the mean log likelihood grows by less than this.
_TOLERANCE: Final = 1e-6
# The least standard deviation of a component, in units of that of all values.
_NARROWEST: Final = 1e-3
_HALVINGS: Final = 50


def mixture_cuts(values: WeightedValues, strata: int) -> Floats:
    """Fit K components by expectation and maximisation, and cut where a component gives way to the next.

    Between two neighbouring means, log(w1 f1) - log(w2 f2) falls all the way, so there is one cut: where both are
    equally likely, or at the mean of the component that never prevails. Strata are thus intervals, which "the most
    likely component" alone would not give. It starts at the k-means clusters, so nothing is random.
    """
    grouped = values.scaled.grouped()
    mixture = _fitted(grouped, min(strata, grouped.z.size))
    low, high = mixture[1, :-1].copy(), mixture[1, 1:].copy()
    # Bisection for the point where the next component becomes more likely.
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        first = _log_weight(middle, mixture[:, :-1]) > _log_weight(middle, mixture[:, 1:])
        low, high = np.where(first, middle, low), np.where(first, high, middle)
    return values.unscaled(np.unique(high))


def _fitted(values: WeightedValues, components: int) -> Floats:
    """The mixture by expectation and maximisation: rows of weights, means and variances, by rising mean."""
    narrowest = (_NARROWEST * values.deviation) ** 2
    clusters = np.searchsorted(cluster_ends(values, components), np.arange(values.z.size))
    mixture = _moments(values, np.eye(components)[:, clusters], narrowest)
    likelihood_before = -np.inf
    for _ in range(_STEPS):
        logs = _log_weight(values.z, mixture[:, :, None])
        # Subtracting the largest log first keeps exp from vanishing everywhere.
        most = logs.max(axis=0)
        likely = np.exp(logs - most)
        mixture = _moments(values, likely / likely.sum(axis=0), narrowest)
        likelihood = float((most + np.log(likely.sum(axis=0))) @ values.items / values.items.sum())
        if likelihood - likelihood_before < _TOLERANCE:
            break
        likelihood_before = likelihood
    return mixture[:, np.argsort(mixture[1], kind="stable")]


def _moments(values: WeightedValues, parts: Floats, narrowest: float) -> Floats:
    """The mixture if `parts` (components x values) says how much of each value belongs to each component."""
    items = parts * values.items
    sizes = np.maximum(items.sum(axis=1), 1e-300)
    means = items @ values.z / sizes
    variances = (items * (values.z - means[:, None]) ** 2).sum(axis=1) / sizes
    return np.stack([sizes / values.items.sum(), means, np.maximum(variances, narrowest)])


def _log_weight(z: Floats, mixture: Floats) -> Floats:
    """log(w f(z)) of each component, up to a constant."""
    weight, mean, variance = mixture
    return np.asarray(np.log(weight) - np.log(variance) / 2 - (z - mean) ** 2 / (2 * variance), dtype=np.float64)
