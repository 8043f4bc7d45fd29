"""What the rows of a table say about its columns: counts only, from which a configuration is proposed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from stratawatch.adapters.sources.column_types import Kind
from stratawatch.answer_words import NO, YES

MOST_VALUES: Final = 60
"""Different values of a column up to which each is counted."""
NEARLY_ALL: Final = 0.99
"""The share of rows that makes a column one of numbers, of times or of probabilities: as many as may be bad."""
FAR: Final = 0.001
"""The share of rows at either end of all times that windows do not go by where a gap parts them from the others."""
_GAP: Final = timedelta(days=1)
_LONG_GAP: Final = timedelta(days=366)
"""A gap behind which a single row is left out, however few there are."""


@dataclass(frozen=True)
class ColumnSummary:
    """One column, in the rows that were looked at. Numbers and times are counted in texts too: CSV has only these."""

    name: str
    type_name: str
    kind: Kind
    filled: int = 0
    """Rows with a value."""
    distinct: int = 0
    """About how many different values there are."""
    numbers: int = 0
    """Rows with a finite number."""
    not_finite: int = 0
    in_unit: int = 0
    """Rows with a number from 0 to 1."""
    smallest: float | None = None
    largest: float | None = None
    times: int = 0
    zoned: int = 0
    """Rows with a time that says its offset from UTC."""
    mean_length: float = 0.0
    with_blanks: int = 0
    links: int = 0
    values: Mapping[str, int] = field(default_factory=dict)
    """Every value with its number of rows, the most frequent first; empty where there are too many."""

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.kind in ("number", "text") and self._nearly_all(self.numbers + self.not_finite)

    @property
    def is_time(self) -> bool:
        """Whether it holds times."""
        return self.kind in ("moment", "zoned", "text") and not self.is_numeric and self._nearly_all(self.times)

    @property
    def is_text(self) -> bool:
        """Whether it holds words: neither numbers nor times."""
        return self.kind == "text" and not self.is_numeric and not self.is_time

    @property
    def is_probability(self) -> bool:
        """Whether its numbers are from 0 to 1, but for a few that may be bad."""
        return self.is_numeric and self.numbers > 0 and self.in_unit >= NEARLY_ALL * self.numbers

    @property
    def says_yes_or_no(self) -> bool:
        """Whether every value is a yes or a no without being told which: a boolean, 0 and 1, or the words."""
        return bool(self.values) and all(value.strip().lower() in (*YES, *NO) for value in self.values)

    def _nearly_all(self, rows: int) -> bool:
        return self.filled > 0 and rows >= NEARLY_ALL * self.filled


@dataclass(frozen=True)
class TimeRange:
    """The first and the last time of a column in all rows but a few that lie far from all others.

    `without` rows have no time that can be used, and `far` ones lie outside of the range.
    """

    first: datetime
    last: datetime
    without: int = 0
    far: int = 0


def time_range_of(days: Sequence[tuple[datetime, datetime, int]], rows: int) -> TimeRange:
    """The range of days that have a first time, a last time and a number of rows, without a few far from the others.

    >>> from datetime import UTC
    >>> days = [(datetime(2026, 1, day, tzinfo=UTC), datetime(2026, 1, day, 23, tzinfo=UTC), 900) for day in (5, 6)]
    >>> lost = datetime(2099, 1, 1, tzinfo=UTC)
    >>> found = time_range_of([*days, (lost, lost, 1)], 1801)
    >>> print(found.last, found.far)
    2026-01-06 23:00:00+00:00 1
    """
    total = sum(count for *_, count in days)
    gaps = [later[0] - earlier[1] for earlier, later in pairwise(days)]
    low = _far_days([count for *_, count in days], gaps, total)
    high = _far_days([count for *_, count in reversed(days)], gaps[::-1], total)
    kept = days[low : len(days) - high]
    return TimeRange(kept[0][0], kept[-1][1], rows - total, total - sum(count for *_, count in kept))


def _far_days(counts: Sequence[int], gaps: Sequence[timedelta], total: int) -> int:
    """How many days from this end are left out: few rows before a gap, or a single one far away."""
    far, before = 0, 0
    for number, (count, gap) in enumerate(zip(counts, gaps, strict=False), 1):
        before += count
        if before > max(FAR * total, 1) or 2 * before >= total:
            break
        if gap > _LONG_GAP or (before <= FAR * total and gap > _GAP):
            far = number
    return far


@dataclass(frozen=True)
class Separation:
    """How a score lies where a column has one of its values."""

    mean: float
    smallest: float
    largest: float
    rows: int


@dataclass(frozen=True)
class TableSummary:
    """A table: all its rows, those that were looked at, and its columns in their order."""

    rows: int
    looked_at: int
    columns: tuple[ColumnSummary, ...]

    def column(self, name: str) -> ColumnSummary:
        """The column of this name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]
