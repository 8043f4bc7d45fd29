"""What each goal needs of each stratum: the variance that one label there would take away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal
from stratawatch.core.metrics import metric_named
from stratawatch.core.planning.expected_rates import ExpectedRates
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError

DEFAULT_GOALS: Final = tuple(Goal(name, metric_named(name).default_margin) for name in ("precision", "recall"))


@dataclass(frozen=True)
class GoalGradients:
    """One row a goal and classifier: its name, its margin, and what an item's label changes in each cell."""

    names: tuple[tuple[str, str], ...]
    margins: Floats
    gradients: Floats

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that goals ask for, each once."""
        return tuple(dict.fromkeys(metric for _, metric in self.names))


@dataclass(frozen=True)
class GoalVariances:
    """The variance coefficients A_jh of goals (goals x strata), with the name and the margin of each."""

    names: tuple[tuple[str, str], ...]
    metrics: tuple[str, ...]
    margins: Floats
    coefficients: Floats


def goal_variances(cells: Cells, goals: Sequence[Goal], rates: ExpectedRates) -> GoalVariances:
    """What goals need of every stratum, by these rates."""
    rows = goal_gradients(cells, goals, rates)
    return GoalVariances(rows.names, rows.metrics, rows.margins, variance_coefficients(cells, rows, rates))


def goal_gradients(cells: Cells, goals: Sequence[Goal], rates: ExpectedRates) -> GoalGradients:
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
            gradients.append(metric.gradient(*sides, cells.sizes, rates.rate))
    return GoalGradients(tuple(names), np.array(margins), np.array(gradients).reshape(len(names), len(cells.sizes)))


def variance_coefficients(cells: Cells, rows: GoalGradients, rates: ExpectedRates) -> Floats:
    """A_jh = N_h sum of N_a g_ja^2 s_a^2 over the stratum (goals x strata): V_j = sum_h A_jh (1/n_h - 1/N_h)."""
    return cells.stratum_sizes * cells.by_stratum(rows.gradients**2 * (cells.sizes * rates.variance))


def _columns(cells: Cells, goal: Goal) -> list[int]:
    unknown = [name for name in goal.classifiers if name not in cells.classifiers]
    if unknown:
        raise StratawatchError(
            f"a goal for {goal.metric} names the unknown classifier '{unknown[0]}'",
            expected=f"one of {', '.join(cells.classifiers)}",
        )
    return [i for i, name in enumerate(cells.classifiers) if goal.is_for(name)]
