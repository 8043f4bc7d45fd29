"""Intervals for small counts of the shares of positives on both sides of classifiers, computed once for all metrics.

Where few labels showed an event, what makes the uncertainty is the one that no label has shown: w of FF/MID. There the
far end is -ln(.025) = 3.7 events away while none was seen, and the near end is 0, which no truth misses: the whole of
5% is not used up. So tails are 1 + .8 (w^2/(V + w^2))^2 times as large. Over all rates of a plain draw that costs .3
points of coverage, and .2 where it is least; it narrows by 10% where half an event is expected and by 1% with four.

A side's share by itself has that on the larger side only; MOVER, which is careful where it joins both sides, has it on
both. All of it up to a confidence of 95%; from 99% on, where most pages are, there is nothing of it: their tails were
measured without. See docs/adr/0065-larger-tails-where-no-event-was-seen.md.
"""

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
TAIL_GROWTH: Final = 0.8
"""By how much tails grow where w makes all of the uncertainty."""
FULL_UP_TO: Final = 0.95
"""Up to this confidence tails grow in full."""
NONE_FROM: Final = 0.99
"""From this confidence on they do not grow."""
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

    def _share_alone(self, side: int) -> IntervalEnds:
        """The interval of a side's share as such: its tails grow on the larger side only."""
        is_larger = 2 * self.sides.sizes[..., side] > self.sides.sizes.sum(axis=-1)
        return self._share_for_mover(side) if is_larger.all() else self._share(side, is_larger.astype(np.float64))

    def _share_for_mover(self, side: int) -> IntervalEnds:
        """The interval of a side's share for MOVER, which is careful where it joins both: its tails grow anyway."""
        if side not in self._for_mover:
            self._for_mover[side] = self._share(side, np.ones(()))
        return self._for_mover[side]

    @cached_property
    def _for_mover(self) -> dict[int, IntervalEnds]:
        return {}

    def _share(self, side: int, tails_grow: Floats) -> IntervalEnds:
        """The FF/MID interval of a side's share; ends never deny what was observed.

        Where no label was a positive (a negative) the share may be 0 (1), whatever the working model made of it.
        """
        scale, share, variance = (each[..., side] for each in (self._scale, self.share, self.variance))
        yes, labels, weight = (each[..., side] for each in (self.sides.yes, self.sides.labels, self.sides.max_weight))
        growth = 1 + tails_grow * (tail_growth(variance, weight / scale, self.confidence) - 1)
        low, high = share_interval(share, variance, weight / scale, self.confidence, growth)
        low = np.where(yes <= 0, 0.0, low)
        high = np.where(yes >= labels, 1.0, high)
        low = np.minimum(np.maximum(low, yes / scale), share)
        return IntervalEnds(low, np.maximum(np.minimum(high, 1 - (labels - yes) / scale), share))

    def _positives(self, side: int) -> IntervalEnds:
        """The interval of the number of positives on a side."""
        size, ends = self.sides.sizes[..., side], self._share_for_mover(side)
        return IntervalEnds(size * ends.low, size * ends.high)

    def small_sample_ends(self, metric: RatioMetric) -> IntervalEnds:
        """The interval of a metric that is honest at small counts: FF/MID where it is a plain share of listed items."""
        if not (metric.is_listed and metric.is_plain_share):
            return metric_interval(metric, self.sides.table, self._positives(A), self._positives(B))
        if len(metric.sides) > 1:
            return self._share_of_all(metric)
        (side,) = metric.sides
        ends = self._share_alone(side)
        return ends if metric.label_effects[side] > 0 else complement_ends(ends)

    def _share_of_all(self, metric: RatioMetric) -> IntervalEnds:
        """FF/MID of a share that both sides make."""
        sides, scale = self.sides, np.maximum(metric.size(self.sides.table), 1)
        share = np.minimum(np.maximum(metric.hits(sides.table) / scale, 0), 1)
        variance = sides.variance_of(*(np.asarray(effect) for effect in metric.label_effects))
        return share_interval(share, variance / scale**2, sides.joint_max_weight / scale, self.confidence)


def share_interval(
    share: Floats, variance: Floats, weight: Floats, confidence: float, growth: Floats | float = 1.0
) -> IntervalEnds:
    """FF/MID over arrays of any shape, MID from five events on: V is never smaller than the smoothed variance."""
    times = np.broadcast_to(growth, share.shape).ravel()
    low, high = ff_mid(share.ravel(), variance.ravel(), weight.ravel(), confidence, _BLEND, times)
    return IntervalEnds(low.reshape(share.shape), high.reshape(share.shape))


def tail_growth(variance: Floats, weight: Floats, confidence: float) -> Floats:
    """How many times as large both tails are.

    >>> tail_growth(np.array([0.0, 4.0]), np.array([2.0, 2.0]), 0.95).tolist()
    [1.8, 1.2]
    """
    uncertain = variance + weight**2
    by_weight = np.where(uncertain > 0, weight**2 / np.where(uncertain > 0, uncertain, 1.0), 0.0)
    part = min(max((NONE_FROM - confidence) / (NONE_FROM - FULL_UP_TO), 0.0), 1.0)
    return np.asarray(1 + part * TAIL_GROWTH * by_weight**2, dtype=np.float64)
