"""KM: the strata whose values are nearest to their mean."""

import numpy as np

from stratawatch.core.population import Counts, Floats
from stratawatch.literature.kumar.weighted_values import WeightedValues, cuts_after


def k_means(values: WeightedValues, strata: int) -> Floats:
    """Cut where sum N_i (z_i - mean of its stratum)^2 is least.

    On a line this has an exact answer by dynamic programming, without the starting points and local optima that a
    library's general k-means has; many values are grouped to 1024 first.

    >>> k_means(WeightedValues.of(np.array([1.0, 2.0, 10.0, 11.0])), 2).tolist()
    [6.0]
    """
    grouped = values.grouped()
    return cuts_after(grouped.z, cluster_ends(grouped, min(strata, grouped.z.size)))


def cluster_ends(values: WeightedValues, clusters: int) -> Counts:
    """The place of the last value of every cluster but the highest one."""
    many = values.z.size
    scatter = _Scatter(values)
    best = scatter.between(np.zeros(many, dtype=np.int64), np.arange(many))
    starts = np.zeros((clusters, many), dtype=np.int64)
    for cluster in range(1, clusters):
        fresh = np.full(many, np.inf)
        for end in range(cluster, many):
            candidates = np.arange(cluster, end + 1)
            costs = best[candidates - 1] + scatter.between(candidates, np.full(candidates.size, end))
            place = int(costs.argmin())
            fresh[end], starts[cluster, end] = costs[place], candidates[place]
        best = fresh
    return _backwards(starts, many - 1)


def _backwards(starts: Counts, end: int) -> Counts:
    last = []
    for row in starts[:0:-1]:
        end = int(row[end]) - 1
        last.append(end)
    return np.array(last[::-1], dtype=np.int64)


class _Scatter:
    """Sums of squares about the mean of any run of values, from cumulated sums of centred ones."""

    def __init__(self, values: WeightedValues) -> None:
        centred = values.z - values.z @ values.items / values.items.sum()
        self._items = np.r_[0.0, np.cumsum(values.items)]
        self._sums = np.r_[0.0, np.cumsum(values.items * centred)]
        self._squares = np.r_[0.0, np.cumsum(values.items * centred**2)]

    def between(self, first: Counts, last: Counts) -> Floats:
        items, sums, squares = (
            cumulated[last + 1] - cumulated[first] for cumulated in (self._items, self._sums, self._squares)
        )
        return np.asarray(np.maximum(squares - sums**2 / items, 0), dtype=np.float64)
