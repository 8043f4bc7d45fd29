"""Predictions in a Delta table, read by an embedded DuckDB from one version, which is kept with the cycle."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_reader import EmbeddedSource
from stratawatch.adapters.sources.duckdb_session import (
    DuckDBLimits,
    DuckDBSettings,
    column_types,
    duckdb_errors,
    duckdb_session,
)
from stratawatch.adapters.sources.file_set import confine
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.errors import InputRefused, StratawatchError, Unreachable
from stratawatch.extras import require
from stratawatch.formatting import first_line
from stratawatch.settings.shapes import KeysAndSecrets

_RELATION: Final = "predictions"


class DeltaSettings(DuckDBSettings):
    """kind = "delta": a Delta table, in a folder or on storage that its address names."""

    kind: Literal["delta"]
    options: KeysAndSecrets = Field(default_factory=dict, repr=False)

    @property
    def description(self) -> str:
        """The place that is read, in words for people."""
        return f"delta: {self.path}"

    def local_paths(self) -> tuple[LocalPath, ...]:
        """A folder of this machine, unless the address names a storage."""
        return () if _is_remote(self.path) else super().local_paths()

    def build(self, context: BuildContext) -> "DeltaSource":
        """The source; secrets among its options are looked up."""
        return DeltaSource(
            self.path if _is_remote(self.path) else context.folder / self.path,
            options=context.resolved(self.options),
            confined_to=None if _is_remote(self.path) else self.confined_to(context),
            limits=self.limits,
        )


class DeltaSource(EmbeddedSource):
    """Reads one version of the table at `path`. `options` are those of the storage; the others are as for files."""

    def __init__(
        self,
        path: str | Path,
        *,
        options: Mapping[str, str] | None = None,
        confined_to: Path | None = None,
        limits: DuckDBLimits | None = None,
    ) -> None:
        self._path, self._options, self._confined_to = str(path), dict(options or {}), confined_to
        self._limits = limits or DuckDBLimits()

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[DuckDBEngine]:
        require("delta")
        with duckdb_session(self._limits) as connection, duckdb_errors(self._path), _delta_errors(self._path):
            table = self._table()
            connection.register(_RELATION, table.to_pyarrow_dataset())
            statements = statements_for(panel, _RELATION, column_types(connection, _RELATION))
            version = self._version(table)
            facts = {"path": self._path, "version": str(version["version"]), "files": f"{version['files']:,}"}
            yield DuckDBEngine(statements, facts, version, connection, _rows_not_known)

    def _table(self) -> Any:
        from deltalake import DeltaTable

        table = DeltaTable(self._path, storage_options=self._options or None)
        if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
            raise _not_readable_here(self._path, "columns that are mapped to other names")
        if self._confined_to is not None:  # the log of a table may name files anywhere
            confine([Path(self._path), *map(Path, table.file_uris())], self._confined_to)
        return table

    def _version(self, table: Any) -> Json:
        """The table, its id, the version that is read and when that was written."""
        (commit,) = table.history(1)
        return {
            "table": self._path,
            "id": str(table.metadata().id),
            "version": table.version(),
            "written": datetime.fromtimestamp(commit["timestamp"] / 1000, UTC).isoformat(),
            "files": len(table.file_uris()),
        }


def _rows_not_known(window: Window) -> None:
    """How many rows a scan reads is not looked up."""


def _is_remote(path: str) -> bool:
    return "://" in path


def _not_readable_here(path: str, feature: str) -> InputRefused:
    return InputRefused(
        f"the Delta table '{path}' has a feature that cannot be read here",
        got=feature,
        hint='read it through Spark: kind = "spark"',
    )


@contextmanager
def _delta_errors(path: str) -> Iterator[None]:
    """Turn errors of the table's log into Unreachable (retry may help) or InputRefused (it will not)."""
    from deltalake.exceptions import DeltaError, DeltaProtocolError, TableNotFoundError

    try:
        yield
    except StratawatchError:
        raise
    except TableNotFoundError as error:
        raise Unreachable(
            f"'{path}' is no Delta table",
            got=first_line(str(error)),
            hint="check the source, and that the export has run",
        ) from error
    except DeltaProtocolError as error:
        raise _not_readable_here(path, first_line(str(error))) from error
    except (DeltaError, OSError) as error:
        raise Unreachable(
            f"'{path}' cannot be read", got=first_line(str(error)), hint="it is read again at the next advance"
        ) from error
