"""A look at files before there is a configuration: DuckDB counts, and nothing but counts comes back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final

from stratawatch.adapters.sources.column_summary import (
    MOST_VALUES,
    ColumnSummary,
    Separation,
    TableSummary,
    TimeRange,
    time_range_of,
)
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits, column_types, duckdb_errors, duckdb_session
from stratawatch.adapters.sources.file_set import FileSet
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.window_times import in_utc
from stratawatch.errors import InputRefused

MOST_ROWS: Final = 50_000
"""Rows whose every column is looked at; of more, about so many, in runs from all over the table."""
MOST_TEXT: Final = 200
"""Characters of a text that are looked at."""
MOST_COUNTED: Final = 20_000_000
"""Rows among which repeated items are counted; of more, only those of the newest window."""
_FIRST, _LAST = datetime(1971, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_OFFSET: Final = r":\d{2}(\.\d+)? ?(Z|[+-]\d{2}(:?\d{2})?)$"
_LINK: Final = r"^https?://"
_COUNTS: Final = (
    "COUNT(c)",
    "APPROX_COUNT_DISTINCT(c)",
    "COUNT(n) FILTER (n - n = 0)",
    "COUNT(n) FILTER (NOT n - n = 0)",
    "COUNT(n) FILTER (n - n = 0 AND n >= 0 AND n <= 1)",
    "MIN(n) FILTER (n - n = 0)",
    "MAX(n) FILTER (n - n = 0)",
    "COUNT(t)",
    f"COUNT(t) FILTER (REGEXP_MATCHES(c, {text(_OFFSET)}))",
    "COALESCE(AVG(LENGTH(c)), 0)",
    "COUNT(c) FILTER (CONTAINS(TRIM(c), ' '))",
    f"COUNT(c) FILTER (REGEXP_MATCHES(c, {text(_LINK)}))",
)


@dataclass(frozen=True)
class TableLook:
    """An open look at the rows of files. Every question is one or few statements, and names are quoted."""

    connection: Any
    relation: str

    @cached_property
    def summary(self) -> TableSummary:
        """Count what every column holds, in all rows or in some."""
        types = column_types(self.connection, self.relation)
        ((rows,),) = self._fetch(f"SELECT COUNT(*) FROM {self.relation}")
        if not rows:
            raise InputRefused("there is no row to look at", hint="name files with predictions in them")
        share = 100.0 if rows <= MOST_ROWS else 100.0 * MOST_ROWS / rows
        sample = "" if rows <= MOST_ROWS else f" TABLESAMPLE system({share:.6f}%) REPEATABLE (1)"
        kept = ", ".join(f"{_kept(name, types[name])} AS c_{i}" for i, name in enumerate(types))
        self.connection.execute(f"CREATE TEMP TABLE looked AS SELECT {kept} FROM {self.relation}{sample}")
        ((looked_at,),) = self._fetch("SELECT COUNT(*) FROM looked")
        columns = tuple(self._column(i, name, type_name) for i, (name, type_name) in enumerate(types.items()))
        return TableSummary(rows, looked_at, columns)

    def time_range(self, name: str) -> TimeRange | None:
        """The first and the last time of a column in all rows; None where it has none that windows are counted in."""
        time = in_utc(identifier(name), self.summary.column(name).type_name)
        inside = f"t >= {_moment(_FIRST)} AND t < {_moment(_LAST)}"
        found = self._fetch(
            f"SELECT MIN(t), MAX(t), COUNT(*) FROM (SELECT CAST({time} AS TIMESTAMP) AS t FROM {self.relation}) "
            f"WHERE {inside} GROUP BY DATE_TRUNC('day', t) ORDER BY 1"
        )
        if not found:
            return None
        days = [(first.replace(tzinfo=UTC), last.replace(tzinfo=UTC), rows) for first, last, rows in found]
        return time_range_of(days, self.summary.rows)

    def values(self, name: str) -> dict[str, int]:
        """Every value of a column in all rows; none where there are too many."""
        found = self._fetch(
            f"SELECT CAST({_kept(name, self.summary.column(name).type_name)} AS VARCHAR) AS v, COUNT(*) "
            f"FROM {self.relation} GROUP BY v HAVING v IS NOT NULL ORDER BY 2 DESC, 1 LIMIT {MOST_VALUES + 1}"
        )
        return dict(found) if len(found) <= MOST_VALUES else {}

    def copies(self, key: Sequence[str], time: str, start: datetime, every: timedelta, newest: datetime) -> int:
        """The rows beyond the first that share these columns' values in one window.

        Of very many rows only those of the window that begins at `newest` are counted.
        """
        moment = f"CAST({in_utc(identifier(time), self.summary.column(time).type_name)} AS TIMESTAMP)"
        keys = ", ".join(f"{identifier(name)} AS k_{i}" for i, name in enumerate(key))
        names = ", ".join(f"k_{i}" for i, _ in enumerate(key))
        window = f"FLOOR((EPOCH(t) - {start.timestamp()}) / {every.total_seconds()})"
        rows = f"t >= {_moment(start)} AND k_0 IS NOT NULL"
        if self.summary.rows > MOST_COUNTED:
            rows = f"t >= {_moment(newest)} AND t < {_moment(newest + every)} AND k_0 IS NOT NULL"
        ((found,),) = self._fetch(
            f"SELECT COUNT(*) - COUNT(DISTINCT ({names}, {window})) "
            f"FROM (SELECT {keys}, {moment} AS t FROM {self.relation}) WHERE {rows}"
        )
        return int(found)

    def separations(self, score: str, by: str, *, in_all_rows: bool = False) -> dict[str, Separation]:
        """How a score lies for each value of another column, in all rows or in those that were looked at."""
        number, value = self._number(self._position(score)), f"CAST(c_{self._position(by)} AS VARCHAR)"
        kept = ", ".join(
            f"{_kept(name, self.summary.column(name).type_name)} AS c_{self._position(name)}" for name in {score, by}
        )
        rows = f"(SELECT {kept} FROM {self.relation})" if in_all_rows else "looked"
        found = self._fetch(
            f"SELECT v, AVG(n), MIN(n), MAX(n), COUNT(*) FROM (SELECT {value} AS v, {number} AS n FROM {rows}) "
            f"WHERE v IS NOT NULL AND n - n = 0 GROUP BY v ORDER BY COUNT(*) DESC, v LIMIT {MOST_VALUES}"
        )
        return {value: Separation(mean, low, high, rows) for value, mean, low, high, rows in found}

    def share_that_adds_up_to_one(self, names: Sequence[str]) -> float:
        """In which share of the rows that were looked at these numbers add up to 1."""
        total = " + ".join(self._number(self._position(name)) for name in names)
        ((share,),) = self._fetch(f"SELECT AVG(CASE WHEN ABS({total} - 1) < 0.002 THEN 1 ELSE 0 END) FROM looked")
        return float(share or 0)

    def _column(self, position: int, name: str, type_name: str) -> ColumnSummary:
        kind, raw = kind_of(type_name), f"c_{position}"
        moments = kind in ("text", "moment", "zoned")
        time = f"CAST({in_utc(raw, type_name)} AS TIMESTAMP)" if moments else "CAST(NULL AS TIMESTAMP)"
        found = self._fetch(
            f"SELECT {', '.join(_COUNTS)} FROM (SELECT CAST({raw} AS VARCHAR) AS c, "
            f"{self._number(position, type_name)} AS n, {time} AS t FROM looked)"
        )[0]
        filled, distinct, numbers, not_finite, in_unit, low, high, times, zoned, length, blanks, links = found
        values = {}
        if 0 < distinct <= 2 * MOST_VALUES:  # which is an estimate
            rows = self._fetch(
                f"SELECT CAST({raw} AS VARCHAR), COUNT(*) FROM looked WHERE {raw} IS NOT NULL "
                f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_VALUES + 1}"
            )
            distinct = len(rows) if len(rows) <= MOST_VALUES else max(distinct, len(rows))
            values = dict(rows) if len(rows) <= MOST_VALUES else {}
        counts = (filled, distinct, numbers, not_finite, in_unit, low, high, times)
        zoned = times if kind == "zoned" else zoned
        return ColumnSummary(name, type_name, kind, *counts, zoned, length, blanks, links, values)

    def _number(self, position: int, type_name: str | None = None) -> str:
        kind = kind_of(type_name or self.summary.columns[position].type_name)
        if kind == "text":
            return f"TRY_CAST(TRIM(c_{position}) AS DOUBLE)"
        return f"TRY_CAST(c_{position} AS DOUBLE)" if kind in ("number", "flag") else "CAST(NULL AS DOUBLE)"

    def _position(self, name: str) -> int:
        return self.summary.names.index(name)

    def _fetch(self, statement: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.connection.execute(statement).fetchall()
        return found


@contextmanager
def look_at(files: FileSet) -> Iterator[TableLook]:
    """Open a look at files, which must stay as they are meanwhile."""
    with files.unchanged(), duckdb_session(DuckDBLimits()) as connection, duckdb_errors(files.path_pattern):
        yield TableLook(connection, files.relation())


def delimiter_of(files: FileSet) -> str | None:
    """The delimiter of CSV files whose header has no comma or tab, but another mark; None where the usual one fits."""
    if files.format != "csv":
        return None
    with duckdb_session(DuckDBLimits()) as connection, duckdb_errors(files.path_pattern):
        names = list(column_types(connection, files.relation()))
    marks = {mark: names[0].count(mark) for mark in ";|\t,"} if len(names) == 1 else {}
    mark = max(marks, key=lambda one: marks[one], default="")
    return mark if marks.get(mark) else None


def _kept(name: str, type_name: str) -> str:
    """What is kept of a value to be looked at: long texts are cut, and what is no plain value is a text."""
    column, kind = identifier(name), kind_of(type_name)
    if type_name == "BLOB":
        return "CAST(NULL AS VARCHAR)"
    return f"LEFT(CAST({column} AS VARCHAR), {MOST_TEXT})" if kind in ("text", "other") else column


def _moment(at: datetime) -> str:
    return f"CAST({text(at.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' '))} AS TIMESTAMP)"
