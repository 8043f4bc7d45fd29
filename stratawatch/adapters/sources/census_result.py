"""From the rows of the census query to the census and the profile of the input."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import numpy as np

from stratawatch.adapters.sources import packed_codes
from stratawatch.adapters.sources.census_groups import CensusGroups, Column
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.ranges import InputRanges
from stratawatch.core.cells import Flags
from stratawatch.core.population import Census, Counts, Segment
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import InputRefused

# Bins begin at -1, and there are fewer than 2^11.
_BIN_BITS: Final = 11
MOST_SEGMENT_VALUES: Final = 1000
"""A column of more values than this is an identifier, not a segment."""

MIN_FINGERPRINT_CELLS: Final = 20
"""Fewer counts than these could be equal in two windows by chance, and get no fingerprint."""


@dataclass
class CensusCounts:
    """Takes groups in while they stream; makes a census and a profile of them afterwards."""

    panel: PanelSpec
    types: Mapping[str, str] = field(default_factory=dict)
    _parts: list[CensusGroups] = field(default_factory=list)
    _segment_values: dict[int, set[str]] = field(default_factory=dict)
    _ranges: InputRanges = field(init=False)
    _census: Census | None = None

    def __post_init__(self) -> None:
        """Count the words of calls and of flags, and the columns before the ranges: which group it is, its items."""
        self._scorers = len(self.panel.classifiers) + len(self.panel.auxiliary)
        self._call_words = packed_codes.word_count(self._scorers)
        self._flag_words = packed_codes.word_count(packed_codes.ROW_FLAGS + len(self.panel.classifiers))
        self._count_columns = self._call_words + self._flag_words + 4
        self._ranges = InputRanges(self.panel)
        self.add_counts([[]] * self._count_columns)

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add groups: words, bin, segment number, segment value, items, first time, last time, ends of scores."""
        if rows:
            calls, words = self._call_words, self._call_words + self._flag_words
            segment_number = words + 1
            self.add_counts(list(zip(*(row[: self._count_columns] for row in rows), strict=True)))
            whole = [row for row in rows if row[segment_number] == 0]
            self.add_ranges([row[calls:words] + row[self._count_columns :] for row in whole])

    def add_counts(self, columns: Sequence[Column]) -> None:
        """Add groups by column: words, bin, segment number, segment value, items."""
        groups = CensusGroups.from_columns(columns, self._call_words, self._flag_words)
        self._parts.append(groups)
        self._census = None
        for number in np.unique(groups.segment_numbers[groups.segment_numbers > 0]).tolist():
            values = groups.segment_values[groups.is_valid & (groups.segment_numbers == number)]
            self._require_few_values(number, values)

    def add_ranges(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add, of groups of the whole window: words of their flags, first time, last time, ends of scores."""
        self._ranges.add(rows)

    def census(self) -> Census:
        """The counts per (pattern, bin), sorted, and aligned counts of every segment."""
        if self._census is None:
            groups = self._groups()
            self._census = self._assemble(groups.where(groups.is_valid))
        return self._census

    def profile(self) -> InputProfile:
        """The input in one row; bad rows are counted in `rows` too."""
        groups = self._groups()
        groups = groups.where(groups.segment_numbers == 0)

        def flagged(place: int, code: int) -> int:
            return _sum(groups, packed_codes.code_at(groups.flags, place) == code)

        by_arrival = self.panel.columns.ingested is not None
        return InputProfile(
            rows=int(groups.items.sum()),
            bad_rows=_sum(groups, ~groups.is_valid),
            null_items=flagged(0, packed_codes.INVALID),
            null_times=flagged(1, packed_codes.INVALID),
            late=flagged(1, packed_codes.LATE) if by_arrival else None,
            early=flagged(1, packed_codes.EARLY) if by_arrival else None,
            repeated=flagged(0, packed_codes.REPEATED) if self.panel.duplicates == "latest" else None,
            first_time=self._ranges.first,
            last_time=self._ranges.last,
            columns={one.name: _classifier_counts(groups, i) for i, one in enumerate(self.panel.classifiers)},
            ranges=self._ranges.score_ranges(valid=True),
            unreadable=self._ranges.score_ranges(valid=False),
            kinds={name: kind_of(self.types[name]) for name in self._counted_columns() if name in self.types},
            fingerprint=_fingerprint(self.census()),
        )

    def _groups(self) -> CensusGroups:
        self._parts = [CensusGroups.joined(self._parts)]
        return self._parts[0]

    def _assemble(self, groups: CensusGroups) -> Census:
        patterns, pattern = packed_codes.distinct_patterns(groups.calls, self._scorers)
        keys, cell = np.unique((pattern << _BIN_BITS) + groups.bins + 1, return_inverse=True)
        whole = groups.segment_numbers == 0
        return Census(
            classifiers=tuple(one.name for one in self.panel.classifiers),
            patterns=tuple(patterns[one] for one in (keys >> _BIN_BITS).tolist()),
            bins=keys % 2**_BIN_BITS - 1,
            counts=_added(cell[whole], groups.items[whole], len(keys)),
            auxiliary=tuple(one.name for one in self.panel.auxiliary),
            segments=dict(sorted(self._segments(groups, cell, len(keys)))),
        )

    def _segments(self, groups: CensusGroups, cell: Counts, cells: int) -> Iterator[tuple[Segment, Counts]]:
        values = groups.segment_values
        for number, column in enumerate(self.panel.columns.segments, 1):
            rows = np.flatnonzero((groups.segment_numbers == number) & (values != None))  # noqa: E711 - row by row
            places: dict[str, int] = {}
            place = np.array([places.setdefault(one, len(places)) for one in values[rows]], dtype=np.int64)
            rows = rows[np.argsort(place, kind="stable")]
            ends = np.bincount(place, minlength=len(places)).cumsum()[:-1]
            for value, of in zip(places, np.split(rows, ends) if places else (), strict=True):
                yield Segment(column, value), _added(cell[of], groups.items[of], cells)

    def _require_few_values(self, number: int, values: Iterable[str | None]) -> None:
        """Refuse a segment column of too many values as soon as they came, before all its groups are in memory."""
        distinct = self._segment_values.setdefault(number, set())
        distinct.update(one for one in values if one is not None)
        if len(distinct) > MOST_SEGMENT_VALUES:
            raise InputRefused(
                f"segment column '{self.panel.columns.segments[number - 1]}' has too many values to report on",
                expected=f"at most {MOST_SEGMENT_VALUES}",
                hint="name a column of few values, such as a language or a country",
            )

    def _counted_columns(self) -> Iterable[str]:
        """The columns whose kind of value decides what is counted or drawn."""
        names = (role.column for role in self.panel.column_roles())
        return (name for name in names if name not in self.panel.columns.payload)


def _classifier_counts(groups: CensusGroups, classifier: int) -> dict[str, int]:
    """How many calls and scores of a classifier are of what kind."""
    calls = packed_codes.code_at(groups.calls, classifier)
    flags = packed_codes.code_at(groups.flags, packed_codes.ROW_FLAGS + classifier)
    return {
        "nulls": _sum(groups, calls == packed_codes.SILENT),
        "invalid": _sum(groups, calls == packed_codes.INVALID),
        "positives": _sum(groups, calls == packed_codes.YES),
        "score_nulls": _sum(groups, flags == packed_codes.NULL),
        "score_invalid": _sum(groups, flags == packed_codes.INVALID),
    }


def _sum(groups: CensusGroups, rows: Flags) -> int:
    return int(groups.items[rows].sum())


def _added(place: Counts, items: Counts, places: int) -> Counts:
    """The items of every place; exact, because they are fewer than 2^53."""
    return np.bincount(place, weights=items, minlength=places).astype(np.int64)


def _fingerprint(census: Census) -> str:
    """A digest of all counts: equal in two windows only if they have the same rows, or the same scores."""
    if len(census.patterns) < MIN_FINGERPRINT_CELLS:
        return ""
    fingerprint = sha256(" ".join(census.patterns).encode())
    for column in (census.bins, census.counts):
        fingerprint.update(column.astype("<i8").tobytes())
    return fingerprint.hexdigest()
