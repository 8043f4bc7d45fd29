"""What earlier periods say of the variances that the model of history expects: too small, too large, and how surely.

A period's own variance estimate rests on a few labels of much weight, and is off by a third as often as not. The ratio
of what labels scattered to what the model expected hardly changes from week to week. So it is followed over the weeks,
a state of two numbers a goal: the ratio, and how far it may be off (a Kalman filter with outliers clipped).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.history.past_labels import GoalRatios, History
from stratawatch.core.history.sided_rates import sided_rates
from stratawatch.core.population import NEGATIVE, POSITIVE, UNSCORED, Floats
from stratawatch.core.tuning import BORROWED

BORROWING = ("precision", "recall")
"""The metrics whose variance borrows from history: those that it was measured for."""


@dataclass(frozen=True)
class VariancePrior:
    """What a classifier's metric has as its variance over the model's, and the variance of that ratio itself."""

    classifier: str
    metric: str
    ratio: float
    variance: float


def variance_priors(history: History, classifiers: Sequence[str]) -> tuple[VariancePrior, ...]:
    """The state of every goal before this period's labels, by metric and classifier."""
    found = []
    for metric in BORROWING:
        ratio, variance = np.ones(len(classifiers)), np.full(len(classifiers), BORROWED.first_error**2)
        for age in sorted(history.goal_ratios, reverse=True):
            period = history.goal_ratios[age]
            step = updated(ratio, variance + BORROWED.drift**2, period.ratios[metric], period.variances[metric])
            is_known = np.isfinite(period.ratios[metric])
            ratio = np.where(is_known, step.ratio, ratio)
            variance = np.where(is_known, step.variance, variance + BORROWED.drift**2)
        rows = zip(classifiers, ratio.tolist(), (variance + BORROWED.drift**2).tolist(), strict=True)
        found += [VariancePrior(classifier, metric, one, error) for classifier, one, error in rows]
    return tuple(found)


@dataclass(frozen=True)
class Updated:
    """The ratio and its variance after a period's labels."""

    ratio: Floats
    variance: Floats


def updated(ratio: Floats, variance: Floats, seen: Floats, noise: Floats) -> Updated:
    """Follow what was seen by as much as it is surer than what was known: `noise` is its variance at a ratio of 1.

    An outlier counts as two and a half standard deviations: few labels of much weight make ratios that are far off.

    >>> found = updated(np.array([1.0]), np.array([0.09]), np.array([1.6]), np.array([0.09]))
    >>> found.ratio.round(2).tolist(), found.variance.round(3).tolist()
    ([1.3], [0.045])
    """
    expected = noise * ratio**2
    gain = variance / np.maximum(variance + expected, 1e-300)
    far = BORROWED.furthest * np.sqrt(variance + expected)
    return Updated(ratio + gain * np.clip(seen - ratio, -far, far), variance * (1 - gain))


def goal_ratios_of(labels: History, rates: Floats) -> GoalRatios:
    """A period's ratios from its labels; those that an earlier period had used say nothing new and are left out.

    Sum of (w g e)^2 over its expectation, with e = y - p, g what a label changes and w the items that it stands for;
    p are the rates at this period's level and after its breaks.
    """
    calls = labels.calls
    y, w = labels.positive.astype(np.float64), labels.weights
    judged = w * (calls != UNSCORED).any(axis=1)
    p = sided_rates(rates, calls == POSITIVE, judged, y, np.ones_like(y)).rates
    spread, kurtosis = p * (1 - p), p * (1 - p) * (1 - 2 * p) ** 2
    fresh = np.ones(len(y)) if labels.first_use is None else labels.first_use.astype(np.float64)
    ratios: Mapping[str, Floats] = {metric: np.full(calls.shape[1], np.nan) for metric in BORROWING}
    variances: Mapping[str, Floats] = {metric: np.full(calls.shape[1], np.nan) for metric in BORROWING}
    for place, column in enumerate(calls.T):
        positive, negative = column == POSITIVE, column == NEGATIVE
        found, missed = (float((w * y)[side].sum()) for side in (positive, negative))
        recall = found / (found + missed) if found + missed > 0 else 0.0
        # What a label changes, up to a factor that the quotient loses.
        changes = {"precision": positive, "recall": positive * (1 - recall) - negative * recall}
        for metric, change in changes.items():
            weights = fresh * (w * change) ** 2
            expected = float(weights @ spread)
            if expected > 0:
                ratios[metric][place] = float(weights @ (y - p) ** 2) / expected
                variances[metric][place] = float(weights**2 @ kurtosis) / expected**2
    return GoalRatios(ratios, variances)
