"""What the next labels are expected to say, and which of them the goals need most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimation.metrics import metric_named
from stratawatch.core.foretelling import foretold, past_answers
from stratawatch.core.history import NO_HISTORY, History
from stratawatch.core.population import Floats
from stratawatch.core.remembering import Remembering
from stratawatch.core.results import Goal
from stratawatch.core.working_model import at_their_word, correction, line, logistic
from stratawatch.errors import StratawatchError

DEFAULT_GOALS: Final = tuple(Goal(name, metric_named(name).default_margin) for name in ("precision", "recall"))
_RIDGE: Final = 0.1
_PAST_LABELS: Final = 20.0


@dataclass(frozen=True)
class Rates(Remembering):
    """Expected shares of positives by cell, and the variance of one item's label that plans reckon with."""

    plain: Floats
    spread: Floats


@dataclass(frozen=True)
class GoalRows:
    """One row a goal and classifier: its name, its margin, and what an item's label changes in each cell."""

    names: tuple[tuple[str, str], ...]
    margins: Floats
    gradients: Floats

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that goals ask for, each once."""
        return tuple(dict.fromkeys(metric for _, metric in self.names))


@dataclass(frozen=True)
class Wanted:
    """What goals need of every stratum (goals x strata; see `needs`), with the name and the margin of each."""

    names: tuple[tuple[str, str], ...]
    metrics: tuple[str, ...]
    margins: Floats
    needs: Floats


def wanted(cells: Cells, goals: Sequence[Goal], rates: Rates) -> Wanted:
    """The needs of goals by these rates; asked again, they are not computed again."""

    def make() -> Wanted:
        rows = goal_rows(cells, goals, rates)
        return Wanted(rows.names, rows.metrics, rows.margins, needs(cells, rows, rates))

    return rates.once(("wanted", tuple(goals)), cells, make)


def first_rates(cells: Cells, history: History = NO_HISTORY) -> Rates:
    """Before any label of this period: what history foretells, or the scores at their word; never as certainty."""
    plain = foretold(cells, history) if cells.foretold is None else cells.foretold
    if plain is None:
        plain = cells.filled_scores
    floored = _floored(cells, plain)
    return Rates(plain, floored * (1 - floored))


def robust_rates(cells: Cells, history: History) -> Rates:
    """History's model corrected by what each stratum's own past labels said, and half a positive on top.

    p = (20 m + yes + (1 - 2m)/2)/(20 + n) in every stratum, counts discounted: insurance against positives that
    history could not show.
    """
    first = first_rates(cells, history)
    yes, answered = past_answers(cells, history)
    usual = np.clip(_means(cells, first.plain), 1e-6, 1 - 1e-6)
    updated = (_PAST_LABELS * usual + yes + (1 - 2 * usual) / 2) / (_PAST_LABELS + answered)
    scale = updated * (1 - updated) / (usual * (1 - usual))
    plain = np.minimum(first.plain * (updated / usual)[cells.strata], 1.0)
    return Rates(plain, np.maximum(first.plain * (1 - first.plain), 1e-6) * scale[cells.strata])


def model_rates(cells: Cells, history: History) -> Rates:
    """History's model at its word."""
    first = first_rates(cells, history)
    return Rates(first.plain, np.maximum(first.plain * (1 - first.plain), 1e-6))


def second_rates(cells: Cells, yes: Floats, answered: Floats) -> Rates:
    """After the first labels: logit p = (1 + beta) logit z + alpha, then p~ = (k p + yes)/(k + n) by stratum.

    Scores are taken at their word but for what the labels correct; a ridge of .1 holds both corrections at 0.
    k = 2/min(p, 1 - p) pseudo labels hold two positives: a rare stratum is not called empty for want of labels.
    """
    if answered.sum() == 0:
        return first_rates(cells)
    word, columns = at_their_word(cells), line(cells)
    fitted = logistic(word + columns @ correction(word, columns, yes, answered, penalty=_RIDGE))
    floored = _floored(cells, fitted)
    usual = _means(cells, floored)
    k = 2 / np.minimum(usual, 1 - usual)
    updated = (k * usual + cells.by_stratum(yes)) / (k + cells.by_stratum(answered))
    scale = updated * (1 - updated) / (usual * (1 - usual))
    plain = np.minimum(fitted * (updated / usual)[cells.strata], 1.0)
    return Rates(plain, floored * (1 - floored) * scale[cells.strata])


def goal_rows(cells: Cells, goals: Sequence[Goal], rates: Rates) -> GoalRows:
    """A row for every classifier that a goal is for; without goals, precision and recall of all."""
    names, margins, gradients = [], [], []
    for goal in goals or DEFAULT_GOALS:
        metric = metric_named(goal.metric)
        if not goal.margin > 0:
            raise StratawatchError(f"the margin of {goal.metric} is {goal.margin}", expected="a number above 0")
        for column in _columns(cells, goal):
            names.append((cells.classifiers[column], goal.metric))
            margins.append(goal.margin)
            sides = cells.positive[:, column], cells.negative[:, column]
            gradients.append(metric.gradient(*sides, cells.sizes, rates.plain))
    return GoalRows(tuple(names), np.array(margins), np.array(gradients).reshape(len(names), len(cells.sizes)))


def needs(cells: Cells, rows: GoalRows, rates: Rates) -> Floats:
    """A_jh = N_h sum of N_a g_ja^2 s_a^2 over the stratum (goals x strata): V_j = sum_h A_jh (1/n_h - 1/N_h)."""
    return cells.stratum_sizes * cells.by_stratum(rows.gradients**2 * (cells.sizes * rates.spread))


def _means(cells: Cells, values: Floats) -> Floats:
    return np.asarray(cells.by_stratum(cells.sizes * values) / np.maximum(cells.stratum_sizes, 1), dtype=np.float64)


def _floored(cells: Cells, p: Floats) -> Floats:
    """Held off certainty: a tenth of the usual share of surprises is added, apart for called positives and others."""
    called, quiet = cells.served & cells.positive_to_any, cells.served & ~cells.positive_to_any
    missed = np.clip(p + 0.1 * _usual(cells, p, quiet), 1e-6, 0.95)
    mistaken = np.clip(1 - p + 0.1 * _usual(cells, 1 - p, called), 1e-6, 0.95)
    return np.where(cells.positive_to_any, 1 - mistaken, missed)


def _usual(cells: Cells, share: Floats, among: Flags) -> float:
    items = float(cells.sizes[among].sum())
    return float(cells.sizes[among] @ share[among]) / items if items else 0.0


def _columns(cells: Cells, goal: Goal) -> list[int]:
    unknown = [name for name in goal.of if name not in cells.classifiers]
    if unknown:
        raise StratawatchError(
            f"a goal for {goal.metric} names the unknown classifier '{unknown[0]}'",
            expected=f"one of {', '.join(cells.classifiers)}",
        )
    return [i for i, name in enumerate(cells.classifiers) if not goal.of or name in goal.of]
