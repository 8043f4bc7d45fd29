"""An open DuckDB connection as the engine of a source."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stratawatch.adapters.sources.duckdb_progress import reporting_progress
from stratawatch.adapters.sources.sql_source import BATCH_ROWS, Rows
from stratawatch.adapters.sources.statements import QUOTAS, Statements
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

    def version(self) -> Json:
        """The version of the data that is read."""
        return self.source_version

    def facts(self) -> Mapping[str, str]:
        """A description of the source, for `check`."""
        return self.description


def column_types(connection: Any, relation: str) -> dict[str, str]:
    """The columns of a relation and their SQL types, in the relation's order."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}
