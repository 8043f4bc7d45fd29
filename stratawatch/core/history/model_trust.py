"""Whether the model of earlier labels has predicted well enough for plans to take its rates as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.history.model import has_enough_labels, prior_rate_at
from stratawatch.core.history.past_labels import History
from stratawatch.core.history.variance_priors import goal_ratios_of
from stratawatch.core.population import POSITIVE, UNSCORED, Floats
from stratawatch.core.tuning import HISTORY, BorrowedTuning, HistoryTuning


def model_is_trusted(history: History, tuning: HistoryTuning | BorrowedTuning = HISTORY) -> bool:
    """Whether plans may take the model's rates as they are; with other tuning, whether variances may borrow from it.

    R is the discounted mean of the periods' variance ratios (.96 a period, six periods at 1 beforehand), the larger
    one of precision and recall. Trust of plans ends with R > 1.2 and comes back with R <= 1.1.
    """
    trust = True
    sums: dict[str, float] = {}
    weight = 0.0
    for age in sorted(history.ratios, reverse=True):
        weight = HISTORY.trust_discount * weight + 1
        for metric, ratio in history.ratios[age].items():
            sums[metric] = HISTORY.trust_discount * sums.get(metric, 0.0) + ratio
        worst = max(
            (total + HISTORY.trust_prior_periods) / (weight + HISTORY.trust_prior_periods) for total in sums.values()
        )
        trust = worst <= (tuning.doubt_above if trust else tuning.trust_at_most)
    return trust


def with_variance_ratios(history: History) -> History:
    """The history with the variance ratios of every period that has enough labels before it."""
    ratios, goal_ratios = dict(history.ratios), dict(history.goal_ratios)
    for age in np.unique(history.ages).tolist():
        if age not in ratios:
            period = _period(history, age)
            if period is not None and (found := _variance_ratios(period)) is not None:
                ratios[age], goal_ratios[age] = found, goal_ratios_of(period.labels, period.rates)
    return replace(history, ratios=ratios, goal_ratios=goal_ratios)


@dataclass(frozen=True)
class _Period:
    """The labels of one period, and the rates that the model of the periods before expected of them."""

    labels: History
    rates: Floats


def _period(history: History, age: int) -> _Period | None:
    """A period and what the past model expected; None without enough labels before it."""
    past = _subset(history, history.ages > age)
    past = replace(past, ages=past.ages - age)
    if not has_enough_labels(past):
        return None
    labels = _subset(history, history.ages == age)
    return _Period(labels, prior_rate_at(labels, past))


def _variance_ratios(period: _Period) -> Mapping[str, float] | None:
    """A period's sum of (w g e)^2 over its labels against what the past model expected of it, by metric.

    Mean over the classifiers; e = y - m, expected m (1 - m);
    g up to a factor: precision I, recall I - r.
    """
    now, m = period.labels, np.minimum(period.rates, HISTORY.surest_rate)
    y, w = now.positive.astype(np.float64), now.weights
    surprise, expected = (w * (y - m)) ** 2, w**2 * m * (1 - m)
    precision, recall = [], []
    for column in now.calls.T:
        positive, judged = column == POSITIVE, column != UNSCORED
        found, everyone = float((w * y)[positive].sum()), float((w * y)[judged].sum())
        gradient = np.where(judged, positive - found / everyone, 0.0) if everyone > 0 else None
        precision += _quotient(float(surprise[positive].sum()), float(expected[positive].sum()))
        if gradient is not None:
            recall += _quotient(float(gradient**2 @ surprise), float(gradient**2 @ expected))
    if not precision or not recall:
        return None
    return {"precision": float(np.mean(precision)), "recall": float(np.mean(recall))}


def _quotient(part: float, whole: float) -> list[float]:
    return [part / whole] if whole > 0 else []


def _subset(history: History, chosen: Flags) -> History:
    rows = np.flatnonzero(chosen)
    return History(
        ages=history.ages[rows],
        patterns=tuple(history.patterns[row] for row in rows.tolist()),
        scores=history.scores[rows],
        positive=history.positive[rows],
        weights=history.weights[rows],
        drawable=history.drawable[rows],
        classifiers=history.classifiers,
        first_use=None if history.first_use is None else history.first_use[rows],
    )
