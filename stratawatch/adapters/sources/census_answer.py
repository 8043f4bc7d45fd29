"""From the census query's groups to the census and the profile of the input."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from stratawatch.core.population import POSITIVE, UNSCORED, Census, Segment
from stratawatch.engine.records import PanelSpec, Profile
from stratawatch.errors import InputRefused

UNREADABLE: Final = "!"
_ROW_MARKS: Final = 2  # the first two marks are the item's and the time's
MOST_SEGMENT_VALUES: Final = 1000
"""More values than this make a column an identifier, not a segment."""

Cell = tuple[str, int]


@dataclass
class CensusCounts:
    """Adds the groups up while they stream in."""

    panel: PanelSpec
    cells: Counter[Cell] = field(default_factory=Counter)
    segments: dict[Segment, Counter[Cell]] = field(default_factory=dict)
    values: Counter[str] = field(default_factory=Counter)
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None

    def add(self, groups: Iterable[tuple[Any, ...]]) -> None:
        """Add groups (pattern, marks, bin, segment number, segment value, items, first time, last time)."""
        for pattern, marks, bin_, number, value, items, first, last in groups:
            if number == 0:
                self.statuses[pattern, marks] += items
                self._see(first, last)
                if UNREADABLE not in pattern + marks:
                    self.cells[pattern, bin_] += items
            elif value is not None and UNREADABLE not in pattern + marks:
                self._segment(self.panel.columns.segments[number - 1], value)[pattern, bin_] += items

    def census(self) -> Census:
        """The counts per (pattern, bin), sorted, and aligned counts of every segment."""
        cells = sorted(self.cells)
        return Census(
            classifiers=tuple(one.name for one in self.panel.classifiers),
            patterns=tuple(pattern for pattern, _ in cells),
            bins=np.array([bin_ for _, bin_ in cells], dtype=np.int64),
            counts=np.array([self.cells[cell] for cell in cells], dtype=np.int64),
            auxiliary=tuple(one.name for one in self.panel.auxiliary),
            segments={
                segment: np.array([self.segments[segment][cell] for cell in cells], dtype=np.int64)
                for segment in sorted(self.segments)
            },
        )

    def profile(self) -> Profile:
        """The input in one row; bad rows are counted in `rows` too."""
        bad = sum(n for (pattern, marks), n in self.statuses.items() if UNREADABLE in pattern + marks)
        return Profile(
            rows=sum(self.statuses.values()),
            bad_rows=bad,
            null_items=sum(n for (_, marks), n in self.statuses.items() if marks[0] == UNREADABLE),
            first_time=self.first,
            last_time=self.last,
            columns={one.name: self._column(i) for i, one in enumerate(self.panel.classifiers)},
        )

    def _column(self, position: int) -> dict[str, int]:
        calls: Counter[str] = Counter()
        scores: Counter[str] = Counter()
        for (pattern, marks), n in self.statuses.items():
            calls[pattern[position]] += n
            scores[marks[_ROW_MARKS + position]] += n
        return {
            "nulls": calls[UNSCORED],
            "invalid": calls[UNREADABLE],
            "positives": calls[POSITIVE],
            "score_nulls": scores[UNSCORED],
            "score_invalid": scores[UNREADABLE],
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

    def _see(self, first: datetime | None, last: datetime | None) -> None:
        if first is not None:
            first = first.replace(tzinfo=UTC)
            self.first = first if self.first is None else min(self.first, first)
        if last is not None:
            last = last.replace(tzinfo=UTC)
            self.last = last if self.last is None else max(self.last, last)
