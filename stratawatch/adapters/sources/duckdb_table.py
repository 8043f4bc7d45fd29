"""Predictions in a table or view of a DuckDB file, read by an embedded DuckDB without locking others out of reading."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_reader import EmbeddedSource
from stratawatch.adapters.sources.duckdb_session import (
    DuckDBLimits,
    DuckDBSettings,
    column_types,
    confine_to_folder,
    duckdb_errors,
    duckdb_session,
)
from stratawatch.adapters.sources.file_set import confine
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.statements import Statements
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.errors import Unreachable
from stratawatch.settings.shapes import Text

_ATTACHED: Final = "predictions"


class DuckDBTableSettings(DuckDBSettings):
    """kind = "duckdb": a table or view of a DuckDB file."""

    kind: Literal["duckdb"]
    table: Text
    schema_: Annotated[Text, Field(alias="schema")] = "main"

    @property
    def description(self) -> str:
        """The place that is read, in words for people."""
        return f"duckdb: {self.table} of {self.path}"

    def build(self, context: BuildContext) -> "DuckDBTableSource":
        """The source."""
        return DuckDBTableSource(
            context.folder / self.path,
            self.table,
            schema=self.schema_,
            confined_to=self.confined_to(context),
            limits=self.limits,
        )


class DuckDBTableSource(EmbeddedSource):
    """Reads one table of a file that is opened read-only. `confined_to` and the limits are those of files."""

    def __init__(
        self,
        path: str | Path,
        table: str,
        *,
        schema: str = "main",
        confined_to: Path | None = None,
        limits: DuckDBLimits | None = None,
    ) -> None:
        self._path, self._schema, self._table, self._confined_to = Path(path), schema, table, confined_to
        self._relation = ".".join(identifier(name) for name in (_ATTACHED, schema, table))
        self._limits = limits or DuckDBLimits()

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[DuckDBEngine]:
        version = self._version()
        with duckdb_session(self._limits) as connection, duckdb_errors(f"{self._table} of {self._path}"):
            connection.execute(f"ATTACH {text(str(self._path))} AS {_ATTACHED} (READ_ONLY, TYPE duckdb)")
            if self._confined_to is not None:
                confine_to_folder(connection, self._confined_to)
            statements = statements_for(panel, self._relation, column_types(connection, self._relation))
            rows_to_scan = partial(self._rows_to_scan, connection, statements)
            yield DuckDBEngine(statements, self._facts(version), version, connection, rows_to_scan)
            if self._version() != version:
                raise Unreachable(
                    f"'{self._path}' was written to while it was read", hint="it is read again at the next advance"
                )

    def _rows_to_scan(self, connection: Any, statements: Statements, window: Window) -> int | None:
        """The rows of a window and those without a time; None for a view, which would have to be run for it."""
        tables = "SELECT COUNT(*) FROM duckdb_tables() WHERE (database_name, schema_name, table_name) = (?, ?, ?)"
        if connection.execute(tables, [_ATTACHED, self._schema, self._table]).fetchall() == [(0,)]:
            return None
        columns = statements.panel.columns
        time = identifier(columns.time if columns.ingested is None else columns.ingested)
        timeless = f"SELECT COUNT(*) FROM {self._relation} WHERE {time} IS NULL"
        return sum(int(connection.execute(sql).fetchall()[0][0]) for sql in (statements.row_count(window), timeless))

    def _version(self) -> Mapping[str, str | int]:
        """The file with its size and time; raises Unreachable when it is not there."""
        try:
            status = self._path.stat()
        except OSError as error:
            raise Unreachable(f"'{self._path}' cannot be looked at", got=error.strerror or str(error)) from error
        if self._confined_to is not None:
            confine([self._path], self._confined_to)
        modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat()
        return {"file": str(self._path), "table": self._table, "bytes": status.st_size, "modified": modified}

    def _facts(self, version: Mapping[str, str | int]) -> Mapping[str, str]:
        return {"path": str(self._path), "table": self._table, "file": f"{version['bytes']:,} bytes"}
