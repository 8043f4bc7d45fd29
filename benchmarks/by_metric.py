"""For each metric: how narrow are its intervals beside those of as many labels of a plain random sample?

Populations of `benchmarks.coverage` whose scores rank, fixed ones and fresh ones, at 200, 600 and 1500 labels, planned
without goals, for the false-omission rate alone, and for recall alone. A random sample is of the panel's items, with
Wilson's intervals.

Full run: `python -m benchmarks.by_metric`, some minutes on two idle cores.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Final

import numpy as np
from rich.progress import track

from benchmarks.coverage.cycles import Frozen, both_sides
from benchmarks.coverage.population import Population
from benchmarks.coverage.random_labels import half_widths_by_metric
from benchmarks.coverage.simulation import CONFIDENCE, Task, said
from benchmarks.coverage.tasks import FIXED
from benchmarks.coverage.truths import MAIN
from benchmarks.shape import Kind, Options, Result, Row, Verdict, main
from stratawatch.core.goals import Goal, SurveySpec

LABELS: Final = (200, 600, 1500)
PLANS: Final[dict[str, tuple[Goal, ...]]] = {
    "no goals": (),
    "FOR alone": (Goal("false_omission_rate", 0.01),),
    "recall alone": (Goal("recall", 0.05),),
}
RUNS: Final = 200
QUICK_RUNS: Final = 8
_FIXED_SEED: Final = 1934
_RANDOM_RUNS: Final = 4000


@dataclass(frozen=True)
class Width:
    """Mean half-width of one metric of one classifier by one plan, of a random sample's, with its error."""

    group: str
    population: str
    labels: int
    plan: str
    classifier: str
    metric: str
    of_random: float
    error: float


def run(options: Options) -> Result:
    """Every population by every plan, a process a core."""
    tasks = list(_tasks(options))
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(options.given.workers, mp_context=get_context("spawn")) as pool:
        found = [width for widths in track(pool.map(measured, tasks), "populations", len(tasks)) for width in widths]
    judged = verdicts(found)
    # A few runs cannot break a promise, nor keep one: the short form shows that everything runs.
    return Result(rows(found), [replace(one, kind="aim") for one in judged] if options.quick else judged)


def measured(task: Task) -> list[Width]:
    """One population by every plan."""
    items = task.family.items(np.random.default_rng(task.born), task.family.size)
    population = Population.of(items, task.family.classifiers, task.family.auxiliary)
    rng = np.random.default_rng([*task.born, task.seed, task.labels])
    random = [half_widths_by_metric(one, len(items), task.labels, _RANDOM_RUNS, rng) for one in population.confusions]
    return [width for plan in PLANS for width in _widths(task, population, plan, random, rng)]


def _widths(
    task: Task,
    population: Population,
    plan: str,
    random: Sequence[dict[str, float]],
    rng: np.random.Generator,
) -> Iterator[Width]:
    frozen = Frozen.of(population, SurveySpec(PLANS[plan], budget=task.labels, confidence=CONFIDENCE))
    intervals = said(both_sides(frozen.cells, labels) for labels in frozen.cycles(rng, task.runs))
    for metric in MAIN:
        for place, name in enumerate(population.census.classifiers):
            one = intervals[metric][place]
            halves = np.nan_to_num((one.high - one.low) / 2, nan=0.5) / random[place][metric]
            error = float(halves.std(ddof=1) / np.sqrt(len(halves)))
            group, labels = task.group, task.labels
            yield Width(group, task.family.name, labels, plan, name, metric, float(halves.mean()), error)


def rows(found: Sequence[Width]) -> list[Row]:
    """Each metric by plan and labels, then the widest of what the promises are about."""
    answer: list[Row] = []
    for plan in PLANS:
        for labels in LABELS:
            here = [one for one in found if (one.plan, one.labels) == (plan, labels)]
            means = {metric: np.mean([one.of_random for one in here if one.metric == metric]) for metric in MAIN}
            wider = {f"{metric} wider": _wider([one for one in here if one.metric == metric]) for metric in MAIN}
            answer.append({"plan": plan, "labels": labels, **means, **wider})
    promised = [one for one in found if one.metric == "false_omission_rate" and one.plan != "recall alone"]
    widest = sorted(promised, key=lambda one: -one.of_random)[:12]
    return [*answer, *(_row(one) for one in widest)]


