"""What the next labels are expected to say, and which of them the goals need most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.metrics import metric_named
from stratawatch.core.population import Floats
from stratawatch.core.results import Goal
from stratawatch.core.working_model import fit, line
from stratawatch.errors import StratawatchError

DEFAULT_GOALS: Final = tuple(Goal(name, metric_named(name).default_margin) for name in ("precision", "recall"))
_RIDGE: Final = 0.25


@dataclass(frozen=True)
class Rates:
    """Expected shares of positives by cell: as they are, and held off 0 and 1 for variances."""

    plain: Floats
    floored: Floats


def first_rates(cells: Cells) -> Rates:
    """Before any label: the mean linked score is taken at its word, but never as certainty."""
    return Rates(cells.filled_scores, _floored(cells, cells.filled_scores))


def second_rates(cells: Cells, yes: Floats, answered: Floats) -> Rates:
    """After the first labels: logit p = alpha + beta z fitted to them, then p~ = (k p + yes)/(k + n).

    k = 2/min(p, 1 - p) pseudo labels hold two positives: a rare cell is not called empty for want of labels.
    """
    if answered.sum() == 0:
        return first_rates(cells)
    fitted = fit(line(cells), yes, answered, penalty=_RIDGE)
    floored = _floored(cells, fitted)
    k = 2 / np.minimum(floored, 1 - floored)
    updated = (k * floored + yes) / (k + answered)
    return Rates(np.minimum(fitted * updated / floored, 1.0), updated)


def _floored(cells: Cells, p: Floats) -> Floats:
    """Called positive by anyone: inside [.05, .95]; others: a tenth of their mean is added."""
    quiet = cells.served & ~cells.positive_to_any
    items = float(cells.sizes[quiet].sum())
    usual = float(cells.sizes[quiet] @ p[quiet]) / items if items else 0.0
    negative = np.clip(p + 0.1 * usual, 1e-6, 0.95)
    return np.where(cells.positive_to_any, np.clip(p, 0.05, 0.95), negative)


def importance(cells: Cells, goals: Sequence[Goal], rates: Rates) -> Floats:
    """sum_j (1/margin_j)^2 g_ja^2 over the goals: what an item's label is worth to all of them together."""
    total = np.zeros_like(cells.sizes)
    for goal in goals or DEFAULT_GOALS:
        metric = metric_named(goal.metric)
        if not goal.margin > 0:
            raise StratawatchError(f"the margin of {goal.metric} is {goal.margin}", expected="a number above 0")
        for classifier in _columns(cells, goal):
            gradient = metric.gradient(
                cells.positive[:, classifier], cells.negative[:, classifier], cells.sizes, rates.plain
            )
            total += (gradient / goal.margin) ** 2
    return total


def _columns(cells: Cells, goal: Goal) -> list[int]:
    unknown = [name for name in goal.of if name not in cells.classifiers]
    if unknown:
        raise StratawatchError(
            f"a goal for {goal.metric} names the unknown classifier '{unknown[0]}'",
            expected=f"one of {', '.join(cells.classifiers)}",
        )
    return [i for i, name in enumerate(cells.classifiers) if not goal.of or name in goal.of]
