"""Predictions in Parquet or CSV files, read by an embedded DuckDB: a file, a glob, a folder, Hive partitions."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.object_storage import bytes_of, check_endpoint, connect, is_in_bucket
from stratawatch.adapters.sources.dated_paths import DatedPath, check_fields, is_dated
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_reader import DuckDBWindowReader, EmbeddedSource
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
from stratawatch.adapters.sources.sql_source import SqlWindowReader
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.settings.shapes import PositiveDuration, Secret, Text


class FilesSettings(DuckDBSettings):
    """kind = "files": Parquet or CSV files."""

    kind: Literal["files"]
    path: Annotated[Text, AfterValidator(check_fields)]
    path_margin: PositiveDuration | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    region: Text | None = None
    endpoint: Annotated[Text, AfterValidator(check_endpoint)] | None = None
    credentials: dict[str, Secret] = Field(default_factory=dict)
    cache: Text = "cache"
    cache_limit: Annotated[str, Field(pattern=r"^\d+(\.\d+)?(KB|MB|GB|TB)$")] = "50GB"

    @model_validator(mode="after")
    def _check_margin(self) -> Self:
        if self.path_margin is not None and not is_dated(self.path):
            raise ValueError(
                "path_margin is of the time in `path`, which has none: write it as in {year}/{month}/{day}"
            )
        return self

    def local_paths(self) -> tuple[LocalPath, ...]:
        """Files of this machine, or the folder that objects are copied into."""
        return (LocalPath("cache", self.cache),) if is_in_bucket(self.path) else super().local_paths()

    @property
    def description(self) -> str:
        """The place that is read, in words for people."""
        return f"files: {self.path}"

    def build(self, context: BuildContext) -> "FilesSource":
        """The source."""
        if is_in_bucket(self.path):
            return self._in_bucket(context)
        return FilesSource(
            context.pattern(self.path),
            delimiter=self.delimiter,
            confined_to=self.confined_to(context),
            limits=self.limits,
            margin=self.path_margin or timedelta(0),
        )

    def _in_bucket(self, context: BuildContext) -> "FilesSource":
        from stratawatch.adapters.sources.bucket_files import BucketFiles, BucketFilesSource, split_address

        url, pattern = split_address(self.path)
        storage = connect(
            url,
            "the source",
            credentials={name: context.reveal(value) for name, value in self.credentials.items()},
            endpoint=self.endpoint,
            region=self.region,
            timeout=self.read_timeout,
        )
        dated = DatedPath(pattern, self.path_margin or timedelta(0))
        files = BucketFiles(storage, dated, context.folder / self.cache, bytes_of(self.cache_limit), self.delimiter)
        return BucketFilesSource(self.path, files, limits=self.limits)


class FilesSource(EmbeddedSource):
    """Reads files in place.

    `path` is absolute. It may have fields that say when a file's rows are of; `margin` is how far from it they may be.
    `delimiter` is for CSV (',' by default, for .tsv a tab). `confined_to` refuses files that links lead to outside of a
    folder.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        delimiter: str | None = None,
        confined_to: Path | None = None,
        limits: DuckDBLimits | None = None,
        margin: timedelta = timedelta(0),
    ) -> None:
        self._path, self._delimiter, self._confined_to, self._margin = str(path), delimiter, confined_to, margin
        self._limits = limits or DuckDBLimits()

    def _reader(self, panel: PanelSpec, window: Window, engine: DuckDBEngine) -> DuckDBWindowReader:
        reader = super()._reader(panel, window, engine)
        return replace(reader, other_rows=partial(self._rows_of, panel)) if self._is_of_window(panel) else reader

    def _is_of_window(self, panel: PanelSpec) -> bool:  # noqa: ARG002 - for overrides
        """Whether what is opened for a window lacks files of others."""
        return is_dated(self._path)

    def _rows_of(self, panel: PanelSpec, window: Window) -> int:
        """Count the rows of a window; of columns those that its rows are counted by must be there."""
        columns = panel.columns
        needed = {columns.item, columns.time, columns.ingested, columns.partition, columns.classifier}
        with self._open_for(panel, window) as engine:
            for problem in engine.column_problems():
                if problem.column.column in needed:
                    raise problem.error
            return SqlWindowReader(panel, window, engine).rows(window)

    def _open(self, panel: PanelSpec) -> AbstractContextManager[DuckDBEngine]:
        return self._engine(panel, None)

    def _open_for(self, panel: PanelSpec, window: Window) -> AbstractContextManager[DuckDBEngine]:
        return self._engine(panel, window)

    @contextmanager
    def _engine(self, panel: PanelSpec, window: Window | None) -> Iterator[DuckDBEngine]:
        whole = self._files(panel, window)
        with whole as files, duckdb_session(self._limits) as connection, duckdb_errors(self._path):
            relation = files.relation()
            types = column_types(connection, relation)
            statements = statements_for(panel, relation, types)
            columns_of_files = missing_file_columns(connection, files, panel)
            rows_to_scan = partial(approximate_window_rows, connection, files, panel.columns, types)
            facts = self._facts(files, columns_of_files)
            yield DuckDBEngine(statements, facts, files.version(), connection, rows_to_scan, columns_of_files)

    @contextmanager
    def _files(self, panel: PanelSpec, window: Window | None) -> Iterator[FileSet]:  # noqa: ARG002 - for overrides
        """The files, which must stay as they are until they have been read; of a window at least those that have it."""
        files = find_files(self._path, self._delimiter, self._confined_to, window, self._margin)
        with files.unchanged():
            yield files

    def _facts(self, files: FileSet, columns_of_files: MissingFileColumns) -> Mapping[str, str]:
        size = f"{len(files.files)} {files.format}, {files.bytes:,} bytes"
        return {"path": self._path, "files": size, **columns_of_files.facts()}
