"""High sampling fractions: do intervals hold the truth, and is V the variance, where much of a window is labelled?

Small windows with budgets of 20 to 90% of their items, without a history (two rounds); fixed items, and fresh ones of
the same kinds. For every metric: coverage, how values lean, and the mean of V beside the variance of the values over
all runs. And panels of six and ten with so few labels that nearly all strata mix patterns: how far the estimated TP and
FN go together over the runs, beside what labels say of it. MOVER takes them as independent.

Full run: `python -m benchmarks.high_fractions`, half an hour on two idle cores.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from math import atanh, nan, sqrt
from multiprocessing import get_context
from statistics import NormalDist
from typing import Final

import numpy as np
from rich.progress import track

from benchmarks.coverage.cycles import Frozen, both_sides
from benchmarks.coverage.panels import Member, Panel
from benchmarks.coverage.population import Family, Population
from benchmarks.coverage.scores import LOWEST, PROMISED, SURE, Intervals, surely_below
from benchmarks.coverage.simulation import CONFIDENCE, Task
from benchmarks.coverage.singles import Single
from benchmarks.coverage.truths import MAIN
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.core.estimation.interval import metric_intervals, normal_quantile
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import A, B, metric_named

FRACTIONS: Final = (0.2, 0.35, 0.5, 0.7, 0.9)
FEW_LABELS: Final = (100, 300)
METRICS: Final = (*MAIN, "f1", "accuracy")
RUNS: Final = 2000
QUICK_RUNS: Final = 40
FEW: Final = "few labels"
GROUPS: Final = ("fixed", "fresh", FEW)
CERTAIN: Final = 1e-6
"""A true half-width below which nothing is left to chance."""
_LOGIT: Final = 2 / 3
"""Where the logit rule makes so much of the ends, lean and V decide what they hold."""
_MOST_LEAN: Final = 0.3
_MOST_CORRELATION: Final = 0.1
_FIXED_SEED: Final = 1934
_AT_ONCE: Final = 250
_FEWEST_RUNS: Final = 3


def _members(*precisions: float, separation: float, score: str = "calibrated") -> tuple[Member, ...]:
    return tuple(Member(separation, precision, score) for precision in precisions)


_FOUR: Final = (0.7, 0.75, 0.8, 0.9)
_SIX: Final = (0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
_TEN: Final = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.82, 0.85, 0.9, 0.95)
WINDOWS: Final[tuple[Family, ...]] = (
    Single("common", "calibrated", "calibrated", precision=0.8, omission=0.1, share=0.3, size=4321),
    Single("common, weak", "weak", "weak", precision=0.85, omission=0.05, share=0.2, size=10_000),
    Single("common, shuffled", "shuffled", "shuffled", precision=0.75, omission=0.1, share=0.3, size=2000),
    Single("rare", "calibrated", "calibrated", precision=0.8, omission=0.01, share=0.08, size=4321),
    Panel("common, panel of four", 0.25, _members(*_FOUR, separation=2.0), size=4321),
    Panel("common, panel of six", 0.3, _members(*_SIX, separation=1.6), size=10_000),
    Panel("panel of four, shuffled", 0.15, _members(*_FOUR, separation=3.0, score="shuffled"), size=4321),
    Panel("panel of six, hard positives", 0.08, _members(*_SIX, separation=3.0), hard=0.25, size=2000),
)
"""Of these a large share is labelled."""
MIXED: Final[tuple[Family, ...]] = (
    Panel("six", 0.03, _members(*_SIX, separation=3.0)),
    Panel("ten", 0.05, _members(*_TEN, separation=2.2)),
    Panel("ten, shuffled", 0.06, _members(*_TEN, separation=2.6, score="shuffled")),
    Panel("ten, inverted", 0.06, _members(*_TEN, separation=2.6, score="inverted")),
    Panel("ten, common", 0.25, _members(*_TEN, separation=1.8), size=20_000),
)
"""Of these so little is labelled that strata mix patterns."""


@dataclass(frozen=True)
class Cell:
    """One metric of one classifier with one number of labels.

    `v_ratio` is the mean of V over the variance of the values, `lean` how far their mean is off in standard errors,
    towards what flatters the classifier. `correlation` is that of the estimated positives of both sides over the runs,
    `said` the mean of what each run's labels say of it.
    """

    group: str
    population: str
    labels: int
    fraction: float
    classifier: str
    metric: str
    runs: int
    held: int
    lean: float
    logit: float
    half_width: float
    true_half_width: float
    v_ratio: float
    correlation: float
    said: float

    @property
    def coverage(self) -> float:
        """Share of the intervals that held the truth; not a number where none was defined."""
        return self.held / self.runs if self.runs else nan

    @property
    def is_open(self) -> bool:
        """Whether anything is left to chance."""
        return self.true_half_width > CERTAIN

    @property
    def is_logit(self) -> bool:
        """Whether the interval is mostly the logit one, of something that is left to chance."""
        return self.is_open and self.logit >= _LOGIT


def run(options: Options) -> Result:
    """Every population with every number of labels, a process a core."""
    runs = options.given.runs or (QUICK_RUNS if options.quick else RUNS)
    tasks = [task for task in tasks_of(options.seed, runs) if task.group in options.given.groups]
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(options.given.workers, mp_context=get_context("spawn")) as pool:
        found = [cell for cells in track(pool.map(measured, tasks), "populations", len(tasks)) for cell in cells]
    judged = verdicts(found)
    # A few runs cannot break a promise, nor keep one: the short form shows that everything runs.
    return Result(rows(found), [replace(one, kind="aim") for one in judged] if options.quick else judged)


def tasks_of(seed: int, runs: int) -> Iterator[Task]:
    """Items of fixed populations do not depend on the seed; their draws do."""
    for group, born in (("fixed", _FIXED_SEED), ("fresh", seed)):
        for number, family in enumerate(WINDOWS):
            for fraction in FRACTIONS:
                yield Task(group, family, round(fraction * family.size), runs, (born, number), seed)
    for number, family in enumerate(MIXED, start=len(WINDOWS)):
        for labels in FEW_LABELS:
            yield Task(FEW, family, labels, runs, (_FIXED_SEED, number), seed)


def measured(task: Task) -> list[Cell]:
    """One population with one number of labels."""
    items = task.family.items(np.random.default_rng(task.born), task.family.size)
    population = Population.of(items, task.family.classifiers, task.family.auxiliary)
    frozen = Frozen.of(population, SurveySpec(budget=task.labels, confidence=CONFIDENCE))
    rng = task.generator(3)
    left = [min(_AT_ONCE, task.runs - done) for done in range(0, task.runs, _AT_ONCE)]
    runs = [both_sides(frozen.cells, one).at((0,)) for many in left for one in frozen.cycles(rng, many)]
    return cells_of(task, population, SideEstimates.stack(runs))


def cells_of(task: Task, population: Population, sides: SideEstimates) -> list[Cell]:
    """Every metric of every classifier; `sides` are runs x classifiers."""
    reading = SideIntervals(sides, CONFIDENCE)
    names = population.census.classifiers
    correlations = [_correlation(sides, place) for place in range(len(names))]
    found = []
    for name in METRICS:
        metric = metric_named(name)
        ends, known = metric_intervals(metric, reading), is_defined(metric, sides)
        for place, classifier in enumerate(names):
            defined = known[:, place]
            columns = (ends.low, ends.high, ends.value, ends.logit_weight)
            intervals = Intervals(*(one[defined, place] for one in columns))
            truth = population.truth(name, place)
            spread = float(intervals.value.std()) if defined.any() else 0.0
            true_half_width = normal_quantile(CONFIDENCE) * spread
            is_open = true_half_width > CERTAIN
            tails = intervals.tails(truth)
            found.append(
                Cell(
                    group=task.group,
                    population=task.family.name,
                    labels=task.labels,
                    fraction=task.labels / task.family.size,
                    classifier=classifier,
                    metric=name,
                    runs=intervals.defined,
                    held=intervals.held(truth),
                    lean=(-tails.lean if metric.lower_is_better else tails.lean) if is_open else 0.0,
                    logit=tails.logit,
                    half_width=intervals.half_width if defined.any() else nan,
                    true_half_width=true_half_width,
                    v_ratio=float(ends.variance[defined, place].mean()) / spread**2 if is_open else nan,
                    correlation=correlations[place][0],
                    said=correlations[place][1],
                )
            )
    return found


def rows(found: Sequence[Cell]) -> list[Row]:
    """By group, labelled share and metric, then the lowest coverages, then TP and FN where strata mix patterns."""
    answer: list[Row] = []
    for group in ("fixed", "fresh"):
        for fraction in FRACTIONS:
            for metric in METRICS:
                near = [one for one in found if one.group == group and abs(one.fraction - fraction) < 0.01]
                cells = [one for one in near if one.metric == metric and one.is_open]
                if cells:
                    answer.append({"group": group, "labelled": fraction, "metric": metric, **_means(cells)})
    lowest = sorted((one for one in found if one.is_open and one.runs), key=lambda one: one.coverage)[:12]
    answer += [_row(one) for one in lowest]
    recalls = [one for one in found if one.group == FEW and one.metric == "recall"]
    for population, labels in dict.fromkeys((one.population, one.labels) for one in recalls):
        cells = [one for one in recalls if (one.population, one.labels) == (population, labels)]
        answer.append(
            {
                "mixed strata": population,
                "labels": labels,
                "least correlation of TP, FN": min(one.correlation for one in cells),
                "mean": _mean(one.correlation for one in cells),
                "most": max(one.correlation for one in cells),
                "labels say": _mean(one.said for one in cells),
                "lowest recall": min(one.coverage for one in cells),
                "logit part": _mean(one.logit for one in cells),
            }
        )
    return answer


def verdicts(found: Sequence[Cell]) -> list[Verdict]:
    """Coverage of each group; lean and V where the logit rule makes the ends; TP and FN where strata mix patterns."""
    answer = []
    for group in dict.fromkeys(one.group for one in found):
        cells = [one for one in found if one.group == group and one.is_open]
        known = [one for one in cells if one.metric in MAIN]
        others = [one for one in cells if one.metric not in MAIN]
        fails = [sum(surely_below(one.held, one.runs, LOWEST) for one in part) for part in (known, others)]
        answer += [
            Verdict(f"{group}: mean coverage", "must", _mean(one.coverage for one in known), PROMISED, ">="),
            Verdict(f"{group}: cells surely below {LOWEST}, of {len(known)}", "must", fails[0], 0, "<="),
            Verdict(f"{group}: the same, F1 and accuracy, of {len(others)}", "aim", fails[1], 0, "<="),
        ]
        answer += _of_correlation(found) if group == FEW else _of_logit(group, [one for one in cells if one.is_logit])
    return answer


def _of_logit(group: str, cells: Sequence[Cell]) -> list[Verdict]:
    """The farthest mean lean of a window at a share, and V."""
    leans: dict[tuple[str, int], list[float]] = {}
    for one in cells:
        leans.setdefault((one.population, one.labels), []).append(one.lean)
    farthest = max((abs(float(np.mean(each))) for each in leans.values()), default=nan)
    return [
        Verdict(f"{group}: farthest mean lean of a window, in standard errors", "must", farthest, _MOST_LEAN, "<="),
        Verdict(f"{group}: mean of V over the variance", "aim", _mean(one.v_ratio for one in cells), 1.0, ">="),
    ]


def _of_correlation(found: Sequence[Cell]) -> list[Verdict]:
    recalls = [one for one in found if one.group == FEW and one.metric == "recall"]
    far = sum(_surely_correlated(one) for one in recalls)
    spread = float(np.sqrt(np.mean([one.correlation**2 for one in recalls])))
    name = f"{FEW}: correlations of TP and FN surely beyond {_MOST_CORRELATION}, of {len(recalls)}"
    return [
        Verdict(name, "must", far, 0, "<="),
        Verdict(f"{FEW}: root mean square of these correlations", "aim", spread, _MOST_CORRELATION, "<="),
    ]


def _surely_correlated(one: Cell) -> bool:
    """Whether even the near end of the correlation's interval (Fisher 1915) is beyond what is allowed."""
    if one.runs <= _FEWEST_RUNS:
        return False
    error = 1 / sqrt(one.runs - _FEWEST_RUNS)
    near = atanh(min(abs(one.correlation), 1 - 1e-12)) - NormalDist().inv_cdf(SURE) * error
    return near > atanh(_MOST_CORRELATION)


