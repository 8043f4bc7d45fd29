"""How far a metric has fallen since its baseline; both are estimates with intervals."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.mover import IntervalEnds, difference_interval
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class Drop:
    """How much worse a metric has become, inside its interval; negative where it has become better."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def proven_beyond(self, most: float) -> bool:
        """Whether all of the interval lies beyond the largest drop that is allowed."""
        return self.low > most


def metric_drop(metric: str, baseline: IntervalEstimate, current: IntervalEstimate) -> Drop:
    """Baseline - current, or current - baseline of a metric that should be low; both intervals have one confidence.

    MOVER for a difference of independent estimates (Zou and Donner 2008, Statistics in Medicine 27:1693): no label may
    serve both. The drop's interval has the confidence of the two.

    >>> before, now = IntervalEstimate(0.8, 0.75, 0.84, 300), IntervalEstimate(0.7, 0.65, 0.75, 300)
    >>> found = metric_drop("precision", before, now)
    >>> [round(x, 4) for x in (found.value, found.low, found.high)]
    [0.1, 0.0293, 0.164]
    """
    for interval in (baseline, current):
        if not interval.low <= interval.value <= interval.high:
            raise StratawatchError(
                f"a {metric} does not lie inside its interval", expected="low <= value <= high", got=str(interval)
            )
    sign = -1.0 if metric_named(metric).lower_is_better else 1.0
    ends = drop_interval(
        np.asarray(baseline.value),
        np.asarray(current.value),
        IntervalEnds(np.asarray(baseline.low), np.asarray(baseline.high)),
        IntervalEnds(np.asarray(current.low), np.asarray(current.high)),
        sign,
    )
    return Drop(sign * (baseline.value - current.value), float(ends.low), float(ends.high))


def drop_interval(
    baseline: Floats, current: Floats, of_baseline: IntervalEnds, of_current: IntervalEnds, sign: float = 1.0
) -> IntervalEnds:
    """The ends of many drops at once; `sign` is -1 where small is good."""
    low, high = difference_interval(baseline, current, of_baseline, of_current, 0.0)
    return IntervalEnds(low, high) if sign > 0 else IntervalEnds(-high, -low)
