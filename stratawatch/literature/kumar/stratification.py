"""The stratifiers by name, and strata that can be drawn from."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.cumulative_root_frequency import cumulative_root
from stratawatch.literature.kumar.equal_partitions import equal_counts, equal_sums, equal_widths
from stratawatch.literature.kumar.gaussian_mixture import mixture_cuts
from stratawatch.literature.kumar.k_means import k_means_cuts
from stratawatch.literature.kumar.weighted_values import WeightedValues

Stratifier = Callable[[WeightedValues, int], Floats]
"""(at least two distinct values, K) -> up to K - 1 rising cut points."""

STRATIFIERS: Final[Mapping[str, Stratifier]] = {
    "SQRT": cumulative_root(1 / 2),
    "CBRT": cumulative_root(1 / 3),
    "WTMN": equal_sums,
    "KM": k_means_cuts,
    "GMM": mixture_cuts,
    "EQSZ": equal_counts,
    "EQWD": equal_widths,
}

LEAST_ITEMS: Final = 2
"""Items of the smallest stratum: a single one has no variance to estimate."""


def call_probability(scores: Floats, calls: Flags) -> Floats:
    """The probability of the predicted class, section 3.5: a positive call's score, one minus a negative call's.

    >>> call_probability(np.array([0.75, 0.25]), np.array([True, False])).tolist()
    [0.75, 0.75]
    """
    if ((scores < 0) | (scores > 1)).any():
        raise StratawatchError("a score is not a probability", expected="between 0 and 1")
    return np.where(calls, scores, 1 - scores)


def cut_points(z: Floats, weights: Floats | None, strata: int, by: str) -> Floats:
    """Where to cut z into at most K strata; stratum k holds the items with cut k <= z < cut k + 1.

    Equal values stay together. A stratum that came out empty or with a single item joins its smaller neighbour, so
    that there may be fewer than K; a constant z is one stratum, without a cut.

    >>> cut_points(np.array([0.5, 0.6, 0.9, 1.0]), np.array([10, 10, 10, 10]), 2, "EQWD").tolist()
    [0.75]
    """
    if by not in STRATIFIERS:
        raise StratawatchError(f"there is no stratifier {by!r}", expected=", ".join(STRATIFIERS))
    if strata < 1:
        raise StratawatchError("items cannot be cut into so few strata", expected="at least 1", got=str(strata))
    values = WeightedValues.of(z, weights)
    if values.z.size == 1 or strata == 1:
        return np.zeros(0)
    return _merged(values, np.unique(STRATIFIERS[by](values, strata)))


def stratum_numbers(z: Floats, cuts: Floats) -> Counts:
    """The number of every value's stratum, from 0 for the smallest values."""
    return np.searchsorted(cuts, z, side="right")


def _merged(values: WeightedValues, cuts: Floats) -> Floats:
    """Drop cuts until every stratum has items enough, the smallest stratum first."""
    while cuts.size:
        sizes = np.bincount(stratum_numbers(values.z, cuts), weights=values.items, minlength=cuts.size + 1)
        small = int(sizes.argmin())
        if sizes[small] >= LEAST_ITEMS:
            break
        upwards = small == 0 or (small < cuts.size and sizes[small + 1] < sizes[small - 1])
        cuts = np.delete(cuts, small if upwards else small - 1)
    return cuts
