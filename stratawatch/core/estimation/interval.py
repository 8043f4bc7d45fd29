"""The interval of a metric, for planning, stopping and reporting alike.

x = min(theta, 1 - theta)^2 / V counts the events that a plain draw would need to be as certain of a share. With many
the interval is symmetrical on the logit scale, theta's logit +- z sqrt(V)/(theta (1 - theta)); with few it is the
metric's small-count interval, which leaves room for what no label has shown; between them the ends are blended. Events
are counted on each side of a classifier by itself, weighted with the side's part in the variance: many certain hits
do not make up for few uncertain misses.

And y = V / w^2, w what the heaviest label may move the metric by: where one more positive in the stratum that has the
fewest labels for its size would weigh more than all that V knows of, V was read off labels that met none, and the
small-count interval is due however large x is, unless a history predicted that stratum.

A total is a whole number of items: half an item is added at both ends. And one item more or less is never denied while
an item has no label: the only one of its verdict in a stratum escapes the labels with the chance 1 - f, which is more
than a tail unless nearly all of the stratum is labelled.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from stratawatch.core.estimation.effective_sample_size import effective_sample_size
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.estimation.side_intervals import LOGIT_EVENTS, SMALL_SAMPLE_EVENTS, SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.metrics import RatioMetric
from stratawatch.core.population import Floats

HEAVY_LABEL_RATIO: Final = 0.5
"""Up to this y the interval is the small-count one."""
LIGHT_LABEL_RATIO: Final = 2.5
"""From this y on the heaviest label does not matter."""


@dataclass(frozen=True)
class MetricIntervals:
    """Arrays of one shape: the metric, its ends and its variance; `logit` is the logit interval's part in the ends."""

    value: Floats
    low: Floats
    high: Floats
    variance: Floats
    logit_weight: Floats
    n_eff: Floats

    @property
    def half_width(self) -> Floats:
        """Half the length."""
        return (self.high - self.low) / 2


def metric_intervals(
    metric: RatioMetric, reading: SideIntervals, logit_variance: Floats | None = None
) -> MetricIntervals:
    """A metric of all sides at once; where it is Undefined (see `undefined`) the numbers mean nothing.

    `logit_variance`: what the logit interval is made of in place of the larger of raw and smoothed variance.
    """
    sides = reading.sides
    table = sides.table
    value = np.minimum(np.maximum(metric.value(table), 0), 1)
    slopes = metric.slopes(table)
    variance, part = sides.variance_of(*slopes), _blend_weight(reading, *slopes)
    if logit_variance is not None:
        variance = logit_variance
    low, high = logit_ends(value, variance, reading.confidence)
    if part.min(initial=1.0) < 1:
        # The ends are blended, not the variances: a jump from one kind of interval to the other would make the plan
        # of the next label discontinuous.
        small = reading.small_sample_ends(metric)
        low, high = part * low + (1 - part) * small.low, part * high + (1 - part) * small.high
    possible, near = metric.value(sides.extremes), metric.value(sides.neighbours)
    half = _continuity_correction(sides, *slopes)
    # Order matters: widen by half an item first, then clip to what the labels leave possible, then to the value.
    low, high = np.minimum(low - half, near.min(axis=0)), np.maximum(high + half, near.max(axis=0))
    low = np.minimum(np.maximum(low, possible.min(axis=0)), value)
    high = np.maximum(np.minimum(high, possible.max(axis=0)), value)
    n_eff = effective_sample_size(value, variance, low, high, metric.size(table), reading.confidence, part)
    return MetricIntervals(value, low, high, variance, part, n_eff)


def logit_blend_by_events(
    value: Floats, variance: Floats, events: tuple[float, float] = (SMALL_SAMPLE_EVENTS, LOGIT_EVENTS)
) -> Floats:
    """0 up to the first number of effective events, 1 from the second, linear between."""
    few, many = events
    rare = np.minimum(value, 1 - value) ** 2
    x = np.where(variance > 0, rare / np.maximum(variance, 1e-300), 0.0)
    return np.asarray(np.minimum(np.maximum((x - few) / (many - few), 0), 1), dtype=np.float64)


def _blend_weight(reading: SideIntervals, on_a: Floats, on_b: Floats) -> Floats:
    """The logit interval's part in a metric with these slopes: that of each side's share, as it makes the variance."""
    slopes = np.stack(np.broadcast_arrays(on_a, on_b), axis=-1)
    weights = (slopes * reading.sides.sizes) ** 2 * reading.variance
    everything = weights.sum(axis=-1)
    parts = weights * logit_blend_by_events(reading.share, reading.variance, reading.events)
    mixed = parts.sum(axis=-1) / np.where(everything > 0, everything, 1.0)
    light = logit_blend_by_max_weight(everything, ((slopes * reading.sides.surprise_weight) ** 2).max(axis=-1))
    return np.asarray(np.minimum(mixed, light), dtype=np.float64)


def logit_blend_by_max_weight(variance: Floats, heaviest: Floats) -> Floats:
    """0 up to HEAVY_LABEL_RATIO of y = V / w^2, 1 from LIGHT_LABEL_RATIO, linear between; `heaviest` is w^2."""
    y = variance / np.where(heaviest > 0, heaviest, 1.0)
    part = np.clip((y - HEAVY_LABEL_RATIO) / (LIGHT_LABEL_RATIO - HEAVY_LABEL_RATIO), 0, 1)
    return np.asarray(np.where(heaviest > 0, part, 1.0), dtype=np.float64)


def _continuity_correction(sides: SideEstimates, on_a: Floats, on_b: Floats) -> Floats:
    """What half an item is to the metric, on the sides that hold unlabelled ones."""
    slopes = np.abs(np.stack(np.broadcast_arrays(on_a, on_b), axis=-1))
    return np.asarray(np.where(sides.labels < sides.sizes, slopes, 0.0).max(axis=-1) / 2, dtype=np.float64)


def logit_ends(value: Floats, variance: Floats, confidence: float) -> IntervalEnds:
    """The delta method on the logit scale.

    >>> [round(float(end), 4) for end in logit_ends(np.array(0.8), np.array(0.0016), 0.95)]
    [0.7102, 0.8672]
    """
    inside = np.minimum(np.maximum(value, 1e-12), 1 - 1e-12)
    odds = inside / (1 - inside)
    step = np.exp(np.minimum(normal_quantile(confidence) * np.sqrt(variance) / (inside * (1 - inside)), 500.0))
    low, high = odds / step, odds * step
    return IntervalEnds(np.asarray(low / (1 + low)), np.asarray(1 - 1 / (1 + high)))


def normal_quantile(confidence: float) -> float:
    """The normal quantile of a two-sided confidence."""
    return NormalDist().inv_cdf((1 + confidence) / 2)
