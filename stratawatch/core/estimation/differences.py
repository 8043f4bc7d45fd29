"""The difference of a metric between two classifiers on the same items."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.linear_total import LinearTotal
from stratawatch.core.estimation.mover import difference_interval
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.undefined import is_defined, undefined_reason
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import A, RatioMetric, metric_named
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError

SAME_ITEMS: Final = "difference on the same items, MOVER-D"


def compare_classifiers(
    cells: Cells, sample: LabelledSample, first: str, second: str, metric_name: str, confidence: float = 0.95
) -> Estimate:
    """The metric of the first classifier minus that of the second.

    Both rest on the same labels, so what a label changes in the difference is the difference of its two gradients:
    little or nothing where the classifiers agree. The interval is never narrower than +- z sqrt(V), V the smooth
    variance of that difference; of classifiers that agree on every item it is exactly 0.
    """
    pair = [_place(cells.classifiers, name) for name in (first, second)]
    metric, evidence = metric_named(metric_name), DifferenceEstimator.of(cells, sample.everywhere)
    reading = SideIntervals(evidence.sides([evidence.everything]), confidence)
    clear = is_defined(metric, reading.sides)[0]
    reasons = [
        f"{cells.classifiers[place]}: {undefined_reason(metric, reading.sides, (0, place))}"
        for place in dict.fromkeys(pair)
        if not clear[place]
    ]
    outcome = Undefined("; ".join(reasons)) if reasons else _difference(evidence, metric, reading, pair)
    used = float(sample.labelled.sum(axis=0) @ _serving(cells, metric, pair))
    return Estimate(f"{first} - {second}", metric.name, None, outcome, round(used), SAME_ITEMS, confidence)


def difference_gradient(evidence: DifferenceEstimator, first: str, second: str, metric_name: str) -> Floats:
    """What a yes adds to the metric of the first classifier minus that of the second, by cell."""
    pair = [_place(evidence.cells.classifiers, name) for name in (first, second)]
    reading = SideIntervals(evidence.sides([evidence.everything]), 0.5)
    return _row(evidence.cells, metric_named(metric_name), reading, pair)


def _difference(
    evidence: DifferenceEstimator, metric: RatioMetric, reading: SideIntervals, pair: Sequence[int]
) -> IntervalEstimate:
    """The difference inside an interval, by MOVER-D on two totals: of items that raise it, and of items that lower it.

    A row says what every positive label adds to the difference, its gradient. The row's positive and negative parts
    rest on different items; each has a total with an interval, and the two are joined with the correlation that the
    variance of the whole row implies. Items that both classifiers call alike have weights near 0, so their uncertainty
    hardly counts.
    """
    cells = evidence.cells
    row = _row(cells, metric, reading, pair)
    value = np.clip(metric.value(reading.sides.table)[0, pair], 0, 1)
    items = float(cells.sizes[cells.has_call].sum())
    if not row[cells.sizes > 0].any():
        return IntervalEstimate(0.0, 0.0, 0.0, items)
    more, less = (LinearTotal.of(evidence, np.maximum(sign * row, 0)) for sign in (1, -1))
    raw, smooth = (float(part[0]) for part in evidence.variances(row[None]))
    unsampled = more.unsampled + less.unsampled
    variance = max(raw, smooth) + unsampled
    both = more.variance * less.variance
    correlation = (
        float(np.clip((more.variance + less.variance - variance) / (2 * both**0.5), -1, 1)) if both > 0 else 0.0
    )
    totals = np.array([more.total]), np.array([less.total])
    ends = difference_interval(*totals, more.ends(reading.confidence), less.ends(reading.confidence), correlation)
    difference = float(value[0] - value[1])
    # The row is the change of the difference about its estimate: for ratios its sum is not the difference itself.
    shift = difference - (more.total - less.total)
    least = normal_quantile(reading.confidence) * (smooth + unsampled) ** 0.5
    low = min(float(ends.low[0]) + shift, difference - least)
    high = max(float(ends.high[0]) + shift, difference + least)
    return IntervalEstimate(difference, max(low, -1.0), min(high, 1.0), _plain(value, variance, items))


def _row(cells: Cells, metric: RatioMetric, reading: SideIntervals, pair: Sequence[int]) -> Floats:
    """What an item's label changes in the difference, by cell."""
    table = reading.sides.table
    on_a, on_b = (np.broadcast_to(slope, table.tp.shape)[0, pair] for slope in metric.slopes(table))
    each = cells.positive[:, pair] * on_a + cells.negative[:, pair] * on_b
    return np.asarray(each[:, 0] - each[:, 1], dtype=np.float64)


def _plain(value: Floats, variance: float, most: float) -> float:
    """n_eff: labels of each of two independent plain draws that would give the difference the same variance."""
    spread = float((value * (1 - value)).sum())
    return min(round(spread / variance, 6), most) if variance > 0 and spread > 0 else most


def _serving(cells: Cells, metric: RatioMetric, pair: Sequence[int]) -> Flags:
    """Cells whose labels serve the metric of either classifier."""
    sides = [cells.positive[:, pair] if side == A else cells.negative[:, pair] for side in metric.sides]
    return np.asarray(np.hstack(sides).any(axis=1))


def _place(classifiers: Sequence[str], name: str) -> int:
    if name not in classifiers:
        raise StratawatchError(f"there is no classifier '{name}'", expected=f"one of {', '.join(classifiers)}")
    return list(classifiers).index(name)
