"""Predictions in Parquet or CSV files, read by an embedded DuckDB: a file, a glob, a folder, Hive partitions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_reader import EmbeddedSource
from stratawatch.adapters.sources.duckdb_session import (
    DuckDBLimits,
    DuckDBSettings,
    column_types,
    duckdb_errors,
    duckdb_session,
)
from stratawatch.adapters.sources.file_set import FileSet, find_files
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.missing_file_columns import MissingFileColumns, missing_file_columns
from stratawatch.adapters.sources.parquet_footers import approximate_window_rows
from stratawatch.engine.model.panel_spec import PanelSpec


class FilesSettings(DuckDBSettings):
    """kind = "files": Parquet or CSV files."""

    kind: Literal["files"]
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None

    @property
    def description(self) -> str:
        """What is read, for people."""
        return f"files: {self.path}"

    def build(self, context: BuildContext) -> "FilesSource":
        """The source."""
        return FilesSource(
            context.pattern(self.path),
            delimiter=self.delimiter,
            confined_to=self.confined_to(context),
            limits=self.limits,
        )


class FilesSource(EmbeddedSource):
    """Reads files in place.

    `path` is absolute. `delimiter` is for CSV (',' by default, for .tsv a tab). `confined_to` refuses files that links
    lead to outside of a folder.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        delimiter: str | None = None,
        confined_to: Path | None = None,
        limits: DuckDBLimits | None = None,
    ) -> None:
        self._path, self._delimiter, self._confined_to = str(path), delimiter, confined_to
        self._limits = limits or DuckDBLimits()

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[DuckDBEngine]:
        files = find_files(self._path, self._delimiter, self._confined_to)
        with files.unchanged(), duckdb_session(self._limits) as connection, duckdb_errors(self._path):
            relation = files.relation()
            types = column_types(connection, relation)
            statements = statements_for(panel, relation, types)
            columns_of_files = missing_file_columns(connection, files, panel)
            rows_to_scan = partial(approximate_window_rows, connection, files, panel.columns, types)
            facts = self._facts(files, columns_of_files)
            yield DuckDBEngine(statements, facts, files.version(), connection, rows_to_scan, columns_of_files)

    def _facts(self, files: FileSet, columns_of_files: MissingFileColumns) -> Mapping[str, str]:
        size = f"{len(files.files)} {files.format}, {files.bytes:,} bytes"
        return {"path": self._path, "files": size, **columns_of_files.facts()}
