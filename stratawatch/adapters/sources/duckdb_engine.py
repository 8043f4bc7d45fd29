"""A DuckDB connection, asked as every engine is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from stratawatch.adapters.sources.ceilings import WantedRow
from stratawatch.adapters.sources.gathering import Gathering, gathering_of
from stratawatch.adapters.sources.sql_source import FETCHED, Rows
from stratawatch.adapters.sources.statements import GATHERED, Statements
from stratawatch.adapters.sources.watching import watched
from stratawatch.engine.records import Json, Window


@dataclass(frozen=True)
class DuckDBEngine:
    """What was opened, and what is known about it."""

    connection: Any
    statements: Statements
    read: Json
    named: Mapping[str, str]
    rows: Callable[[Window], int | None]
    """About how many rows a scan for a window reads; None where that is not told quickly."""

    def batches(self, sql: str) -> Iterator[Rows]:
        """Ask, and hand the rows out some at a time."""
        with watched(self.connection):
            cursor = self.connection.execute(sql)
        while rows := cursor.fetchmany(FETCHED):
            yield rows

    def put_wanted(self, rows: Sequence[WantedRow]) -> None:
        """Replace the table `wanted`. The bins of an atom are sent as a range: there may be half a million."""
        self.connection.execute(
            "CREATE OR REPLACE TEMP TABLE wanted "
            "(pattern VARCHAR, bin INTEGER, atom INTEGER, stratum INTEGER, number INTEGER, ceiling VARCHAR)"
        )
        runs = [(next(run), sum(1 for _ in run)) for _, run in groupby(rows, itemgetter(2))]
        columns = [list(column) for column in zip(*((*first, more) for first, more in runs), strict=True)]
        self.connection.execute(
            "INSERT INTO wanted SELECT pattern, UNNEST(RANGE(bin, bin + more + 1)), atom, stratum, number, ceiling "
            "FROM (SELECT UNNEST(?) AS pattern, UNNEST(?) AS bin, UNNEST(?) AS atom, UNNEST(?) AS stratum, "
            "UNNEST(?) AS number, UNNEST(?) AS ceiling, UNNEST(?) AS more)",
            columns,
        )

    def gather(self, window: Window) -> Gathering | None:
        """Count and keep in one scan, where a window is large and rows are what they say they are."""
        import duckdb

        rows = self.rows(window) if self.statements.gathers else None
        gathering = None if rows is None else gathering_of(rows)
        if gathering is None:
            return None
        try:
            with watched(self.connection):
                self.connection.execute(
                    f"CREATE OR REPLACE TEMP TABLE {GATHERED} AS {self.statements.gather(window, gathering)}"
                )
        except duckdb.OutOfMemoryException:  # two scans hold less at a time
            return None
        return gathering

    def version(self) -> Json:
        """What is being read."""
        return self.read

    def facts(self) -> Mapping[str, str]:
        """What it is, in words."""
        return self.named


def column_types(connection: Any, relation: str) -> dict[str, str]:
    """The columns of a relation and their SQL types."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}