def _correlation(sides: SideEstimates, place: int) -> tuple[float, float]:
    """Of the totals of both sides over the runs, and the mean of what the labels of each run say of it."""
    tp, fn = sides.totals[:, place, A], sides.totals[:, place, B]
    form = sides.variance[:, place]
    alone = np.sqrt(np.maximum(form[:, 0] * form[:, 2], 0))
    said = np.where(alone > 0, form[:, 1] / np.where(alone > 0, alone, 1), 0.0)
    varies = min(tp.std(), fn.std()) > 0
    return (float(np.corrcoef(tp, fn)[0, 1]) if varies else 0.0), float(said.mean())


def _means(cells: Sequence[Cell]) -> Row:
    logit = [one for one in cells if one.is_logit]
    return {
        "cells": len(cells),
        "mean coverage": _mean(one.coverage for one in cells),
        "lowest": min(one.coverage for one in cells),
        "logit cells": len(logit),
        "their lean": _mean(one.lean for one in logit),
        "V / variance": _mean(one.v_ratio for one in logit),
        "width / true": _mean(one.half_width / one.true_half_width for one in logit),
    }


def _row(one: Cell) -> Row:
    return {
        "lowest coverage": f"{one.group}: {one.population}",
        "labels": one.labels,
        "labelled": one.fraction,
        "classifier": one.classifier,
        "metric": one.metric,
        "coverage": one.coverage,
        "lean": one.lean,
        "V / variance": one.v_ratio,
        "logit part": one.logit,
    }


def _mean(values: Iterator[float]) -> float:
    found = list(values)
    return float(np.mean(found)) if found else nan


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, help=f"cycles of every population (default {RUNS}, quick {QUICK_RUNS})")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=GROUPS, help="only these")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")


if __name__ == "__main__":
    sys.exit(main("high_fractions", run, extra=_options))
