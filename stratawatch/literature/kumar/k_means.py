"""KM: the strata with the least sum of squares about their means."""

import numpy as np

from stratawatch.core.population import Counts, Floats
from stratawatch.literature.kumar.weighted_values import WeightedValues, cuts_after


def k_means_cuts(values: WeightedValues, strata: int) -> Floats:
    """Cut where sum N_i (z_i - mean of its stratum)^2 is least.

    On a line this has an exact answer by dynamic programming, without the starting points and local optima that a
    library's general k-means has; many values are grouped to 1024 first.

    >>> k_means_cuts(WeightedValues.of(np.array([1.0, 2.0, 10.0, 11.0])), 2).tolist()
    [6.0]
    """
    grouped = values.grouped()
    return cuts_after(grouped.z, cluster_ends(grouped, min(strata, grouped.z.size)))


def cluster_ends(values: WeightedValues, clusters: int) -> Counts:
    """The place of the last value of every cluster but the highest one, for the least sum of squares."""
    many = values.z.size
    squares = _SumsOfSquares(values)
    # best[end]: the least sum of squares of the values up to `end` in so many clusters.
    best = squares.between(np.zeros(many, dtype=np.int64), np.arange(many))
    starts = np.zeros((clusters, many), dtype=np.int64)
    for cluster in range(1, clusters):
        with_one_more = np.full(many, np.inf)
        for end in range(cluster, many):
            candidates = np.arange(cluster, end + 1)
            costs = best[candidates - 1] + squares.between(candidates, np.full(candidates.size, end))
            place = int(costs.argmin())
            with_one_more[end], starts[cluster, end] = costs[place], candidates[place]
        best = with_one_more
    return _backwards(starts, many - 1)


def _backwards(starts: Counts, end: int) -> Counts:
    """The ends of the clusters, read from the best start of the last cluster back to the first."""
    last = []
    for row in starts[:0:-1]:
        end = int(row[end]) - 1
        last.append(end)
    return np.array(last[::-1], dtype=np.int64)


class _SumsOfSquares:
    """Sums of squares about the mean of any run of values, from cumulative sums.

    Values are centred first, so that the difference of two large sums keeps its digits.
    """

    def __init__(self, values: WeightedValues) -> None:
        centred = values.z - values.z @ values.items / values.items.sum()
        self._items = np.r_[0.0, np.cumsum(values.items)]
        self._sums = np.r_[0.0, np.cumsum(values.items * centred)]
        self._squares = np.r_[0.0, np.cumsum(values.items * centred**2)]

    def between(self, first: Counts, last: Counts) -> Floats:
        """Of the values from `first` to `last`, both included."""
        items, sums, squares = (
            cumulated[last + 1] - cumulated[first] for cumulated in (self._items, self._sums, self._squares)
        )
        return np.asarray(np.maximum(squares - sums**2 / items, 0), dtype=np.float64)