def verdicts(found: Sequence[Width]) -> list[Verdict]:
    """FOR by its own goal and by none; recall's own plan beside the one without goals.

    The fixed populations are a must. Of fresh ones one in fifty is wider: a label that stands for hundreds is a miss.
    """
    answer = []
    for group in ("fixed", "fresh"):
        kind: Kind = "must" if group == "fixed" else "aim"
        here = [one for one in found if one.group == group and one.metric == "false_omission_rate"]
        for labels in LABELS:
            name = f"{group}, {labels} labels: widest FOR, of random labels'"
            alone = _widest(here, "FOR alone", labels)
            answer.append(Verdict(f"{name}, with no other goal", kind, alone, 1.2, "<="))
            answer.append(Verdict(f"{name}, with no other goal", "aim", alone, 1.05, "<="))
            if labels > LABELS[0]:
                usual = _widest(here, "no goals", labels)
                answer.append(Verdict(f"{name}, without goals", kind, usual, 1.3, "<="))
    name = "panels whose recall is surely wider where it is the only goal than without goals"
    return [*answer, *_usual(found), Verdict(name, "aim", _lost(found), 0, "<=")]


def _usual(found: Sequence[Width]) -> Iterator[Verdict]:
    """What is narrower than a random sample's without goals, metric by metric, and for how many classifiers not."""
    for labels in LABELS:
        for metric in MAIN:
            here = [one for one in found if (one.plan, one.labels, one.metric) == ("no goals", labels, metric)]
            name = f"{labels} labels without goals: {metric.replace('_', ' ')}"
            mean, wider = float(np.mean([one.of_random for one in here])), sum(one.of_random > 1 for one in here)
            yield Verdict(f"{name}, mean width, of random labels'", "aim", mean, 1, "<=")
            yield Verdict(f"{name}, wider classifiers of {len(here)}", "aim", wider, 0, "<=")


def _widest(found: Sequence[Width], plan: str, labels: int) -> float:
    return max(one.of_random for one in found if (one.plan, one.labels) == (plan, labels))


def _lost(found: Sequence[Width]) -> int:
    """Panels whose mean recall is wider by its own plan, by more than a fiftieth and three errors of the difference."""
    recalls: dict[str, dict[tuple[str, str, int], list[Width]]] = {"recall alone": {}, "no goals": {}}
    for one in found:
        if one.metric == "recall" and one.plan in recalls:
            recalls[one.plan].setdefault((one.group, one.population, one.labels), []).append(one)
    return sum(_is_wider(own, recalls["no goals"][place]) for place, own in recalls["recall alone"].items())


def _is_wider(own: Sequence[Width], usual: Sequence[Width]) -> bool:
    means = [float(np.mean([one.of_random for one in widths])) for widths in (own, usual)]
    # Classifiers of one panel share their labels, and so their errors.
    errors = [float(np.mean([one.error for one in widths])) for widths in (own, usual)]
    return bool(means[0] - 1.02 * means[1] > 3 * np.hypot(errors[0], errors[1]))


def _wider(found: Sequence[Width]) -> str:
    return f"{sum(one.of_random > 1 for one in found)} of {len(found)}"


def _row(one: Width) -> Row:
    return {
        "widest FOR": f"{one.group}: {one.population}",
        "labels": one.labels,
        "plan": one.plan,
        "classifier": one.classifier,
        "of random": one.of_random,
        "error": one.error,
    }


def _tasks(options: Options) -> Iterator[Task]:
    runs = options.given.runs or (QUICK_RUNS if options.quick else RUNS)
    for number, family in enumerate(FIXED):
        if not family.ranks:
            continue
        fresh = family.fresh(np.random.default_rng([options.seed, number]))
        for labels in LABELS:
            yield Task("fixed", family, labels, runs, (_FIXED_SEED, number), options.seed)
            yield Task("fresh", fresh, labels, runs, (options.seed, number), options.seed)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, help=f"cycles of every population (default {RUNS}, quick {QUICK_RUNS})")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")


if __name__ == "__main__":
    sys.exit(main("by_metric", run, extra=_options))
