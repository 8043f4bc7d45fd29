"""From the census query's groups to the census and the profile of the input."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import numpy as np

from stratawatch.adapters.sources import packed_codes
from stratawatch.adapters.sources.census_groups import Column, Groups
from stratawatch.adapters.sources.column_types import kind_of, roles
from stratawatch.adapters.sources.ranges import Extremes
from stratawatch.core.cells import Flags
from stratawatch.core.population import Census, Counts, Segment
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import InputRefused

_BIN_BITS: Final = 11
"""Bins begin at -1, and there are fewer than 2^11."""
MOST_SEGMENT_VALUES: Final = 1000
"""More values than this make a column an identifier, not a segment."""

LEAST_PRINT: Final = 20
"""Fewer counts than these could be equal in two windows by chance, and get no fingerprint."""


@dataclass
class CensusCounts:
    """Takes groups in while they stream; asked for a census, puts them together."""

    panel: PanelSpec
    types: Mapping[str, str] = field(default_factory=dict)
    _parts: list[Groups] = field(default_factory=list)
    _values: dict[int, set[str]] = field(default_factory=dict)
    _extremes: Extremes = field(init=False)
    _counted: Census | None = None

    def __post_init__(self) -> None:
        self._extremes = Extremes(self.panel)
        self.add_counts([[]] * self._counts)

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add groups: words, bin, segment number, segment value, items, first time, last time, extremes of scores."""
        if rows:
            pattern, number = self._pattern_words, self._pattern_words + self._mark_words + 1
            self.add_counts(list(zip(*(row[: self._counts] for row in rows), strict=True)))
            self.add_ranges([row[pattern : number - 1] + row[self._counts :] for row in rows if row[number] == 0])

    def add_counts(self, columns: Sequence[Column]) -> None:
        """Add groups by column: words, bin, segment number, segment value, items."""
        groups = Groups.of(columns, self._pattern_words, self._mark_words)
        self._parts.append(groups)
        self._counted = None
        for number in np.unique(groups.numbers[groups.numbers > 0]).tolist():
            self._note(number, groups.values[groups.sound & (groups.numbers == number)])

    def add_ranges(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add, of groups of the whole window: words of their marks, first time, last time, extremes of scores."""
        self._extremes.add(rows)

    def census(self) -> Census:
        """The counts per (pattern, bin), sorted, and aligned counts of every segment."""
        if self._counted is None:
            groups = self._groups()
            self._counted = self._put_together(groups.where(groups.sound))
        return self._counted

    def profile(self) -> InputProfile:
        """The input in one row; bad rows are counted in `rows` too."""
        groups = self._groups()
        groups = groups.where(groups.numbers == 0)

        def marked(place: int, code: int) -> int:
            return _sum(groups, packed_codes.code(groups.marked, place) == code)

        by_arrival = self.panel.columns.ingested is not None
        return InputProfile(
            rows=int(groups.items.sum()),
            bad_rows=_sum(groups, ~groups.sound),
            null_items=marked(0, packed_codes.BAD),
            null_times=marked(1, packed_codes.BAD),
            late=marked(1, packed_codes.LATE) if by_arrival else None,
            early=marked(1, packed_codes.EARLY) if by_arrival else None,
            repeated=marked(0, packed_codes.REPEATED) if self.panel.duplicates == "latest" else None,
            first_time=self._extremes.first,
            last_time=self._extremes.last,
            columns={one.name: _told_of(groups, i) for i, one in enumerate(self.panel.classifiers)},
            ranges=self._extremes.ranges(readable=True),
            unreadable=self._extremes.ranges(readable=False),
            kinds={name: kind_of(self.types[name]) for name in self._told() if name in self.types},
            fingerprint=_fingerprint(self.census()),
        )

    @property
    def _pattern_words(self) -> int:
        """How many words the pattern has."""
        return packed_codes.count(self._letters)

    @property
    def _mark_words(self) -> int:
        """How many words the marks have."""
        return packed_codes.count(packed_codes.ROW_MARKS + len(self.panel.classifiers))

    @property
    def _counts(self) -> int:
        """How many columns of a group say which it is and how many items it has."""
        return self._pattern_words + self._mark_words + 4

    @property
    def _letters(self) -> int:
        return len(self.panel.classifiers) + len(self.panel.auxiliary)

    def _groups(self) -> Groups:
        self._parts = [Groups.joined(self._parts)]
        return self._parts[0]

    def _put_together(self, groups: Groups) -> Census:
        patterns, place = packed_codes.patterns(groups.said, self._letters)
        keys, cell = np.unique((place << _BIN_BITS) + groups.bins + 1, return_inverse=True)
        whole = groups.numbers == 0
        return Census(
            classifiers=tuple(one.name for one in self.panel.classifiers),
            patterns=tuple(patterns[one] for one in (keys >> _BIN_BITS).tolist()),
            bins=keys % 2**_BIN_BITS - 1,
            counts=_added(cell[whole], groups.items[whole], len(keys)),
            auxiliary=tuple(one.name for one in self.panel.auxiliary),
            segments=dict(sorted(self._segments(groups, cell, len(keys)))),
        )

    def _segments(self, groups: Groups, cell: Counts, cells: int) -> Iterator[tuple[Segment, Counts]]:
        for number, column in enumerate(self.panel.columns.segments, 1):
            rows = np.flatnonzero((groups.numbers == number) & (groups.values != None))  # noqa: E711 - row by row
            places: dict[str, int] = {}
            place = np.array([places.setdefault(one, len(places)) for one in groups.values[rows]], dtype=np.int64)
            rows = rows[np.argsort(place, kind="stable")]
            ends = np.bincount(place, minlength=len(places)).cumsum()[:-1]
            for value, of in zip(places, np.split(rows, ends) if places else (), strict=True):
                yield Segment(column, value), _added(cell[of], groups.items[of], cells)

    def _note(self, number: int, values: Iterable[str | None]) -> None:
        """See to it that a segment column has few values, while there is little of it."""
        seen = self._values.setdefault(number, set())
        seen.update(one for one in values if one is not None)
        if len(seen) > MOST_SEGMENT_VALUES:
            raise InputRefused(
                f"segment column '{self.panel.columns.segments[number - 1]}' has too many values to report on",
                expected=f"at most {MOST_SEGMENT_VALUES}",
                hint="name a column of few values, such as a language or a country",
            )

    def _told(self) -> Iterable[str]:
        """The columns whose kind of value decides what is counted or drawn."""
        return (name for name, _, _ in roles(self.panel) if name not in self.panel.columns.payload)


def _told_of(groups: Groups, classifier: int) -> dict[str, int]:
    """What a classifier said, and of what kind its scores were."""
    letters, marks = (
        packed_codes.code(groups.said, classifier),
        packed_codes.code(groups.marked, packed_codes.ROW_MARKS + classifier),
    )
    return {
        "nulls": _sum(groups, letters == packed_codes.SILENT),
        "invalid": _sum(groups, letters == packed_codes.BAD),
        "positives": _sum(groups, letters == packed_codes.YES),
        "score_nulls": _sum(groups, marks == packed_codes.NULL),
        "score_invalid": _sum(groups, marks == packed_codes.BAD),
    }


def _sum(groups: Groups, rows: Flags) -> int:
    return int(groups.items[rows].sum())


def _added(place: Counts, items: Counts, places: int) -> Counts:
    """The items of every place; exact, because they are fewer than 2^53."""
    return np.bincount(place, weights=items, minlength=places).astype(np.int64)


def _fingerprint(census: Census) -> str:
    """Stands for all counts at once; only the same rows, or the same scores, have it again."""
    if len(census.patterns) < LEAST_PRINT:
        return ""
    print_ = sha256(" ".join(census.patterns).encode())
    for column in (census.bins, census.counts):
        print_.update(column.astype("<i8").tobytes())
    return print_.hexdigest()
