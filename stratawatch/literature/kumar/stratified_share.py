"""The share of yes in a domain, from strata: accuracy over everything, precision over the positive calls, and so on.

For accuracy the domain is the population and yes is a right call. For a smaller domain the sizes are those of the
domain within each stratum, and only labels inside it count: given how many there are, they are a plain draw from it.
"""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.stratum_counts import sample_deviation


@dataclass(frozen=True)
class StratifiedShare:
    """A share and its estimated variance; `exact` where every item of the domain has a label."""

    value: float
    variance: float
    items: int
    exact: bool


def stratified_share(
    sizes: Counts, labels: Counts, yes: Counts, *, replaced: bool = False
) -> StratifiedShare | Undefined:
    """The mean sum W_k a_k, and v = sum W_k^2 a_k (1 - a_k)/(n_k - 1): eqs. 4 and 6.

    Drawn without replacement, every term times 1 - n_k/N_k (section 3.1); `replaced` leaves it out, as the paper does.

    >>> stratified_share(np.array([600, 400]), np.array([11, 11]), np.array([11, 0]))
    StratifiedShare(value=0.6, variance=0.0, items=1000, exact=False)
    """
    _checked(sizes, labels, yes)
    served = sizes > 0
    sizes, labels, yes = sizes[served], labels[served], yes[served]
    items, exact = int(sizes.sum()), bool((labels == sizes).all()) and not replaced
    if items == 0:
        return Undefined("there is no item in this domain")
    if (labels == 0).any():
        return Undefined("a stratum of this domain has no label")
    weights = sizes / items
    # Weights that add up to 1 but for rounding must not make a share of more than all.
    value = min(float(weights @ (yes / labels)), 1.0)
    left = np.ones(len(sizes)) if replaced else 1 - labels / sizes
    if ((labels == 1) & (left > 0)).any():
        return Undefined("a stratum of this domain has a single label, which tells no variance")
    variance = float(weights**2 * left / labels @ sample_deviation(labels, yes) ** 2)
    return StratifiedShare(value, variance, items, exact)


def random_share(items: int, labels: int, yes: int, *, replaced: bool = False) -> StratifiedShare | Undefined:
    """Simple random sampling: the mean, and v = a (1 - a)/(n - 1); proposition 2.

    >>> random_share(1000, 101, 0)
    StratifiedShare(value=0.0, variance=0.0, items=1000, exact=False)
    """
    return stratified_share(*(np.array([count]) for count in (items, labels, yes)), replaced=replaced)


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


def _checked(sizes: Counts, labels: Counts, yes: Counts) -> None:
    if not (len(sizes) == len(labels) == len(yes)):
        raise StratawatchError("labels do not fit the strata", expected="as many counts of every kind")
    if ((yes < 0) | (yes > labels) | (labels > sizes)).any():
        raise StratawatchError("the labels contradict the sizes", expected="0 <= yes <= labels <= size in each stratum")
