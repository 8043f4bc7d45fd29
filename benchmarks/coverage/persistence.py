"""Two periods: what the first one's labels taught is used in the second, and persisting items are drawn again.

The random number of an item is permanent, so labels of persisting items come again; a plan that read them one by one
would spoil its own draw. Items, their numbers and strata are all real here: a second cut depends on the first labels.
"""

from dataclasses import dataclass
from functools import cached_property
from time import process_time
from typing import Final

import numpy as np

from benchmarks.coverage.cycles import Frozen, labelled
from benchmarks.coverage.draws import Pools
from benchmarks.coverage.findings import Found
from benchmarks.coverage.population import Flags, Items, Population
from benchmarks.coverage.simulation import CONFIDENCE, Task, judged, said_with_history
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.followed_variance import FollowedVariance
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.planning.labels_so_far import LabelsSoFar, UnlabelledCandidates
from stratawatch.core.population import Counts, Floats

SIZE: Final = 20_000


@dataclass(frozen=True)
class Period:
    """One period's items and their census."""

    items: Items
    population: Population

    @classmethod
    def of(cls, task: Task, items: Items) -> "Period":
        """Count them."""
        return cls(items, Population.of(items, task.family.classifiers, task.family.auxiliary))


@dataclass(frozen=True)
class Queue:
    """Every stratum's pool: `rows` are items by (stratum, random number)."""

    rows: Counts
    strata: Counts
    places: Counts
    kinds: Counts
    atoms: int

    @classmethod
    def of(cls, frozen: Frozen, period: Period, numbers: Floats) -> "Queue":
        """The items with the smallest random numbers of every stratum, as many as the product freezes."""
        home = frozen.home[period.population.rows]
        strata = frozen.cells.strata[home]
        order = np.argsort(strata + numbers)
        sorted_strata = strata[order]
        places = np.arange(len(order)) - np.searchsorted(sorted_strata, sorted_strata)
        kept = places < frozen.pools[sorted_strata]
        rows = order[kept]
        kinds = 2 * home[rows] + period.items.labels[rows]
        return cls(rows, sorted_strata[kept], places[kept], kinds, len(frozen.atoms))

    def first(self, totals: Counts) -> Flags:
        """The first totals[h] of every stratum."""
        return np.asarray(self.places < totals[self.strata])

    @cached_property
    def pools(self) -> Pools:
        """As pools of a single run."""
        return Pools(self.kinds[None], self.strata, self.places, self.atoms)


def simulate_persisting(task: Task) -> Found:
    """All runs of two periods; the second one's intervals are held against the second one's truth."""
    size, family = SIZE, task.family
    persisting = task.persisting or 0.0
    rng = task.generator(2 + round(100 * persisting))
    first = Period.of(task, family.items(np.random.default_rng(task.born), size))
    kept = np.sort(np.random.default_rng([*task.born, 2]).permutation(size)[: round(persisting * size)])
    later = np.random.default_rng([*task.born, 1])
    second = Period.of(task, first.items.at(kept).joined(family.items(later, size - len(kept))))
    survey = SurveySpec(budget=task.labels, confidence=CONFIDENCE)
    cold = Frozen.of(first.population, survey)
    begin = process_time()
    runs = [_run(cold, (first, second), kept, survey, rng) for _ in range(task.runs)]
    return judged(task, second.population, said_with_history(runs), (process_time() - begin) / task.runs)


def _run(
    cold: Frozen, periods: tuple[Period, Period], kept: Counts, survey: SurveySpec, rng: np.random.Generator
) -> FollowedVariance:
    first, second = periods
    numbers = rng.random(len(first.items))
    labels, history = _first_period(cold, first, numbers, kept)
    warm = Frozen.of(second.population, survey, history)
    numbers = np.concatenate([numbers[kept], rng.random(len(second.items) - len(kept))])
    known = np.zeros(len(second.items), dtype=np.bool_)
    known[: len(kept)] = labels[kept]
    queue = Queue.of(warm, second, numbers)
    totals = _second_totals(warm, queue, known)
    (found,) = labelled(queue.pools.counted(totals[None]), totals[None])
    return FollowedVariance.of(DifferenceEstimator.of(warm.cells, found.everywhere))


def _first_period(cold: Frozen, period: Period, numbers: Floats, kept: Counts) -> tuple[Flags, History]:
    """Which items got a label in a cycle without a past, and the history that is left of it."""
    queue = Queue.of(cold, period, numbers)
    (labels,) = labelled(queue.pools.counted(cold.first[None]), cold.first[None])
    totals = cold.later(2, labels)
    drawn = queue.first(totals)
    rows, weights = queue.rows[drawn], (cold.cells.stratum_sizes / np.maximum(totals, 1))[queue.strata[drawn]]
    asked = np.zeros(len(period.items), dtype=np.bool_)
    asked[rows] = True
    patterns = period.population.census.patterns
    history = History(
        ages=np.ones(len(rows), dtype=np.int64),
        patterns=tuple(patterns[row] for row in period.population.rows[rows].tolist()),
        scores=period.items.scores[rows],
        positive=period.items.labels[rows],
        weights=weights,
        drawable=np.isin(rows, kept, assume_unique=True),
    )
    return asked, history


def _second_totals(warm: Frozen, queue: Queue, known: Flags) -> Counts:
    """One round from history; items whose label is known are not asked about."""
    nothing = np.zeros(queue.atoms)
    costs = UnlabelledCandidates(0, queue.strata, ~known[queue.rows])
    so_far = LabelsSoFar(1, np.zeros_like(warm.pools), nothing, nothing, costs=costs)
    return warm.planner.totals(so_far, warm.pools)
