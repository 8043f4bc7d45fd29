"""Weeks of the worlds of the labels benchmark: what was forecast before each, and what its cycle came to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.forecasts.cells import Cell, cells_of
from benchmarks.labels.chain import COMMISSION, gone, handed_on
from benchmarks.labels.cycle import Period, past, run_cycle
from benchmarks.labels.kinds import FOUR, HEAVY, Kind
from benchmarks.labels.worlds import World
from stratawatch.core.cells import Cells
from stratawatch.core.designs.joint import JointDesign
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.model_trust import with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.metrics import REPORTED

ITEMS = 50_000
BUDGET = 900


@dataclass(frozen=True)
class Watched:
    """A chain of weeks; without a budget a cycle asks what its goals need."""

    kind: Kind
    budget: int | None
    persisting: float

    @property
    def survey(self) -> SurveySpec:
        """What its cycles are for."""
        return COMMISSION if self.budget is None else replace(COMMISSION, budget=self.budget, stop_at_goals=False)


@dataclass(frozen=True)
class Asked:
    """Labels that a week was expected to ask for, and those that it asked for."""

    watched: Watched
    expected: int
    came: int


CHAINS = tuple(
    Watched(kind, budget, share) for kind in (FOUR, HEAVY) for budget in (BUDGET, None) for share in (0.0, 0.5)
)


def weeks(watched: Watched, seed: int, number: int) -> Iterator[tuple[Asked, list[Cell]]]:
    """Every week after the first one, which has no history."""
    rng = np.random.default_rng([seed, 7, CHAINS.index(watched)])
    world, survey, design = World(watched.kind, seed, ITEMS), watched.survey, JointDesign()
    items, u = world.week(1), rng.random(ITEMS)
    known, rows, history = np.zeros(ITEMS, dtype=np.bool_), np.zeros(0, dtype=np.int64), NO_HISTORY
    for week in range(1, number + 1):
        if week > 1:
            new = np.flatnonzero(rng.random(ITEMS) >= watched.persisting)
            items = items.replaced(new, world.week(week, len(new))) if len(new) < ITEMS else world.week(week)
            u[new], known[new] = rng.random(len(new)), False
            history = gone(history, rows, new)
            history = replace(history, numbers=np.where(history.drawable, u[rows], np.nan))
        period = Period(watched.kind.classifiers, items)
        cells = Cells.of_atoms(period.classifiers, design.stratify(period.census, survey, history))
        plan = design.plan_all_rounds(cells, survey, history, REPORTED)
        cycle = run_cycle(period, survey, u, history=history, known=known, metrics=REPORTED)
        if week > 1:
            came = {
                (one.classifier, one.metric): one.result.half_width
                for one in cycle.estimates
                if isinstance(one.result, IntervalEstimate)
            }
            kind = f"weeks of {watched.kind.name}, {watched.persisting:.0%} persist"
            yield Asked(watched, plan.labels_new, cycle.labels_new), cells_of(kind, watched.budget or 0, plan, came)
        known[cycle.drawn] = True
        latest = replace(past(period, cycle), drawable=np.ones(len(cycle.drawn), dtype=np.bool_))
        history = with_variance_ratios(handed_on(history, latest))
        rows = np.concatenate([cycle.drawn, rows])[: len(history)]
