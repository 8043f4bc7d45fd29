"""How many labels does the product need for its goals, and how good are its estimates with a given number?

Part "weekly": worlds that are watched for a year (precision +-3 points, recall +-5, for every classifier) against
plain sampling, a published algorithm and the optimum. Part "real": data sets in --data against other libraries.

The full run takes about half an hour on two idle cores:

    python -m benchmarks.labels --data DIR --json labels.json

DIR holds adult_income.parquet and sms_spam.parquet: columns item_id, label, score_NAME, pred_NAME. The libraries are
installed by whoever wants to see them, beside the project and not into it (PYTHONPATH=PEERS):

    pip install --target PEERS --no-deps --ignore-requires-python glide-py ssepy ppi-python oasis svy svy-rs svy-io \
        numba llvmlite statsmodels patsy tables numexpr blosc2 ndindex py-cpuinfo msgspec treelib
    pip install --target PEERS --no-deps git+https://github.com/ngmarchant/activeeval

Sudden breaks, with variances borrowed and by labels alone: --drift, over an hour; with --chains 12 a quarter of one.

Fresh worlds and fresh draws: --seed random; the worlds 9001 to 9004: --seed 9000. One part only: --part weekly, --part
real. Some worlds only: --worlds "K = 4". Fewer rounds a week than the usual ones: --rounds 2. A minute: --quick,
which shows that everything runs and decides nothing: a few weeks cannot break a promise, so every must is an aim there.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.labels import drift, real, weekly
from benchmarks.shape import Options, Result, main

_PARTS = {"weekly": weekly.run, "real": real.run}


def run(options: Options) -> Result:
    """The parts that were asked for, one after the other."""
    parts = [part for name, part in _PARTS.items() if options.given.part in (name, None)]
    results = [part(options) for part in ([drift.run] if options.given.drift else parts)]
    verdicts = [verdict for one in results for verdict in one.verdicts]
    if options.quick:
        verdicts = [replace(verdict, kind="aim") for verdict in verdicts]
    return Result([row for one in results for row in one.rows], verdicts)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--part", choices=list(_PARTS), help="only this part")
    parser.add_argument("--worlds", nargs="+", choices=weekly.NAMES, help="only these of the weekly worlds")
    parser.add_argument("--rounds", type=int, choices=(1, 2, 3), help="most rounds a week (default: as a panel has)")
    parser.add_argument("--drift", action="store_true", help="sudden breaks instead: hours, --quick minutes")
    parser.add_argument("--chains", type=int, help="chains of weeks a world of --drift (default 100)")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")
    parser.add_argument("--repetitions", type=int, help=f"draws of the real data (default {real.REPETITIONS})")


def labels(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("labels", run, argv, _arguments)


if __name__ == "__main__":
    sys.exit(labels())
