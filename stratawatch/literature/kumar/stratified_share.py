"""The share of yes from labels of all strata: accuracy over everything, precision over the positive calls, and so on.

For accuracy yes is a right call. For a metric of fewer items the sizes are those of its items within each stratum, and
only labels of such items count: given how many there are, they are a simple random sample of them.
"""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.stratum_counts import check_counts


@dataclass(frozen=True)
class StratifiedShare:
    """A share and its estimated variance; `exact` where every item has a label."""

    value: float
    variance: float
    items: int
    exact: bool


def stratified_share(sizes: Counts, labels: Counts, yes: Counts) -> StratifiedShare | Undefined:
    """The mean sum W_k a_k, and v = sum W_k^2 (1 - n_k/N_k) a_k (1 - a_k)/(n_k - 1): eqs. 4 and 6, and section 3.1.

    Every stratum has items and at least one label.

    >>> stratified_share(np.array([600, 400]), np.array([11, 11]), np.array([11, 0]))
    StratifiedShare(value=0.6, variance=0.0, items=1000, exact=False)
    """
    check_counts(sizes, labels, yes)
    left = 1 - labels / sizes
    if ((labels == 1) & (left > 0)).any():
        return Undefined("a stratum of this domain has a single label, which tells no variance")
    weights = sizes / sizes.sum()
    # Weights that add up to 1 but for rounding must not make a share of more than all.
    value = min(float(weights @ (yes / labels)), 1.0)
    variance = float(weights**2 * left / labels @ sample_deviation(labels, yes) ** 2)
    return StratifiedShare(value, variance, int(sizes.sum()), bool((labels == sizes).all()))


def sample_deviation(labels: Counts, yes: Counts, pseudo_labels: float = 0.0) -> Floats:
    """The standard deviation s_k, s_k^2 = n_k/(n_k - 1) a_k (1 - a_k): eq. 3, for arrays of any shape.

    `pseudo_labels` is how many yes and how many no are added to every stratum first, so that none looks pure.

    >>> sample_deviation(np.array([2, 5]), np.array([1, 5])).round(4).tolist()
    [0.7071, 0.0]
    >>> sample_deviation(np.array([2, 5]), np.array([1, 5]), pseudo_labels=1).round(4).tolist()
    [0.5774, 0.378]
    """
    count = labels + 2 * pseudo_labels
    share = (yes + pseudo_labels) / np.maximum(count, 1)
    return np.asarray(np.sqrt(count / np.maximum(count - 1, 1) * share * (1 - share)), dtype=np.float64)


def population_variance(sizes: Counts, shares: Floats) -> Floats:
    """S_k^2 = N_k/(N_k - 1) A_k (1 - A_k), lemma 1; of a single item 0.

    >>> population_variance(np.array([2, 1]), np.array([0.5, 1.0])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(sizes / np.maximum(sizes - 1, 1) * shares * (1 - shares), dtype=np.float64)


def expected_variance(sizes: Counts, shares: Floats, labels: Floats) -> float:
    """The variance of the mean if the strata have these shares: V = sum W_k^2 (1 - n_k/N_k) S_k^2/n_k, eq. 5."""
    left = 1 - labels / sizes
    return float((sizes / sizes.sum()) ** 2 * left / labels @ population_variance(sizes, shares))


def wald_interval(share: StratifiedShare | Undefined, confidence: float = 0.95) -> IntervalEstimate | Undefined:
    """The ends value +- z sqrt(v), cut off at 0 and 1: the interval that the paper's variance implies; it has none.

    It is not to be trusted below some 40 events, nor after OPT-A1 or OPT-A2, whose variance is estimated from labels
    that decided how many there would be. Labels that agree in every stratum leave v = 0, which is no information.
    """
    if isinstance(share, Undefined):
        return share
    if share.exact:
        return IntervalEstimate(share.value, share.value, share.value, float(share.items))
    if share.variance <= 0:
        return Undefined("the labels of every stratum agree, and a variance of 0 says nothing of the rest")
    half = normal_quantile(confidence) * np.sqrt(share.variance)
    low, high = max(share.value - half, 0.0), min(share.value + half, 1.0)
    return IntervalEstimate(share.value, float(low), float(high), share.value * (1 - share.value) / share.variance)
