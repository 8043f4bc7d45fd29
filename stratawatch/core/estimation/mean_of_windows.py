"""The mean of a metric over several windows."""

from collections.abc import Sequence
from math import sqrt

from stratawatch.core.estimate import IntervalEstimate


def mean_of_windows(intervals: Sequence[IntervalEstimate], variance_factor: float = 1.0) -> IntervalEstimate:
    """The unweighted mean m of k windows inside an interval of the confidence that theirs have.

    MOVER for a mean of independent estimates (Zou and Donner 2008, Statistics in Medicine 27:1693): ends at m -+
    sqrt(f sum_i (ends' distances)^2)/k, where f is the `variance_factor` of windows that share labels.

    >>> found = mean_of_windows([IntervalEstimate(0.7, 0.67, 0.73, 900), IntervalEstimate(0.9, 0.86, 0.94, 500)])
    >>> [round(x, 4) for x in (found.value, found.low, found.high)]
    [0.8, 0.775, 0.825]
    """
    if len(intervals) == 1:
        return intervals[0]
    value = min(max(sum(one.value for one in intervals) / len(intervals), 0.0), 1.0)
    below, above = (
        sqrt(variance_factor * sum(distance**2 for distance in distances)) / len(intervals)
        for distances in zip(*((one.value - one.low, one.high - one.value) for one in intervals), strict=True)
    )
    n_eff = sum(one.n_eff for one in intervals) / variance_factor
    return IntervalEstimate(value, max(value - below, 0.0), min(value + above, 1.0), n_eff)


def shared_label_factor(windows: int, first_use: float) -> float:
    """How many times labels that were used before make the variance of a mean of windows larger.

    1 + 2 sum_{k<w} (1 - k/w) (1 - phi)^k for w windows, with phi the share of labels that no earlier window used:
    windows that lie k apart share the labels of k windows that were used again each time.

    >>> shared_label_factor(4, 1.0), shared_label_factor(4, 0.5), shared_label_factor(4, 0.0)
    (1.0, 2.0625, 4.0)
    """
    again = 1 - first_use
    return 1 + 2 * sum((1 - apart / windows) * again**apart for apart in range(1, windows))
