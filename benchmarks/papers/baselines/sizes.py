"""How large a run is."""

from typing import Final

from benchmarks.shape import Options

RUNS: Final = 1500
"""Data sets of every world."""
QUICK_RUNS: Final = 25
ALARM_RUNS: Final = 20_000
"""Streams with a baseline each."""
QUICK_ALARM_RUNS: Final = 4000


def runs_of(options: Options) -> int:
    """As many data sets as asked for."""
    asked: int | None = options.given.runs
    return asked or (QUICK_RUNS if options.quick else RUNS)


def alarm_runs_of(options: Options) -> int:
    """They cost nothing, and never need be few."""
    return QUICK_ALARM_RUNS if options.quick else ALARM_RUNS
