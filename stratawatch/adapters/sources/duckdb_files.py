"""Predictions in Parquet or CSV files, read by an embedded DuckDB: a file, a glob, a folder, Hive partitions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from stratawatch.adapters.sources.column_types import require_columns
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine, column_types
from stratawatch.adapters.sources.duckdb_session import Bounds, reading, session
from stratawatch.adapters.sources.file_columns import FileColumns, file_columns
from stratawatch.adapters.sources.file_set import FileSet, find_files, require_unchanged
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.parquet_rows import rows_of
from stratawatch.adapters.sources.sql_source import SqlSource
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import InputRefused


class DuckDBSource(SqlSource):
    """Reads files where they lie.

    `path` is absolute. `delimiter` is for CSV (',' and, for .tsv, a tab). `confined_to` refuses files that links lead
    to outside of a folder. `memory_limit` ('4GB'), `threads` and `temp_folder` bound DuckDB.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        delimiter: str | None = None,
        confined_to: Path | None = None,
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_folder: str | Path | None = None,
    ) -> None:
        self._path, self._delimiter, self._confined_to = str(path), delimiter, confined_to
        self._bounds = Bounds(memory_limit, threads, None if temp_folder is None else Path(temp_folder))

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[DuckDBEngine]:
        files = find_files(self._path, self._delimiter, self._confined_to)
        try:
            with session(self._bounds) as connection, reading(self._path):
                relation = files.relation()
                types = column_types(connection, relation)
                require_columns(panel, types)
                statements = statements_for(panel, relation, types)
                each = file_columns(connection, files, panel)
                each.require_placed()
                rows = partial(rows_of, connection, files, panel.columns, types)
                facts = self._facts(files, each)
                yield DuckDBEngine(connection, statements, files.version(), facts, rows, each.require)
        except InputRefused:
            require_unchanged(files, may_grow=False)  # half a file, or line, has every fault there is
            raise
        require_unchanged(files)

    def _facts(self, files: FileSet, each: FileColumns) -> Mapping[str, str]:
        found = f"{len(files.files)} {files.format}, {files.bytes:,} bytes"
        return {"path": self._path, "files": found, **each.facts()}
