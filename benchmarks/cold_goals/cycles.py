"""Cold cycles of one population: what goals took, what they held, and the smallest budget that holds them as often."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.cold_goals.worlds import World
from benchmarks.coverage.cycles import Frozen, both_sides
from benchmarks.coverage.population import Flags, Population
from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Floats

HELD: Final = 0.9
"""Part of the runs in which all goals should hold."""
_STEPS: Final = 4
"""Budgets that are tried, the last two of which say what holds."""
_AT_ONCE: Final = 100
"""Runs whose pools are held in memory together."""


@dataclass(frozen=True)
class Outcomes:
    """What every run came to: its labels; by goals, half-widths in margins and 1 for an interval that was right.

    `errors` are values less the truth, NaN where there is none.
    """

    labels: Floats
    widths: Floats
    right: Floats
    errors: Floats

    @property
    def held(self) -> Flags:
        """The runs in which every goal held."""
        return np.asarray(self.widths.max(axis=1) <= 1)

    @property
    def leans(self) -> Floats:
        """The mean error of every goal, in standard errors of its value; NaN where no run could tell it."""
        errors = np.ma.masked_invalid(self.errors)
        return np.asarray((errors.mean(axis=0) / np.maximum(errors.std(axis=0), 1e-12)).filled(np.nan))

    @property
    def widest(self) -> float:
        """The widest goal's half-width in margins, which so many runs stay below as should hold."""
        return float(np.quantile(self.widths.max(axis=1), HELD))


@dataclass(frozen=True)
class Found:
    """One population: its cycles for goals, what the first plan expected, and the smallest budget."""

    world: World
    forecast: int
    goals: Outcomes
    budget: float

    @property
    def ratio(self) -> float:
        """Labels that goals took, of the smallest budget."""
        return float(self.goals.labels.mean()) / self.budget


def find(world: World, seed: int, runs: int) -> Found:
    """Goals, and then budgets around what they took."""
    population = world.population
    forecast, goals = _cycles(world, population, world.survey(), runs, (seed, 0))
    return Found(world, forecast, goals, _smallest_budget(world, population, goals, seed))


def _cycles(
    world: World, population: Population, survey: SurveySpec, runs: int, seed: Sequence[int]
) -> tuple[int, Outcomes]:
    frozen, rng = Frozen.of(population, survey), np.random.default_rng([*world.born, *seed])
    drawn, sides = [], []
    for done in range(0, runs, _AT_ONCE):
        for labels in frozen.cycles(rng, min(_AT_ONCE, runs - done)):
            drawn.append(int(labels.drawn.sum()))
            sides.append(both_sides(frozen.cells, labels))
    expected = int(frozen.planner.total_plan().sum())
    return expected, Outcomes(np.array(drawn, dtype=np.float64), *_read(world, population, sides))


def _read(world: World, population: Population, sides: Sequence[SideEstimates]) -> tuple[Floats, Floats, Floats]:
    """Half-widths in margins, 1 where an interval holds the truth, and errors, a goal's classifiers beside one another.

    A metric that is not defined holds no goal.
    """
    reading, widths, right, errors = SideIntervals(SideEstimates.stack(sides), 0.95), [], [], []
    for goal in world.goals:
        metric = metric_named(goal.metric)
        ends, defined = metric_intervals(metric, reading), is_defined(metric, reading.sides)
        truths = np.array([population.truth(goal.metric, place) for place in range(len(world.family.members))])
        inside = (ends.low <= truths + 1e-12) & (truths - 1e-12 <= ends.high)
        widths.append(np.where(defined, ends.half_width / goal.margin, np.inf)[:, 0])
        right.append(np.where(defined, inside.astype(np.float64), np.nan)[:, 0])
        errors.append(np.where(defined, ends.value - truths, np.nan)[:, 0])
    return np.concatenate(widths, axis=1), np.concatenate(right, axis=1), np.concatenate(errors, axis=1)


def _smallest_budget(world: World, population: Population, goals: Outcomes, seed: int) -> float:
    """The budget whose runs hold every goal as often as they should.

    Half-widths fall with the root of the labels. So each budget that is tried says which is next, and what is between
    the last two is read off the line through both, in logarithms: that rests on quantiles, which scatter less than the
    shares of runs that a bisection would compare.
    """
    budget, tried = float(goals.labels.mean()) * min(goals.widest, 3.0) ** 2, []
    for step in range(_STEPS):
        budget = float(np.clip(budget, 60, world.family.size))
        _, came = _cycles(world, population, world.survey(round(budget)), len(goals.labels), (seed, 1, step))
        tried.append((np.log(round(budget)), np.log(min(came.widest, 3.0))))
        budget = float(np.exp(crossing(tried)))
    return budget


def crossing(tried: Sequence[tuple[float, float]]) -> float:
    """Where the line through all tries, no flatter and no steeper than makes sense, is at one margin."""
    labels, widths = (np.array(column) for column in zip(*tried, strict=True))
    slope = -0.5
    if len(tried) > 1 and np.ptp(labels) > 0.1:
        slope = float(np.clip(np.polyfit(labels, widths, 1)[0], -1.0, -0.35))
    near = np.exp(-np.abs(widths) / 0.05) + 1e-9
    return float(np.average(labels - widths / slope, weights=near))
