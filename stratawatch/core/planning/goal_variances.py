"""What each goal needs of each stratum: the variance that one label there would take away."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.goals import Goal
from stratawatch.core.metrics import RatioMetric, SideTotals, metric_named
from stratawatch.core.planning.expected_rates import ExpectedRates
from stratawatch.core.population import Floats
from stratawatch.core.tuning import PLANNER
from stratawatch.errors import StratawatchError

DEFAULT_GOALS: Final = tuple(Goal(name, metric_named(name).default_margin) for name in ("precision", "recall"))


@dataclass(frozen=True)
class RandomSampleGoal:
    """A metric that is to be known as well as so many labels of a random sample would tell it.

    For a metric whose usual size nobody knows beforehand: a point of margin is nothing where 5% of what is passed are
    positive, and out of reach where .1% are. Rates that expect too much or too little move the margin along.
    `most`: plans without a history may leave it so many times as wide as `budget` random labels would.
    """

    metric: str
    labels: int
    budget: int = 0
    most: float = math.inf

    def is_for(self, _classifier: str) -> bool:
        """It is for every classifier."""
        return True


PlannedGoal = Goal | RandomSampleGoal
_CONFIDENCE: Final = 0.95
"""Of the intervals that weak goals follow, whatever confidence a survey has: so that their weight stays."""
_FEWEST_MEMBERS: Final = 2.0
"""Of fewer items nothing is a share."""


def goals_beside(budget: int | None, *, focused: bool = False) -> tuple[RandomSampleGoal, ...]:
    """What a budget without goals of its own is shared out for weakly: FOR as by some random labels.

    >>> [goal.labels for budget in (100, 600) for goal in goals_beside(budget)]
    [75, 450]
    """
    if not budget:
        return ()
    labels, most = round(PLANNER.part_like_random * budget), math.inf if focused else most_to_random(budget)
    return (RandomSampleGoal("false_omission_rate", labels, budget, most),)


def most_to_random(budget: int) -> float:
    """By how many times a plan may leave FOR wider than as many random labels would.

    Few labels hardly do for precision and recall: they are not held to it, and more of them are gradually.

    >>> [round(most_to_random(budget), 2) for budget in (399, 400, 500, 600, 5000)]
    [inf, 2.0, 1.51, 1.2, 1.2]
    """
    (few, wide), (many, narrow) = PLANNER.few_held_to_random, PLANNER.many_held_to_random
    if budget < few:
        return math.inf
    steps = math.log(min(budget, many) / few) / math.log(many / few)
    return float(wide * (narrow / wide) ** steps)


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


def goal_variances(cells: Cells, goals: Sequence[PlannedGoal], rates: ExpectedRates) -> GoalVariances:
    """What goals need of every stratum, by these rates."""
    rows = goal_gradients(cells, goals, rates)
    return GoalVariances(rows.names, rows.metrics, rows.margins, variance_coefficients(cells, rows, rates))


def goal_gradients(cells: Cells, goals: Sequence[PlannedGoal], rates: ExpectedRates) -> GoalGradients:
    """A row for every classifier that a goal is for; without goals, precision and recall of all."""
    names, margins, gradients = [], [], []
    for goal in goals or DEFAULT_GOALS:
        metric = metric_named(goal.metric)
        for column in _columns(cells, goal):
            sides = cells.positive[:, column], cells.negative[:, column]
            names.append((cells.classifiers[column], goal.metric))
            margins.append(_margin(goal, metric, SideTotals.expected(*sides, cells.sizes, rates.rate)))
            gradients.append(metric.gradient(*sides, cells.sizes, rates.rate))
    return GoalGradients(tuple(names), np.array(margins), np.array(gradients).reshape(len(names), len(cells.sizes)))


def variance_coefficients(cells: Cells, rows: GoalGradients, rates: ExpectedRates) -> Floats:
    """A_jh = N_h sum of N_a g_ja^2 s_a^2 over the stratum (goals x strata): V_j = sum_h A_jh (1/n_h - 1/N_h)."""
    return cells.stratum_sizes * cells.by_stratum(rows.gradients**2 * (cells.sizes * rates.variance))


def _margin(goal: PlannedGoal, metric: RatioMetric, expected: SideTotals) -> float:
    """The half-width that is aimed at.

    As a random sample's: z sqrt(r (1 - r)/n), n its labels that are about the metric; r counts one item at least.
    """
    if isinstance(goal, Goal):
        if not goal.margin > 0:
            raise StratawatchError(f"the margin of {goal.metric} is {goal.margin}", expected="a number above 0")
        return goal.margin
    members, judged = float(metric.size(expected)), float(expected.positive + expected.negative)
    if members < _FEWEST_MEMBERS:
        return metric.default_margin
    share = float(np.clip(metric.value(expected), 1 / members, 1 - 1 / members))
    return float(normal_quantile(_CONFIDENCE) * np.sqrt(share * (1 - share) * judged / (goal.labels * members)))


def _columns(cells: Cells, goal: PlannedGoal) -> list[int]:
    named = goal.classifiers if isinstance(goal, Goal) else ()
    unknown = [name for name in named if name not in cells.classifiers]
    if unknown:
        raise StratawatchError(
            f"a goal for {goal.metric} names the unknown classifier '{unknown[0]}'",
            expected=f"one of {', '.join(cells.classifiers)}",
        )
    return [i for i, name in enumerate(cells.classifiers) if goal.is_for(name)]
