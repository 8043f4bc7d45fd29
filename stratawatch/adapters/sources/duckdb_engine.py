"""A DuckDB connection, asked as every engine is."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.census_result import MOST_SEGMENT_VALUES
from stratawatch.adapters.sources.duckdb_progress import watched
from stratawatch.adapters.sources.single_scan import Gathered, gathering_of
from stratawatch.adapters.sources.sql_source import FETCHED, Rows
from stratawatch.adapters.sources.statements import GATHERED, WANTED, Statements
from stratawatch.adapters.sources.stratum_quotas import Wanted
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import Window


@dataclass(frozen=True)
class DuckDBEngine:
    """What was opened, and what is known about it."""

    connection: Any
    statements: Statements
    read: Json
    named: Mapping[str, str]
    rows: Callable[[Window], int | None]
    """About how many rows a scan for a window reads; None where that is not told quickly."""
    whole: Callable[[Window], None] = lambda _: None
    """Refuses a window some of whose rows lack a column."""

    def require(self, window: Window) -> None:
        """Refuse a window some of whose rows lack a column that is read."""
        self.whole(window)

    def batches(self, sql: str) -> Iterator[Rows]:
        """Ask, and hand the rows out some at a time."""
        with watched(self.connection):
            cursor = self.connection.execute(sql)
        while rows := cursor.fetchmany(FETCHED):
            yield rows

    def put_wanted(self, wanted: Wanted) -> None:
        """Replace the table of what is wanted."""
        self.connection.register("given", dict(wanted.columns))
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {WANTED} AS SELECT * FROM given")
        self.connection.unregister("given")

    def gather(self, window: Window) -> Gathered | None:
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
                counts = self._counts()
        except duckdb.OutOfMemoryException:  # two scans hold less at a time
            counts = None
        if counts is None:
            self.connection.execute(f"DROP TABLE IF EXISTS temp.{GATHERED}")
            return None
        return Gathered(gathering, counts)

    def _counts(self) -> list[NDArray[Any]] | None:
        """The census query's answer, by column; None where a segment column has so many values that it is refused."""
        ((values,),) = self.connection.execute(self.statements.gathered_values()).fetchall()
        if values > MOST_SEGMENT_VALUES:
            return None
        counts = self.connection.execute(self.statements.gathered_census()).fetchnumpy()
        return [_filled(column) for column in counts.values()]

    def version(self) -> Json:
        """What is being read."""
        return self.read

    def facts(self) -> Mapping[str, str]:
        """What it is, in words."""
        return self.named


def column_types(connection: Any, relation: str) -> dict[str, str]:
    """The columns of a relation and their SQL types."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}


def _filled(column: NDArray[Any]) -> NDArray[Any]:
    """None where there is nothing."""
    if not isinstance(column, np.ma.MaskedArray):
        return column
    filled = column.data.astype(np.object_)
    filled[np.ma.getmaskarray(column)] = None
    return filled
