"""From the census query's groups to the census and the profile of the input."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.column_types import kind_of, roles
from stratawatch.adapters.sources.window_times import EARLY, LATE
from stratawatch.core.population import POSITIVE, UNSCORED, Census, Segment
from stratawatch.engine.records import PanelSpec, Profile
from stratawatch.errors import InputRefused

UNREADABLE: Final = "!"
_ROW_MARKS: Final = 2  # the first two marks are the item's and the time's
_REPEATED: Final = "r"
_READABLE: Final = "v"
MOST_SEGMENT_VALUES: Final = 1000
"""More values than this make a column an identifier, not a segment."""

LEAST_PRINT: Final = 20
"""Fewer counts than these could be equal in two windows by chance, and get no fingerprint."""

Cell = tuple[str, int]


@dataclass
class CensusCounts:
    """Adds the groups up while they stream in."""

    panel: PanelSpec
    types: Mapping[str, str] = field(default_factory=dict)
    cells: Counter[Cell] = field(default_factory=Counter)
    segments: dict[Segment, Counter[Cell]] = field(default_factory=dict)
    values: Counter[str] = field(default_factory=Counter)
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    extremes: dict[tuple[int, str], tuple[float, float]] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None
    _sorted: list[tuple[Cell, int]] = field(default_factory=list)

    def add(self, groups: Iterable[tuple[Any, ...]]) -> None:
        """Add groups (pattern, marks, bin, segment number, segment value, items, first time, last time, extremes)."""
        self._sorted = []
        told: dict[str, list[list[float | None]]] = {}
        for pattern, marks, bin_, number, value, items, first, last, *extremes in groups:
            self._count(pattern, marks, bin_, number, value, items)
            if number == 0:
                self._see(first, last)
                told.setdefault(marks, []).append(extremes)
        for marks, many in told.items():
            for extremes in many if UNREADABLE in marks else [_outermost(many)]:
                self._reach(marks, extremes)

    def add_counts(self, groups: Iterable[tuple[Any, ...]]) -> None:
        """Add groups without times and extremes."""
        self._sorted = []
        for group in groups:
            self._count(*group)

    def add_ranges(self, groups: Iterable[tuple[Any, ...]]) -> None:
        """Add times and extremes (marks, first time, last time, extremes)."""
        for marks, first, last, *extremes in groups:
            self._see(first, last)
            self._reach(marks, extremes)

    def census(self) -> Census:
        """The counts per (pattern, bin), sorted, and aligned counts of every segment."""
        counted = self._in_order()
        cells = [cell for cell, _ in counted]
        return Census(
            classifiers=tuple(one.name for one in self.panel.classifiers),
            patterns=tuple(pattern for pattern, _ in cells),
            bins=np.array([bin_ for _, bin_ in cells], dtype=np.int64),
            counts=np.array([items for _, items in counted], dtype=np.int64),
            auxiliary=tuple(one.name for one in self.panel.auxiliary),
            segments={
                segment: np.array([self.segments[segment][cell] for cell in cells], dtype=np.int64)
                for segment in sorted(self.segments)
            },
        )

    def profile(self) -> Profile:
        """The input in one row; bad rows are counted in `rows` too."""
        bad = sum(n for (pattern, marks), n in self.statuses.items() if UNREADABLE in pattern + marks)
        by_arrival = self.panel.columns.ingested is not None
        return Profile(
            rows=sum(self.statuses.values()),
            bad_rows=bad,
            null_items=self._marked(0, UNREADABLE),
            null_times=self._marked(1, UNREADABLE),
            late=self._marked(1, LATE) if by_arrival else None,
            early=self._marked(1, EARLY) if by_arrival else None,
            repeated=self._marked(0, _REPEATED) if self.panel.duplicates == "latest" else None,
            first_time=self.first,
            last_time=self.last,
            columns=self._columns(),
            ranges=self._ranges(_READABLE),
            unreadable=self._ranges(UNREADABLE),
            kinds={name: kind_of(self.types[name]) for name in self._told() if name in self.types},
            fingerprint=self._fingerprint(),
        )

    def _count(self, pattern: str, marks: str, bin_: int, number: int, value: str | None, items: int) -> None:
        sound = UNREADABLE not in pattern and UNREADABLE not in marks
        if number == 0:
            self.statuses[pattern, marks] += items
            if sound:
                self.cells[pattern, bin_] += items
        elif value is not None and sound:
            self._segment(self.panel.columns.segments[number - 1], value)[pattern, bin_] += items

    def _marked(self, place: int, mark: str) -> int:
        return sum(n for (_, marks), n in self.statuses.items() if marks[place] == mark)

    def _ranges(self, mark: str) -> dict[str, tuple[float, ...]]:
        named = enumerate(self.panel.classifiers)
        found = {one.name: self.extremes.get((i, mark), (math.nan, math.nan)) for i, one in named}
        return {name: extremes for name, extremes in found.items() if all(map(math.isfinite, extremes))}

    def _told(self) -> Iterable[str]:
        """The columns whose kind of value decides what is counted or drawn."""
        return (name for name, _, _ in roles(self.panel) if name not in self.panel.columns.payload)

    def _fingerprint(self) -> str:
        """Stands for all counts at once; only the same rows, or the same scores, have it again."""
        if len(self.cells) < LEAST_PRINT:
            return ""
        return sha256(repr(self._in_order()).encode()).hexdigest()

    def _in_order(self) -> list[tuple[Cell, int]]:
        """The cells by pattern and bin; sorted once, because there may be hundreds of thousands."""
        if not self._sorted:
            self._sorted = sorted(self.cells.items())
        return self._sorted

    def _columns(self) -> dict[str, dict[str, int]]:
        """What every classifier said, and of what kind its scores were."""
        rows = np.array(list(self.statuses.values()), dtype=np.int64)
        many, all_ = len(self.panel.classifiers), len(self.panel.classifiers) + len(self.panel.auxiliary)
        letters = _characters([pattern for pattern, _ in self.statuses], all_)
        marks = _characters([marks[_ROW_MARKS:] for _, marks in self.statuses], many)

        def number(characters: NDArray[np.uint8], position: int, which: str) -> int:
            return int(rows[characters[:, position] == ord(which)].sum())

        return {
            one.name: {
                "nulls": number(letters, i, UNSCORED),
                "invalid": number(letters, i, UNREADABLE),
                "positives": number(letters, i, POSITIVE),
                "score_nulls": number(marks, i, UNSCORED),
                "score_invalid": number(marks, i, UNREADABLE),
            }
            for i, one in enumerate(self.panel.classifiers)
        }

    def _segment(self, column: str, value: str) -> Counter[Cell]:
        segment = Segment(column, value)
        if segment not in self.segments:
            self.values[column] += 1
            if self.values[column] > MOST_SEGMENT_VALUES:
                raise InputRefused(
                    f"segment column '{column}' has too many values to report on",
                    expected=f"at most {MOST_SEGMENT_VALUES}",
                    hint="name a column of few values, such as a language or a country",
                )
            self.segments[segment] = Counter()
        return self.segments[segment]

    def _reach(self, marks: str, extremes: Sequence[float | None]) -> None:
        """Widen the range of every classifier's scores; beside NaN and the infinities none can be told."""
        scoring = [i for i, one in enumerate(self.panel.classifiers) if one.score is not None]
        for place, i in enumerate(scoring):
            key, ends = (i, marks[_ROW_MARKS + i]), extremes[2 * place : 2 * place + 2]
            low, high = self.extremes.get(key, (math.inf, -math.inf))
            found = [one for one in ends if one is not None and not low <= one <= high]
            if found:  # the first few of very many groups have nearly all there is to find
                self.extremes[key] = (low, high) if math.isnan(low) else _widened((low, high), found)

    def _see(self, first: datetime | None, last: datetime | None) -> None:
        if first is not None:
            first = first.replace(tzinfo=UTC)
            self.first = first if self.first is None else min(self.first, first)
        if last is not None:
            last = last.replace(tzinfo=UTC)
            self.last = last if self.last is None else max(self.last, last)


def _outermost(many: Sequence[Sequence[float | None]]) -> list[float | None]:
    """The extremes of all groups, of scores that are finite or not there: hundreds of thousands, column by column."""
    table = np.array(many, dtype=np.float64)
    found = np.empty(table.shape[1])
    found[::2], found[1::2] = np.fmin.reduce(table[:, ::2]), np.fmax.reduce(table[:, 1::2])
    return [None if math.isnan(one) else float(one) for one in found]


def _characters(texts: Sequence[str], width: int) -> NDArray[np.uint8]:
    """Texts of one width as rows of their characters, all of them ASCII."""
    return np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8).reshape(len(texts), width)


def _widened(extremes: tuple[float, float], found: Sequence[float]) -> tuple[float, float]:
    if not all(map(math.isfinite, found)):
        return (math.nan, math.nan)
    return min(extremes[0], *found), max(extremes[1], *found)
