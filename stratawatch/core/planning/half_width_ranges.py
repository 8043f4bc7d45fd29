"""Ranges of half-widths: what a plan's labels give by several guesses of the rates, none of which a label has checked.

The half-width that comes depends on shares of positives that nobody knows yet. With a history they are its model's, as
they are and, as long as the model has predicted no period, with fewer positives. Without one there are three stories:
scores are right; they tell the classes apart better than they say, as a mean of several scores does; calls are right
more often than not, whatever the scores say of it. The range spans all of them, and a part for luck (docs/adr/0055).
"""

from collections.abc import Sequence

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.history.model_trust import model_is_trusted
from stratawatch.core.history.working_model import logistic, logit
from stratawatch.core.plan import HalfWidthRange
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import ExpectedTotals, half_widths_of_plans
from stratawatch.core.planning.expected_rates import ExpectedRates, expected_at, model_rates
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import FORECAST

# No interval of a share is wider to one side.
_WIDEST = 0.5
_HALVINGS = 60


def forecast_rates(context: PlanningContext) -> ExpectedRates:
    """The rates that a forecast counts on: those of history's model as they are, else the plan's own.

    Plans hold a model's rates off certainty, in case; that makes half-widths a tenth too wide, on average.
    """
    return model_rates(context.cells, context.history) if context.has_history else context.rates


def half_width_ranges(
    context: PlanningContext, totals: Counts, metrics: Sequence[str]
) -> dict[tuple[str, str], HalfWidthRange]:
    """The range of every classifier's metrics with `totals` labels; a metric that would be undefined has none.

    Ends are the narrowest and the widest half-width by the guesses, and luck further out.
    """
    cells, confidence, n = context.cells, context.survey.confidence, totals.astype(np.float64)
    inwards, outwards = np.exp(_luck(context))
    guesses = (forecast_rates(context), *_other_guesses(context))
    curves = [half_widths_of_plans(ExpectedTotals.of(cells, one), n, confidence, metrics) for one in guesses]
    found = {}
    for name in metrics:
        first = curves[0][name]
        widths = np.stack([np.where(np.isfinite(one[name]), one[name], first) for one in curves])
        low, high = widths.min(axis=0) / inwards, np.minimum(widths.max(axis=0) * outwards, np.maximum(first, _WIDEST))
        for place, classifier in enumerate(cells.classifiers):
            if np.isfinite(first[place]):
                found[classifier, name] = HalfWidthRange(float(low[place]), float(high[place]))
    return found


def _is_tested(context: PlanningContext) -> bool:
    """Whether the history's model has predicted a period that it had not seen, and well enough."""
    return bool(context.history.ratios) and model_is_trusted(context.history)


def _luck(context: PlanningContext) -> tuple[float, float]:
    if not context.has_history:
        return FORECAST.luck
    return FORECAST.luck_with_tested_history if _is_tested(context) else FORECAST.luck_with_history


def _other_guesses(context: PlanningContext) -> list[ExpectedRates]:
    cells, usual = context.cells, forecast_rates(context).rate
    if not context.has_history:
        return [expected_at(cells, _sharpened(cells, usual)), expected_at(cells, _by_calls(cells))]
    if _is_tested(context):
        return []
    return [expected_at(cells, logistic(logit(usual) - FORECAST.fewer_positives))]


def _sharpened(cells: Cells, rate: Floats) -> Floats:
    """Logits spread twice as far, with the same mean rate among called positives and among all others."""
    found = rate.copy()
    for side in (cells.called_by_any, ~cells.called_by_any):
        items = cells.sizes[side]
        if items.sum() > 0:
            mean = float(items @ rate[side]) / float(items.sum())
            found[side] = _with_mean(items, FORECAST.sharper * logit(rate[side]), mean)
    return found


def _by_calls(cells: Cells) -> Floats:
    """A usual precision and recall of all calls together; inside of either side rates go with the scores."""
    called = cells.called_by_any
    positives = FORECAST.precision * float(cells.sizes[called].sum())
    missed, rest = positives * (1 - FORECAST.recall) / FORECAST.recall, float(cells.sizes[~called].sum())
    scores = logit(cells.imputed_scores)
    found = np.zeros(len(cells.sizes))
    found[called] = _with_mean(cells.sizes[called], scores[called], FORECAST.precision)
    found[~called] = _with_mean(cells.sizes[~called], scores[~called], min(missed / max(rest, 1.0), 0.5))
    return found


def _with_mean(items: Floats, logits: Floats, mean: float) -> Floats:
    """Rates of these logits, moved alike until their mean over the items is `mean`."""
    low, high = -100.0, 100.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_much = float(items @ logistic(logits + middle)) > mean * float(items.sum())
        low, high = (low, middle) if too_much else (middle, high)
    return logistic(logits + low)
