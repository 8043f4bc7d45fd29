"""An open DuckDB connection as the engine of a source."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from stratawatch.adapters.sources.duckdb_progress import reporting_progress
from stratawatch.adapters.sources.missing_file_columns import MissingFileColumns
from stratawatch.adapters.sources.sql_source import BATCH_ROWS, Rows, SqlEngine, TableColumns
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.ports import ColumnProblem

FIRST_ROWS: Final = 64
"""Rows of the first batch, and twice as many in each that follows: whoever counts their size can stop in time."""


@dataclass
class DuckDBEngine(SqlEngine):
    """The connection, the queries on what was opened, and facts about it."""

    connection: Any
    rows_to_scan: Callable[[Window], int | None]
    """About how many rows a scan for a window reads; None where that cannot be told quickly."""
    files: MissingFileColumns | None = None
    """The columns of each file, where files are read."""

    def column_problems(self) -> Iterable[ColumnProblem]:
        """The columns that are missing or cannot hold what they should, in all files or in some."""
        return super().column_problems() or (() if self.files is None else self.files.item_and_time_problems())

    def require_columns(self, window: Window) -> None:
        """Refuse a window some of whose rows lack a column that is read."""
        if self.files is not None:
            self.files.require_columns(window)

    def batches(self, sql: str) -> Iterator[Rows]:
        """Run a query and yield its rows in batches."""
        with reporting_progress(self.connection):
            cursor = self.connection.execute(sql)
        number = FIRST_ROWS
        while rows := cursor.fetchmany(number):
            yield rows
            number = min(2 * number, BATCH_ROWS)

    def put_table(self, name: str, columns: TableColumns) -> None:
        """Replace a small table."""
        self.connection.register("given", dict(columns))
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM given")
        self.connection.unregister("given")
