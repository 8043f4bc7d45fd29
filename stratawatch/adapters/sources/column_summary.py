"""What the rows of a table say about its columns: counts only, from which a configuration is proposed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from stratawatch.adapters.sources.column_types import Kind
from stratawatch.answer_words import NO, YES

MOST_VALUES: Final = 60
"""Different values of a column up to which each is counted."""
NEARLY_ALL: Final = 0.99
"""The share of rows that makes a column one of numbers, of times or of probabilities: as many as may be bad."""


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
    """The first and the last time of a column in all rows, and how many rows have none that can be used."""

    first: datetime
    last: datetime
    without: int = 0


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
