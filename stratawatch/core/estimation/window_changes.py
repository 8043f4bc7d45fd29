"""The change of a metric from some windows to later ones, where a label that both have is one random thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.interval import MetricIntervals, metric_intervals
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.mover import IntervalEnds, difference_interval
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined, undefined_reason
from stratawatch.core.metrics import RatioMetric, metric_named, safe_divide
from stratawatch.core.population import Floats

CHANGE: Final = "change of summed totals, MOVER-D"


def change_of_windows(
    pooled: PooledWindows, before: range, after: range, classifiers: Sequence[str], request: EstimationRequest
) -> tuple[Estimate, ...]:
    """The metric of later windows minus that of earlier ones, for every segment x classifier x metric.

    MOVER-D with the correlation of what labels say: the covariance by shared labels over the raw variances. What the
    windows' variances are larger by, since few labels cannot show every error, is taken to be shared in proportion.
    """
    shared = pooled.covariance((one, two) for one in before for two in after)
    sets = pooled.sides(before), pooled.sides(after)
    changes = [_Change.of(metric_named(name), sets, shared, request.confidence) for name in request.metrics]
    return tuple(
        change.estimate((row, place), classifier, request)
        for row in range(len(request.segments))
        for place, classifier in enumerate(classifiers)
        for change in changes
    )


@dataclass(frozen=True)
class _Change:
    """One metric of every stream (segments x classifiers) before and after, and the ends of its change."""

    metric: RatioMetric
    sides: tuple[SideEstimates, SideEstimates]
    found: tuple[MetricIntervals, MetricIntervals]
    ends: IntervalEnds
    n_eff: Floats

    @classmethod
    def of(
        cls, metric: RatioMetric, sides: tuple[SideEstimates, SideEstimates], shared: Floats, confidence: float
    ) -> "_Change":
        before, after = (metric_intervals(metric, SideIntervals(one, confidence)) for one in sides)
        slopes, later = (_slopes(metric, one) for one in sides)
        covariance = np.einsum("...a,...ab,...b->...", slopes, shared, later)
        raw = [_raw_variance(*pair) for pair in zip(sides, (slopes, later), strict=True)]
        correlation = np.clip(safe_divide(covariance, np.sqrt(raw[0] * raw[1])), -1, 1)
        was, now = (IntervalEnds(one.low, one.high) for one in (before, after))
        ends = difference_interval(after.value, before.value, now, was, correlation)
        items = np.minimum(*(metric.size(one.table) for one in sides))
        return cls(metric, sides, (before, after), ends, _plain_labels(before, after, correlation, items))

    def estimate(self, place: tuple[int, int], classifier: str, request: EstimationRequest) -> Estimate:
        """The change of one stream."""
        segment, sides = request.segments[place[0]], list(self.metric.sides)
        labels = sum(float(one.labels[place][sides].sum()) for one in self.sides)
        return Estimate(
            classifier, self.metric.name, segment, self._result(place), round(labels), CHANGE, request.confidence
        )

    def _result(self, place: tuple[int, int]) -> IntervalEstimate | Undefined:
        for when, one in zip(("before", "after"), self.sides, strict=True):
            if not is_defined(self.metric, one)[place]:
                return Undefined(f"{when}: {undefined_reason(self.metric, one, place)}")
        before, after = (float(one.value[place]) for one in self.found)
        low, high = (float(end[place]) for end in self.ends)
        return IntervalEstimate(after - before, max(low, -1.0), min(high, 1.0), float(self.n_eff[place]))


def _plain_labels(before: MetricIntervals, after: MetricIntervals, correlation: Floats, items: Floats) -> Floats:
    """n_eff: labels of each of two independent plain draws that would give the change the same variance."""
    spread = before.value * (1 - before.value) + after.value * (1 - after.value)
    shared = 2 * correlation * np.sqrt(before.variance * after.variance)
    variance = np.maximum(before.variance + after.variance - shared, 0)
    return np.where((variance > 0) & (spread > 0), np.minimum(safe_divide(spread, variance), items), items)


def _slopes(metric: RatioMetric, sides: SideEstimates) -> Floats:
    """What a positive adds to the metric, by side."""
    return np.stack([np.broadcast_to(slope, sides.table.tp.shape) for slope in metric.slopes(sides.table)], axis=-1)


def _raw_variance(sides: SideEstimates, slopes: Floats) -> Floats:
    """What the labels' own spread makes of the metric's variance."""
    a, b = slopes[..., 0], slopes[..., 1]
    form = sides.variance
    found = a**2 * form[..., 0] + 2 * a * b * form[..., 1] + b**2 * form[..., 2]
    return np.asarray(np.maximum(found, 0), dtype=np.float64)
