"""First and second cycles on the populations of the coverage benchmark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.coverage.cycles import Frozen, half_widths, labelled
from benchmarks.coverage.persistence import SIZE, Period, Queue
from benchmarks.coverage.population import Family, Population
from benchmarks.coverage.simulation import CONFIDENCE, Task
from benchmarks.coverage.tasks import FIXED, PERSISTING
from benchmarks.forecasts.cells import Cell, cells_of
from stratawatch.core.designs.joint import JointDesign
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.followed_variance import FollowedVariance
from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import REPORTED
from stratawatch.core.plan import Plan
from stratawatch.core.planning.labels_so_far import LabelsSoFar, UnlabelledCandidates
from stratawatch.core.population import Counts, Floats

FIRST_LABELS = (100, 300, 1000)
SECOND_LABELS = (300, 1000)
_FIXED_SEED = 1934


@dataclass(frozen=True)
class Place:
    """A family, whose seed its items are born with."""

    kind: str
    family: Family
    born: tuple[int, ...]


def places(seed: int) -> Iterator[Place]:
    """The fixed populations, and one with fresh numbers of each of their families."""
    for number, family in enumerate(FIXED):
        yield Place("fixed", family, (_FIXED_SEED, number))
        yield Place("fresh", family.fresh(np.random.default_rng([seed, number])), (seed, number))


def first_cycles(place: Place, seed: int, runs: int) -> Iterator[Cell]:
    """Cycles without a history."""
    family = place.family
    items = family.items(np.random.default_rng(place.born), family.size)
    population = Population.of(items, family.classifiers, family.auxiliary)
    for labels in FIRST_LABELS:
        frozen = Frozen.of(population, _survey(labels))
        plan, rng = _forecast(frozen, NO_HISTORY), np.random.default_rng([*place.born, seed, labels])
        for sample in frozen.cycles(rng, runs):
            yield from cells_of(f"first, {place.kind}", labels, plan, _came(frozen, sample))


@dataclass(frozen=True)
class TwoPeriods:
    """Items of two periods: the rows `kept` of the first are the first rows of the second."""

    labels: int
    cold: Frozen
    first: Period
    second: Period
    kept: Counts

    @classmethod
    def of(cls, place: Place, labels: int, share: float, rng: np.random.Generator) -> "TwoPeriods":
        """Periods of which this share of the items persists."""
        family = place.family
        task = Task(place.kind, family, labels, 1, place.born, 0, share)
        first = Period.of(task, family.items(np.random.default_rng(place.born), SIZE))
        kept = np.sort(rng.permutation(SIZE)[: round(share * SIZE)])
        second = Period.of(task, first.items.at(kept).joined(family.items(rng, SIZE - len(kept))))
        return cls(labels, Frozen.of(first.population, _survey(labels)), first, second, kept)

    def history(self, numbers: Floats) -> tuple[Counts, History]:
        """The rows that the first cycle labels by these random numbers, and what the second one knows of them."""
        return _first_labels(self.cold, self.first, numbers, self.kept)


def second_cycles(place: Place, seed: int, runs: int) -> Iterator[Cell]:
    """Cycles with the history of one, whose items stay in part: labels of those are known."""
    for labels in SECOND_LABELS:
        for share in PERSISTING.values():
            rng = np.random.default_rng([*place.born, seed, labels, round(100 * share)])
            periods = TwoPeriods.of(place, labels, share, rng)
            for _ in range(runs):
                yield from _second(f"second, {share:.0%} persist", periods, rng)


def _second(kind: str, periods: TwoPeriods, rng: np.random.Generator) -> list[Cell]:
    second, kept, numbers = periods.second, periods.kept, rng.random(SIZE)
    rows, history = periods.history(numbers)
    known = np.zeros(SIZE, dtype=np.bool_)
    known[: len(kept)] = np.isin(kept, rows)
    warm = Frozen.of(second.population, _survey(periods.labels), history)
    plan = _forecast(warm, history)
    queue = Queue.of(warm, second, np.concatenate([numbers[kept], rng.random(SIZE - len(kept))]))
    nothing, costs = np.zeros(queue.atoms), UnlabelledCandidates(0, queue.strata, ~known[queue.rows])
    so_far = LabelsSoFar(1, np.zeros_like(warm.pools), nothing, nothing, costs=costs)
    totals = warm.planner.totals(so_far, warm.pools)
    (sample,) = labelled(queue.pools.counted(totals[None]), totals[None])
    return cells_of(kind, periods.labels, plan, _came(warm, sample))


def _first_labels(cold: Frozen, period: Period, numbers: Floats, kept: Counts) -> tuple[Counts, History]:
    """The items that a cycle without a past labels, and the history that they are."""
    queue = Queue.of(cold, period, numbers)
    (sample,) = labelled(queue.pools.counted(cold.first[None]), cold.first[None])
    totals = cold.later(2, sample)
    drawn = queue.first(totals)
    rows, patterns = queue.rows[drawn], period.population.census.patterns
    drawable = np.isin(rows, kept)
    history = History(
        ages=np.ones(len(rows), dtype=np.int64),
        patterns=tuple(patterns[row] for row in period.population.rows[rows].tolist()),
        scores=period.items.scores[rows],
        positive=period.items.labels[rows],
        weights=(cold.cells.stratum_sizes / np.maximum(totals, 1))[queue.strata[drawn]],
        drawable=drawable,
        numbers=np.where(drawable, numbers[rows], np.nan),
    )
    return rows, history


def _came(frozen: Frozen, sample: LabelledSample) -> Mapping[tuple[str, str], float]:
    evidence = DifferenceEstimator.of(frozen.cells, sample.everywhere)
    if frozen.cells.prior_rate is not None:
        followed = FollowedVariance.of(evidence)
        return half_widths(
            followed.sides, lambda metric: followed.intervals(metric, CONFIDENCE), frozen.cells.classifiers, REPORTED
        )
    reading = SideIntervals(evidence.sides([evidence.everything]), CONFIDENCE)
    return half_widths(
        reading.sides, lambda metric: metric_intervals(metric, reading), frozen.cells.classifiers, REPORTED
    )


def _forecast(frozen: Frozen, history: History) -> Plan:
    return JointDesign().plan_all_rounds(frozen.cells, frozen.planner.survey, history, REPORTED)


def _survey(labels: int) -> SurveySpec:
    return SurveySpec(budget=labels, confidence=CONFIDENCE)
