"""An open DuckDB connection as the engine of a source."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.census_result import MOST_SEGMENT_VALUES
from stratawatch.adapters.sources.duckdb_progress import reporting_progress
from stratawatch.adapters.sources.single_scan import SingleScan, digests_to_keep
from stratawatch.adapters.sources.sql_source import BATCH_ROWS, Rows
from stratawatch.adapters.sources.statements import QUOTAS, SINGLE_SCAN, Statements
from stratawatch.adapters.sources.stratum_quotas import StratumQuotas
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import Window


@dataclass(frozen=True)
class DuckDBEngine:
    """The connection, the queries on what was opened, and facts about it."""

    connection: Any
    statements: Statements
    source_version: Json
    description: Mapping[str, str]
    rows_to_scan: Callable[[Window], int | None]
    """About how many rows a scan for a window reads; None where that cannot be told quickly."""
    check_window: Callable[[Window], None] = lambda _: None
    """Refuses a window some of whose rows lack a column."""

    def require_columns(self, window: Window) -> None:
        """Refuse a window some of whose rows lack a column that is read."""
        self.check_window(window)

    def batches(self, sql: str) -> Iterator[Rows]:
        """Run a query and yield its rows in batches."""
        with reporting_progress(self.connection):
            cursor = self.connection.execute(sql)
        while rows := cursor.fetchmany(BATCH_ROWS):
            yield rows

    def put_quotas(self, quotas: StratumQuotas) -> None:
        """Replace the table of quotas."""
        self.connection.register("given", dict(quotas.columns))
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {QUOTAS} AS SELECT * FROM given")
        self.connection.unregister("given")

    def single_scan(self, window: Window) -> SingleScan | None:
        """Count a large window and keep likely candidates in one scan, where a row is an item."""
        import duckdb

        rows = self.rows_to_scan(window) if self.statements.allows_single_scan else None
        kept = None if rows is None else digests_to_keep(rows)
        if kept is None:
            return None
        try:
            with reporting_progress(self.connection):
                self.connection.execute(
                    f"CREATE OR REPLACE TEMP TABLE {SINGLE_SCAN} AS {self.statements.single_scan(window, kept)}"
                )
                counts = self._counts()
        except duckdb.OutOfMemoryException:  # two scans hold less at a time
            counts = None
        if counts is None:
            self.connection.execute(f"DROP TABLE IF EXISTS temp.{SINGLE_SCAN}")
            return None
        return SingleScan(kept, counts)

    def _counts(self) -> list[NDArray[Any]] | None:
        """The census by column; None where a segment column has so many values that the census will be refused."""
        ((values,),) = self.connection.execute(self.statements.single_scan_segment_values()).fetchall()
        if values > MOST_SEGMENT_VALUES:
            return None
        counts = self.connection.execute(self.statements.single_scan_census()).fetchnumpy()
        return [_with_none(column) for column in counts.values()]

    def version(self) -> Json:
        """The version of the data that is read."""
        return self.source_version

    def facts(self) -> Mapping[str, str]:
        """A description of the source, for `check`."""
        return self.description


def column_types(connection: Any, relation: str) -> dict[str, str]:
    """The columns of a relation and their SQL types, in the relation's order."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}


def _with_none(column: NDArray[Any]) -> NDArray[Any]:
    """A column with None where the result has NULL."""
    if not isinstance(column, np.ma.MaskedArray):
        return column
    filled = column.data.astype(np.object_)
    filled[np.ma.getmaskarray(column)] = None
    return filled
