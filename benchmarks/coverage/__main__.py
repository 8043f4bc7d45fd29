"""Do 95% intervals hold the truth 95 times in 100, whatever the scores are like, and are they narrow?

At least twenty fixed populations and as many fresh ones, whose numbers are drawn from the seed; single classifiers
and panels; 100, 300 and 1000 labels. Some fixed ones also live through a second period, which is planned with what
the first one's labels taught, and in which none, half or three quarters of the items persist.
Everything is the product's own code, except that draws without a past are of counts instead of items. Where the logit
rule reigns, both tails and the lean of values are judged too, all cells of a metric together.

Full run: `python -m benchmarks.coverage`, 5,000 runs a cell, about 50 minutes on two idle cores.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from rich.progress import track

from benchmarks.coverage.findings import Found, rows, verdicts
from benchmarks.coverage.simulation import Task
from benchmarks.coverage.tasks import GROUPS, simulated, tasks_of
from benchmarks.shape import Options, Result, main

RUNS: Final = 5000
QUICK_RUNS: Final = 30


def run(options: Options) -> Result:
    """Simulate every population, a process a core."""
    runs = options.given.runs or (QUICK_RUNS if options.quick else RUNS)
    tasks = list(tasks_of(options.seed, runs, options.given.groups or GROUPS))
    found = list(track(_all(tasks, options.given.workers), "populations", len(tasks)))
    return Result(rows(found), verdicts(found))


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
