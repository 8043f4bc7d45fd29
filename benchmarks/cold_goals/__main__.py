"""How many labels do goals take where nothing is known yet, and do they hold?

Twelve fixed populations and as many whose numbers are drawn from the seed: panels of one to six classifiers, one to
thirty percent of positives, scores that rank and scores that say nothing or the opposite. Each lives through its first
cycle again and again, with goals in the place of a budget; and with budgets, planned and read the same way, until the
smallest is known that holds all goals in 90% of the runs. No rule knows that number before it has any label; what goals
take should come near it. Everything but the draws is the product's own code.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Final

from rich.progress import track

from benchmarks.cold_goals.cycles import Found, find
from benchmarks.cold_goals.findings import rows, verdicts
from benchmarks.cold_goals.worlds import GROUPS, World, worlds
from benchmarks.shape import Options, Result, main

RUNS: Final = 300
QUICK_RUNS: Final = 20


def run(options: Options) -> Result:
    """Every population, a process a core; in short only the fixed ones."""
    runs = options.given.runs or (QUICK_RUNS if options.quick else RUNS)
    groups = options.given.groups or (GROUPS[:1] if options.quick else GROUPS)
    found = list(_all(list(worlds(options.seed, groups)), options.seed, runs, options.given.workers))
    return Result(rows(found), verdicts(found))


def _all(asked: Sequence[World], seed: int, runs: int, workers: int) -> Iterable[Found]:
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from track(pool.map(partial(find, seed=seed, runs=runs), asked), "populations", len(asked))


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, help=f"cycles of every population (default {RUNS}, quick {QUICK_RUNS})")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, help="only these")


if __name__ == "__main__":
    sys.exit(main("cold_goals", run, extra=_options))
