"""The value at which one window would page by itself, by how many labels drawn at random would say as much."""

from math import sqrt
from typing import Final

from stratawatch.core.alarms.ends import End
from stratawatch.core.alarms.least_precise import is_precise_enough
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.interval import normal_quantile

_STEPS: Final = 14
"""Halvings of the span of all values: to a hundredth of a point."""


def lies_outside(end: End, page: IntervalEstimate, confidence: float) -> bool:
    """Whether a page's interval of this confidence lies beyond an end of a limit, and is narrow enough to say so."""
    distance = end.distance(page, confidence)
    return distance.is_outside and is_precise_enough(page, end.limit_near(page.value, distance), confidence)


def page_value(end: End, limit_value: float, n_eff: float, confidence: float) -> float | None:
    """The value next to the end's limit from which on one window pages; None where no value does with so few labels.

    The interval is that of `n_eff` labels drawn at random (Wilson 1927, Journal of the American Statistical Association
    22:209), so that it has the width that it would have at that value, and not the width of today.

    >>> from stratawatch.core.alarms.ends import FixedEnd
    >>> [page_value(FixedEnd(0.6, is_floor=True), 0.6, labels, 0.998) for labels in (300, 3)]
    [0.5126, None]
    """
    inside, outside = limit_value, 0.0 if end.worse_is_lower else 1.0
    if not _pages(end, outside, n_eff, confidence):
        return None
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if _pages(end, middle, n_eff, confidence) else (middle, outside)
    return round(outside, 4)


def _pages(end: End, value: float, n_eff: float, confidence: float) -> bool:
    return lies_outside(end, random_interval(value, n_eff, confidence), confidence)


def random_interval(value: float, n_eff: float, confidence: float) -> IntervalEstimate:
    """Wilson's interval of a share that so many random labels found.

    >>> found = random_interval(0.5, 100, 0.95)
    >>> round(found.low, 4), round(found.high, 4)
    (0.4038, 0.5962)
    """
    z = normal_quantile(confidence)
    n = max(n_eff, 1e-9)
    middle = (value + z * z / (2 * n)) / (1 + z * z / n)
    arm = z / (1 + z * z / n) * sqrt(value * (1 - value) / n + z * z / (4 * n * n))
    return IntervalEstimate(value, max(min(middle - arm, value), 0.0), min(max(middle + arm, value), 1.0), n_eff)
