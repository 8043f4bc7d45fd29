"""Do 95% intervals hold the truth 95 times in 100, whatever the scores are like, and are they narrow?

At least twenty fixed populations and as many fresh ones, whose numbers are drawn from the seed; single classifiers
and panels; 100, 300 and 1000 labels. Some fixed ones also live through a second period, which is planned with what
the first one's labels taught, and in which none, half or three quarters of the items persist.
Everything is the product's own code, except that draws without a past are of counts instead of items.

Full run: `python -m benchmarks.coverage`, 5,000 runs a cell, about 50 minutes on two idle cores.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

import numpy as np
from rich.progress import track

from benchmarks.coverage.findings import Found, rows, verdicts
from benchmarks.coverage.panels import PANELS
from benchmarks.coverage.persistence import simulate_persisting
from benchmarks.coverage.population import Family
from benchmarks.coverage.simulation import Task, simulate
from benchmarks.coverage.singles import SINGLES
from benchmarks.shape import Options, Result, main

LABELS: Final = (100, 300, 1000)
RUNS: Final = 5000
QUICK_RUNS: Final = 40
FIXED: Final[tuple[Family, ...]] = (*SINGLES, *PANELS)
_FIXED_SEED: Final = 1934
PERSISTING: Final = {"a past": 0.0, "50% persist": 0.5, "75% persist": 0.75}
GROUPS: Final = ("fixed", "fresh", *PERSISTING)
SECOND_LABELS: Final = (300, 1000)
"""Numbers of labels that make a history."""
SECOND: Final = (
    "overconfident",
    "clustered errors",
    "hidden misses",
    "panel of four",
    "panel, rare positives",
    "panel, hard positives",
)
"""Populations that live through a second period."""


def run(options: Options) -> Result:
    """Simulate every population, a process a core."""
    runs = options.given.runs or (QUICK_RUNS if options.quick else RUNS)
    tasks = list(tasks_of(options.seed, runs, options.given.groups or GROUPS))
    found = list(track(_all(tasks, options.given.workers), "populations", len(tasks)))
    return Result(rows(found), verdicts(found))


def tasks_of(seed: int, runs: int, groups: Sequence[str]) -> Iterator[Task]:
    """Fixed populations do not depend on the seed; their draws do."""
    for number, family in enumerate(FIXED):
        for labels in LABELS:
            if "fixed" in groups:
                yield Task("fixed", family, labels, runs, (_FIXED_SEED, number), seed)
    for number, family in enumerate(FIXED):
        fresh = family.fresh(np.random.default_rng([seed, number]))
        for labels in LABELS:
            if "fresh" in groups:
                yield Task("fresh", fresh, labels, runs, (seed, number), seed)
    for group, share in PERSISTING.items():
        for number, family in enumerate(FIXED):
            for labels in SECOND_LABELS:
                if group in groups and family.name in SECOND:
                    yield Task(group, family, labels, runs, (_FIXED_SEED, number), seed, share)


def simulated(task: Task) -> Found:
    """One period, or two."""
    return simulate(task) if task.persisting is None else simulate_persisting(task)


def _all(tasks: Sequence[Task], workers: int) -> Iterable[Found]:
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(simulated, tasks)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, help=f"cycles of every population (default {RUNS}, quick {QUICK_RUNS})")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, help="only these")


if __name__ == "__main__":
    sys.exit(main("coverage", run, extra=_options))
