"""Baselines from estimates of past windows: the mean of a metric."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Final

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.mean_of_windows import mean_of_windows
from stratawatch.errors import StratawatchError

METHOD: Final = "past estimates"
MIN_WINDOWS: Final = 4
"""Least windows of a baseline: the mean of fewer varies too much by chance (docs/methods/baselines.md)."""


def baseline_from_estimates(estimates: Sequence[Estimate], least: int = 1) -> Baseline:
    """The unweighted mean of k windows, with the uncertainty of their intervals together (`mean_of_windows`).

    It is kept as the share whose Wilson interval has the same length, which gives an interval at any confidence; the
    windows' n_eff would not do, as rare errors make it jump.

    This assumes that the metric stood still and that no label serves two windows. Labels that do, because items
    persist, make the interval of a later drop too wide rather than too narrow.
    """
    names = {(one.classifier, one.metric, one.segment) for one in estimates}
    if len(names) != 1:
        raise StratawatchError(
            "a baseline is of one metric of one classifier",
            expected="estimates of one stream",
            got=f"those of {len(names)}",
        )
    metric, labels = estimates[0].metric, sum(one.labels_used for one in estimates)
    defined = [(one.result, one.confidence) for one in estimates if isinstance(one.result, IntervalEstimate)]
    if not defined:
        return Baseline(metric, Undefined("no past window knew it"), METHOD, labels)
    if len(defined) < least:
        few = f"{len(defined)} past window{'s' * (len(defined) > 1)} knew it, a baseline takes {least}"
        return Baseline(metric, Undefined(few), METHOD, labels)
    confidence = defined[-1][1]
    evidence = _mean([at_confidence(confidence, outcome, own) for outcome, own in defined], confidence)
    return Baseline(metric, evidence, f"{METHOD}, windows: {len(defined)}, MOVER as Wilson", labels)


def at_confidence(confidence: float, interval: IntervalEstimate, own: float) -> IntervalEstimate:
    """The estimate with an interval of this confidence; a panel's confidence may have changed between windows."""
    if own == confidence or interval.high <= interval.low:
        return interval
    labels = labels_for_length(interval.value, interval.high - interval.low, own)
    again = BaselineShare(interval.value, labels).interval_at(confidence)
    return replace(interval, low=again.low, high=again.high)


def _mean(intervals: Sequence[IntervalEstimate], confidence: float) -> BaselineShare:
    mean = mean_of_windows(intervals)
    if mean.high <= mean.low:  # every window was counted to the last item
        return BaselineShare(mean.value, mean.n_eff)
    return BaselineShare(mean.value, labels_for_length(mean.value, mean.high - mean.low, confidence))


def labels_for_length(value: float, length: float, confidence: float) -> float:
    """The number of plain labels whose Wilson interval of a share has this length: y = z^2/n solves a quadratic.

    >>> interval = BaselineShare(0.8, 100).interval_at(0.95)
    >>> round(labels_for_length(0.8, interval.high - interval.low, 0.95), 6)
    100.0
    """
    half = min(length / 2, 0.4999)
    square, linear = 0.25 - half**2, value * (1 - value) - 2 * half**2
    root = sqrt(linear**2 + 4 * square * half**2)
    # Of two forms of the root the one that subtracts nothing: windows that are nearly counted out are very short.
    y = 2 * half**2 / (linear + root) if linear > 0 else (root - linear) / (2 * square)
    return normal_quantile(confidence) ** 2 / y
