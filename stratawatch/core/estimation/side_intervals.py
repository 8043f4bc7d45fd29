"""Intervals for small counts of the shares of positives on both sides of classifiers, computed once for all metrics."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.estimation.ff_mid import ff_mid
from stratawatch.core.estimation.mover import IntervalEnds, complement_ends, metric_interval
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.metrics import A, B, RatioMetric
from stratawatch.core.population import Floats

SMALL_SAMPLE_EVENTS: Final = 15.0
"""Up to so many effective events x an interval is the small-count one."""
LOGIT_EVENTS: Final = 40.0
"""From so many on it is the logit interval."""
_BLEND: Final = (1.0, 5.0)


@dataclass(frozen=True)
class SideIntervals:
    """Estimated sides, the confidence of their intervals, and the events between which these turn into logit ones."""

    sides: SideEstimates
    confidence: float
    events: tuple[float, float] = (SMALL_SAMPLE_EVENTS, LOGIT_EVENTS)

    @cached_property
    def share(self) -> Floats:
        """The share of positives on each side."""
        return np.minimum(np.maximum(self.sides.totals / self._scale, 0), 1)

    @cached_property
    def variance(self) -> Floats:
        """V of those shares."""
        one, none = np.ones(()), np.zeros(())
        totals = np.stack([self.sides.variance_of(one, none), self.sides.variance_of(none, one)], axis=-1)
        return np.asarray(totals / self._scale**2, dtype=np.float64)

    @cached_property
    def _scale(self) -> Floats:
        return np.maximum(self.sides.sizes, 1)

    @cached_property
    def _shares(self) -> IntervalEnds:
        """FF/MID intervals of the shares; ends never deny what was observed.

        Where no label was a positive (a negative) the share may be 0 (1), whatever the working model made of it.
        """
        sides, scale, share = self.sides, self._scale, self.share
        low, high = share_interval(share, self.variance, sides.max_weight / scale, self.confidence)
        low = np.where(sides.yes <= 0, 0.0, low)
        high = np.where(sides.yes >= sides.labels, 1.0, high)
        low = np.minimum(np.maximum(low, sides.yes / scale), share)
        return IntervalEnds(low, np.maximum(np.minimum(high, 1 - (sides.labels - sides.yes) / scale), share))

    def _positives(self, side: int) -> IntervalEnds:
        """The interval of the number of positives on a side."""
        size = self.sides.sizes[..., side]
        return IntervalEnds(size * self._shares.low[..., side], size * self._shares.high[..., side])

    def small_sample_ends(self, metric: RatioMetric) -> IntervalEnds:
        """The interval of a metric that is honest at small counts: FF/MID where it is a plain share of listed items."""
        if not (metric.is_listed and metric.is_plain_share):
            return metric_interval(metric, self.sides.table, self._positives(A), self._positives(B))
        if len(metric.sides) > 1:
            return self._share_of_all(metric)
        (side,) = metric.sides
        ends = IntervalEnds(self._shares.low[..., side], self._shares.high[..., side])
        return ends if metric.label_effects[side] > 0 else complement_ends(ends)

    def _share_of_all(self, metric: RatioMetric) -> IntervalEnds:
        """FF/MID of a share that both sides make."""
        sides, scale = self.sides, np.maximum(metric.size(self.sides.table), 1)
        share = np.minimum(np.maximum(metric.hits(sides.table) / scale, 0), 1)
        variance = sides.variance_of(*(np.asarray(effect) for effect in metric.label_effects))
        return share_interval(share, variance / scale**2, sides.joint_max_weight / scale, self.confidence)


def share_interval(share: Floats, variance: Floats, weight: Floats, confidence: float) -> IntervalEnds:
    """FF/MID over arrays of any shape, MID from five events on: V is never smaller than the smoothed variance."""
    low, high = ff_mid(share.ravel(), variance.ravel(), weight.ravel(), confidence, _BLEND)
    return IntervalEnds(low.reshape(share.shape), high.reshape(share.shape))
