"""Populations with goals that some hundreds to some thousands of labels reach, where nothing is known beforehand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.coverage.cycles import Frozen
from benchmarks.coverage.panels import Member, Panel
from benchmarks.coverage.population import Population
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.planning.allocation import AllocationBounds
from stratawatch.core.planning.budget_allocator import BudgetAllocator
from stratawatch.core.planning.expected_precision import ExpectedTotals, expected_half_widths
from stratawatch.core.planning.expected_rates import expected_at

GROUPS: Final = ("fixed", "fresh")
_FIXED_SEED: Final = 1707
_STEP: Final = 0.0025
"""Margins are whole quarters of a point."""
_WIDEST: Final = 0.2
RARE: Final = (Goal("precision", 0.04), Goal("recall", 0.08))
CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Kind:
    """A sort of panel: a score for each classifier, spans of the share of positives, of separations, of precisions.

    `metrics` are those that goals are for; `goals` None: margins that a drawn number of labels reaches.
    """

    name: str
    scores: tuple[str, ...]
    prevalence: tuple[float, float]
    separation: tuple[float, float] = (2.4, 3.4)
    precision: tuple[float, float] = (0.6, 0.95)
    hard: float = 0.0
    broken: float = 0.0
    metrics: tuple[str, ...] = ("precision", "recall")
    goals: tuple[Goal, ...] | None = None


KINDS: Final = (
    Kind("rare class, 4 and 8 points", ("calibrated",), (0.01, 0.01), (3.0, 3.0), goals=RARE),
    Kind("one, common", ("calibrated",), (0.15, 0.3)),
    Kind("one, overconfident", ("overconfident",), (0.02, 0.08)),
    Kind("one, shuffled", ("shuffled",), (0.05, 0.15)),
    Kind("one, weak", ("calibrated",), (0.1, 0.2), (1.4, 2.0), (0.45, 0.65)),
    Kind("one, recall alone", ("tied",), (0.03, 0.1), metrics=("recall",)),
    Kind("two, rare", ("calibrated", "overconfident"), (0.01, 0.02), (2.8, 3.6)),
    Kind("three, hard positives", ("calibrated",) * 3, (0.05, 0.12), hard=0.25),
    Kind("four", ("calibrated",) * 4, (0.03, 0.08)),
    Kind("four, inverted", ("inverted",) * 4, (0.05, 0.1)),
    Kind("five, broken clusters", ("calibrated", "calibrated", "tied", "waving", "silent"), (0.04, 0.1), broken=0.1),
    Kind("six, common", ("calibrated", "overconfident") * 3, (0.1, 0.3)),
)


@dataclass(frozen=True)
class World:
    """A population with goals; `born` are the seeds of its items."""

    group: str
    name: str
    family: Panel
    goals: tuple[Goal, ...]
    born: tuple[int, ...]

    @property
    def population(self) -> Population:
        """Its items, counted."""
        return _population(self.family, self.born)

    def survey(self, budget: int | None = None) -> SurveySpec:
        """Labels until the goals hold, or a budget that is spent for them."""
        return SurveySpec(self.goals, budget, stop_at_goals=budget is None, confidence=CONFIDENCE)


def worlds(seed: int, groups: Sequence[str]) -> Iterator[World]:
    """Fixed ones do not depend on the seed; their draws do."""
    for group in groups:
        for number, kind in enumerate(KINDS):
            born = (_FIXED_SEED if group == "fixed" else seed, number)
            yield _world(group, kind, born)


def _world(group: str, kind: Kind, born: tuple[int, ...]) -> World:
    rng = np.random.default_rng([*born, 1])
    low, high = np.log(kind.prevalence)
    prevalence = float(np.exp(rng.uniform(low, high)))
    precisions = rng.uniform(*kind.precision, len(kind.scores))
    members = tuple(
        Member(float(rng.uniform(*kind.separation)), float(precision), score)
        for precision, score in zip(precisions, kind.scores, strict=True)
    )
    family = Panel(kind.name, prevalence, members, hard=kind.hard, broken=kind.broken)
    labels, part = float(np.exp(rng.uniform(np.log(400), np.log(2000)))), float(rng.uniform(0.4, 1.0))
    if kind.goals is not None:
        return World(group, kind.name, replace(family, size=50_000), kind.goals, born)
    goals = tuple(Goal(metric, part if metric == "precision" else 1.0) for metric in kind.metrics)
    return World(group, kind.name, family, _reached(_population(family, born), goals, round(labels)), born)


def _population(family: Panel, born: tuple[int, ...]) -> Population:
    items = family.items(np.random.default_rng(born), family.size)
    return Population.of(items, family.classifiers, family.auxiliary)


def _reached(population: Population, goals: tuple[Goal, ...], labels: int) -> tuple[Goal, ...]:
    """Margins in this proportion that so many labels reach where the shares of positives are known."""
    survey = SurveySpec(tuple(replace(goal, margin=0.05 * goal.margin) for goal in goals), labels)
    frozen = Frozen.of(population, survey)
    context, known = frozen.planner.context, expected_at(frozen.cells, frozen.yes / np.maximum(frozen.cells.sizes, 1))
    drawable = context.drawable
    totals = BudgetAllocator(context).best(labels, AllocationBounds(np.zeros_like(drawable), drawable))
    metrics = [goal.metric for goal in goals]
    widths = expected_half_widths(ExpectedTotals.of(frozen.cells, known), totals, CONFIDENCE, metrics)
    margins = {goal.metric: goal.margin for goal in goals}
    scale = max(width / margins[metric] for (_, metric), width in widths.items())
    return tuple(replace(goal, margin=min(_stepped(scale * goal.margin), _WIDEST)) for goal in goals)


def _stepped(margin: float) -> float:
    return max(round(margin / _STEP), 1) * _STEP
