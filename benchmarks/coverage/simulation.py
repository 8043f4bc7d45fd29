"""Many cycles on one population: what their intervals said, held against the truth."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from benchmarks.coverage.cycles import Frozen, both_sides
from benchmarks.coverage.findings import Found
from benchmarks.coverage.population import Family, Population
from benchmarks.coverage.random_labels import half_widths
from benchmarks.coverage.scores import Intervals, Tally
from benchmarks.coverage.truths import TRUTHS
from stratawatch.core.estimation.followed_variance import FollowedVariance
from stratawatch.core.estimation.interval import MetricIntervals, metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.planning.round_sizes import most_rounds

CONFIDENCE = 0.95
_AT_ONCE = 250
"""Runs whose pools are held in memory together."""
_RANDOM_RUNS = 2000


@dataclass(frozen=True)
class Task:
    """A population and a number of labels: `born` are the seeds of its items, `seed` is that of the draws.

    `persisting` is the share of its items that an earlier period had too; None: there was none.
    """

    group: str
    family: Family
    labels: int
    runs: int
    born: tuple[int, ...]
    seed: int
    persisting: float | None = None

    def generator(self, use: int) -> np.random.Generator:
        """Random numbers of this task and use alone."""
        return np.random.default_rng([*self.born, self.seed, self.labels, use])


def simulate(task: Task) -> Found:
    """All runs of a task without a past."""
    family, rng = task.family, task.generator(0)
    items = family.items(np.random.default_rng(task.born), family.size)
    population = Population.of(items, family.classifiers, family.auxiliary)
    frozen = Frozen.of(population, SurveySpec(budget=task.labels, confidence=CONFIDENCE))
    begin = process_time()
    left = [min(_AT_ONCE, task.runs - done) for done in range(0, task.runs, _AT_ONCE)]
    labelled = (labels for runs in left for labels in frozen.cycles(rng, runs))
    found = said(both_sides(frozen.cells, labels) for labels in labelled)
    return judged(task, population, found, (process_time() - begin) / task.runs)


def said(runs: Iterable[SideEstimates]) -> dict[str, list[Intervals]]:
    """The intervals of every metric, one list entry a classifier."""
    reading = SideIntervals(SideEstimates.stack(list(runs)), CONFIDENCE)
    return _by_classifier(reading.sides, lambda metric: metric_intervals(metric, reading))


def said_with_history(runs: Iterable[FollowedVariance]) -> dict[str, list[Intervals]]:
    """The same where earlier labels said what to expect of these."""
    reading = FollowedVariance.stack(list(runs))
    return _by_classifier(reading.sides, lambda metric: reading.intervals(metric, CONFIDENCE))


def _by_classifier(
    sides: SideEstimates, intervals: Callable[[RatioMetric], MetricIntervals]
) -> dict[str, list[Intervals]]:
    found: dict[str, list[Intervals]] = {}
    for name in TRUTHS:
        metric = metric_named(name)
        ends, known = intervals(metric), is_defined(metric, sides)[:, 0]
        columns = (np.where(known, one[:, 0], np.nan) for one in (ends.low, ends.high, ends.value, ends.logit_weight))
        found[name] = [Intervals(*each) for each in zip(*(one.T for one in columns), strict=True)]
    return found


def judged(task: Task, truth: Population, found: dict[str, list[Intervals]], seconds: float) -> Found:
    """Tallies, and what random labels would have bought."""
    names = truth.census.classifiers
    tallies = tuple(
        Tally(
            group=task.group,
            population=task.family.name,
            labels=task.labels,
            classifier=name,
            metric=metric,
            runs=len(intervals[place].low),
            defined=intervals[place].defined,
            held=intervals[place].held(truth.truth(metric, place)),
            half_width=intervals[place].half_width,
            tails=intervals[place].tails(truth.truth(metric, place)),
            half_width_error=intervals[place].half_width_error,
        )
        for metric, intervals in found.items()
        for place, name in enumerate(names)
    )
    return Found(
        group=task.group,
        population=task.family.name,
        labels=task.labels,
        ranks=task.family.ranks,
        has_history=task.persisting is not None,
        rounds=1 if task.persisting is not None else most_rounds(SurveySpec(budget=task.labels)),
        tallies=tallies,
        random=_random(task, truth),
        seconds=seconds,
    )


def _random(task: Task, truth: Population) -> float:
    rng = task.generator(1)
    widths: Sequence[tuple[float, float]] = [
        half_widths(confusion, task.labels, _RANDOM_RUNS, rng) for confusion in truth.confusions
    ]
    return float(np.mean(widths))
