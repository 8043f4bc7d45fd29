"""What the scan promises: a multiple of the read limit, a bound on memory, time in proportion to rows."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from benchmarks.scan.population import Size
from benchmarks.scan.rounds import Timed
from benchmarks.shape import Kind, Verdict

MOST_READS: Final = 4.5
AIMED_READS: Final = 3.0
MOST_GB: Final = 1.5
MOST_GROWTH: Final = 1.15
"""Seconds a row of the largest population over those of the smallest."""
MOST_CLASSIFIERS: Final = 4.0
"""Time of twenty classifiers over that of four."""
PROMISED: Final = Size(10_000_000, 4, 0)
"""The promises are for this many classifiers, and for so many rows or more."""


def verdicts(engine: str, timed: Sequence[Timed]) -> list[Verdict]:
    """Everything that these rounds can tell. All engines must be right; how fast and how small only DuckDB is to be."""
    sizes = list(dict.fromkeys(one.size for one in timed))
    found: list[Verdict] = []
    for size in sizes:
        rounds = [one for one in timed if one.size == size]
        if engine == "duckdb":
            found += _costs(size, rounds)
        off = max(abs(one.census.value - one.read.value) for one in rounds)
        amiss = max(abs(one.quota - one.candidates.value) for one in rounds)
        found += [
            Verdict(f"rows not counted: {size}", "must", off, 0, "<="),
            Verdict(f"candidates amiss: {size}", "must", amiss, 0, "<="),
        ]
    return found + (_growth(timed, sizes) if engine == "duckdb" else [])


def _costs(size: Size, rounds: Sequence[Timed]) -> list[Verdict]:
    kind = _kind(size)
    ratio = median(one.ratio for one in rounds)
    return [
        Verdict(f"both, x read, promised: {size}", kind, ratio, MOST_READS, "<="),
        Verdict(f"both, x read, aimed at: {size}", "aim", ratio, AIMED_READS, "<="),
        Verdict(f"peak memory, GB: {size}", kind, max(one.both.peak_mb for one in rounds) / 1000, MOST_GB, "<="),
    ]


def _growth(timed: Sequence[Timed], sizes: Sequence[Size]) -> list[Verdict]:
    seconds = {size: median(one.both.seconds for one in timed if one.size == size) for size in sizes}
    found = []
    first = sizes[0]
    kind = _kind(first)
    for size in sizes[1:]:
        times = seconds[size] / seconds[first]
        if size.classifiers == first.classifiers:
            name = f"seconds a row: {size} over {first}"
            found.append(Verdict(name, kind, times * first.rows / size.rows, MOST_GROWTH, "<="))
        elif (first.classifiers, size.classifiers) == (4, 20):
            found.append(Verdict(f"seconds: {size} over {first}", kind, times, MOST_CLASSIFIERS, "<="))
    return found


def _kind(size: Size) -> Kind:
    alike = (size.classifiers, size.families) == (PROMISED.classifiers, PROMISED.families)
    return "must" if alike and size.rows >= PROMISED.rows else "aim"
