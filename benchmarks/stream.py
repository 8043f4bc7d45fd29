"""`python -m benchmarks.stream --data DIR [--streams N]`: a real stream that drifts, watched by the installed engine.

`elec2_stream.parquet` in DIR has the labels and six classifiers' predictions of fourteen periods. Each period is a
window of one panel, with predictions in Parquet, a store and a folder of labels; people answer with the truth. Floors
lie five points below the values of the first three periods. Recall falls in period 3 and is to be paged by period 4;
precision rises, and is to be left alone until it truly falls in period 7. Every stream has random numbers of its own.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from benchmarks.shape import Options, Result, Row, Verdict, main
from benchmarks.stream_installation import Periods, Stream, paged_in, play

FILE: Final = "elec2_stream.parquet"
STREAMS, QUICK_STREAMS = 5, 1
LATEST: Final = 4
"""The period in which the fall of recall has to be paged at the latest."""
NEVER: Final = 99
_NONE: Final = "none"
FALLS: Final = {"recall": 3, "precision": 7}
"""The period in which each metric falls below its floors."""


def run(options: Options) -> Result:
    """Every stream, from the first period to the one after precision fell, or to the last."""
    if options.data is None:
        return Result([{"state": "not run: no --data DIR"}])
    if not (options.data / FILE).exists():
        return Result([{"data": FILE, "state": "not found in --data"}])
    periods = Periods.of(options.data / FILE)
    number = FALLS["precision"] + 1 if options.quick else len(periods)
    draws = np.random.default_rng(options.seed)
    rows: list[Row] = []
    for _ in range(QUICK_STREAMS if options.quick else options.given.streams):
        seed = int(draws.integers(2**31))
        with TemporaryDirectory() as folder:
            paged = paged_in(play(Path(folder), periods, number, seed, options.given.budget))
        rows += [row for metric in FALLS for row in _rows(periods, metric, seed, paged, number)]
    return Result(rows, list(_verdicts(rows)))


def _rows(
    periods: Periods, metric: str, seed: int, paged: Mapping[Stream, Sequence[int]], number: int
) -> Iterator[Row]:
    for classifier in periods.classifiers:
        values, floor = periods.values(classifier, metric), periods.floor(classifier, metric)
        yield {
            "seed": seed,
            "metric": metric,
            "classifier": classifier,
            "floor": round(floor, 3),
            "below it in": _numbers([period for period in range(number) if values[period] < floor]),
            "paged in": _numbers(paged.get((classifier, metric), ())),
        }


def _numbers(periods: Sequence[int]) -> str:
    return " ".join(map(str, periods)) or _NONE


def _verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The worst of all streams."""
    precision, recall = ([row for row in rows if row["metric"] == metric] for metric in ("precision", "recall"))
    early = sum(period < FALLS["precision"] for row in precision for period in _periods(row, "paged in"))
    yield Verdict(f"pages of precision before period {FALLS['precision']}", "must", early, 0, "<=")
    first: dict[object, list[int]] = {}
    for row in recall:
        paged = (period for period in _periods(row, "paged in") if period >= FALLS["recall"])
        first.setdefault(row["seed"], []).append(min(paged, default=NEVER))
    latest = max(min(periods) for periods in first.values())
    yield Verdict("period in which the fall of recall is paged, the latest stream", "must", latest, LATEST, "<=")
    share = sum(period <= LATEST for periods in first.values() for period in periods) / len(recall)
    yield Verdict(f"classifiers whose fall of recall is paged by period {LATEST}", "aim", share, 1.0, ">=")
    false = sum(len(_inside(row)) for row in rows)
    yield Verdict("pages of a metric inside its floor, in that period and the one before", "aim", false, 0, "<=")


def _inside(row: Row) -> list[int]:
    """The pages that came while the metric had kept its floor for two periods."""
    below = _periods(row, "below it in")
    return [period for period in _periods(row, "paged in") if not {period, period - 1} & set(below)]


def _periods(row: Row, column: str) -> list[int]:
    return [int(one) for one in str(row[column]).split() if one != _NONE]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--streams", type=int, default=STREAMS, help=f"streams with a seed of their own ({STREAMS})")
    parser.add_argument("--budget", type=int, default=300, help="labels a period (300)")


if __name__ == "__main__":
    sys.exit(main("stream", run, None, _arguments))
