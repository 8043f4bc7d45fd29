"""Forecasts of half-widths, held against what came.

`python -m benchmarks.forecasts [--runs N] [--weeks N]` forecasts first and second cycles on the populations of the
coverage benchmark and on as many with fresh numbers, where none, half or three quarters of the items persist, and weeks
of the worlds of the labels benchmark, with a budget and for goals. Then the cycles are run. A cell is a metric of one
classifier in one cycle: does its half-width lie in the range that was forecast, and how wide is that, as a part of its
middle? And forecasts are compared with one another over ten budgets: a step is "worse" where any half-width, or an end
of its range, grows with more labels.
"""

import argparse
from dataclasses import fields

import numpy as np

from benchmarks.forecasts.cells import Cell, median_spread, rows, share_held
from benchmarks.forecasts.coherence import Coherence, coherence
from benchmarks.forecasts.periods import first_cycles, places, second_cycles
from benchmarks.forecasts.weeks import CHAINS, Asked, weeks
from benchmarks.shape import Kind, Options, Result, Row, Verdict, main

RUNS, QUICK_RUNS = 3, 1
WEEKS, QUICK_WEEKS = 7, 3


def run(options: Options) -> Result:
    """All cycles, and the comparison of forecasts."""
    runs = QUICK_RUNS if options.quick else options.given.runs
    everywhere = list(places(options.seed))
    some = everywhere[:: 4 if options.quick else 1]
    first = [cell for place in everywhere for cell in first_cycles(place, options.seed, runs)]
    second = [cell for place in some for cell in second_cycles(place, options.seed, max(runs // 3, 1))]
    number = QUICK_WEEKS if options.quick else options.given.weeks
    watched = [week for chain in CHAINS for week in weeks(chain, options.seed, number)]
    weekly = [cell for _, cells in watched for cell in cells]
    fixed = [place for place in some if place.kind == "fixed"]
    among = {None: some, 0.5: fixed}
    found = {share: [coherence(place, options.seed, share) for place in few] for share, few in among.items()}
    compared = [one for several in found.values() for one in several]
    verdicts = [
        *_verdicts("first cycles", first, "aim"),
        *_verdicts("second cycles", second, "must" if not options.quick else "aim"),
        *_verdicts("weeks", weekly, "must" if not options.quick else "aim"),
        Verdict("steps to more labels that look worse", "must", sum(one.worse for one in compared), 0, "<="),
        Verdict("goals that need more alone", "must", sum(one.need_more for one in compared), 0, "<="),
    ]
    return Result([*rows([*first, *second, *weekly]), *_asked(watched), *map(_coherence, found.items())], verdicts)


def _verdicts(name: str, cells: list[Cell], narrow: Kind) -> list[Verdict]:
    """What came lies in the range in four of five cells; half of the ranges are narrow, where there is a history."""
    return [
        Verdict(f"{name}: range holds what came", "must", share_held(cells), 0.80, ">="),
        Verdict(f"{name}: range, give or take, median", narrow, median_spread(cells), 0.15, "<="),
    ]


def _asked(watched: list[tuple[Asked, list[Cell]]]) -> list[Row]:
    """How many labels weeks for goals were expected to ask for, and how many they did."""
    found: list[Row] = []
    for chain in CHAINS:
        asked = [one for one, _ in watched if one.watched == chain]
        if chain.budget is None and asked:
            ratios = [one.came / max(one.expected, 1) for one in asked]
            found.append(
                {
                    "weeks for goals": f"{chain.kind.name}, {chain.persisting:.0%} persist",
                    "expected": float(np.mean([one.expected for one in asked])),
                    "asked": float(np.mean([one.came for one in asked])),
                    "asked/expected, 10%": float(np.quantile(ratios, 0.1)),
                    "90%": float(np.quantile(ratios, 0.9)),
                }
            )
    return found


def _coherence(compared: tuple[float | None, list[Coherence]]) -> Row:
    share, found = compared
    return {
        "forecasts of": "first cycles" if share is None else f"second cycles, {share:.0%} persist",
        "populations": len(found),
        **{one.name.replace("_", " "): sum(getattr(each, one.name) for each in found) for one in fields(Coherence)},
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=RUNS, help="first cycles of each population and number of labels")
    parser.add_argument("--weeks", type=int, default=WEEKS, help="weeks of each chain")


if __name__ == "__main__":
    raise SystemExit(main("forecasts", run, extra=_arguments))
