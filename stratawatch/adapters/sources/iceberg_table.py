"""Predictions in an Iceberg table, read by an embedded DuckDB from one snapshot, whose id is kept with the cycle."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_reader import EmbeddedSource
from stratawatch.adapters.sources.duckdb_session import (
    DuckDBLimits,
    EmbeddedSettings,
    column_types,
    duckdb_errors,
    duckdb_session,
)
from stratawatch.adapters.sources.file_set import confine
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.quoting import identifier
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.errors import InputRefused, StratawatchError, Unreachable
from stratawatch.extras import require
from stratawatch.settings.shapes import KeysAndSecrets, Text

_RELATION: Final = "predictions"
_FILES: Final = "files_of_the_snapshot"
_FIELD_ID: Final = b"PARQUET:field_id"


class IcebergSettings(EmbeddedSettings):
    """kind = "iceberg": a table of an Iceberg catalog, by the properties that PyIceberg knows."""

    kind: Literal["iceberg"]
    table: Text
    catalog: KeysAndSecrets = Field(repr=False)

    @property
    def description(self) -> str:
        """The place that is read, in words for people."""
        return f"iceberg: {self.table}"

    def build(self, context: BuildContext) -> "IcebergSource":
        """The source; secrets among the catalog's properties are looked up."""
        return IcebergSource(
            self.table,
            catalog=context.resolved(self.catalog),
            confined_to=self.confined_to(context),
            limits=self.limits,
        )


class IcebergSource(EmbeddedSource):
    """Reads the newest snapshot of a `table` of a `catalog`. Files of this machine must lie in `confined_to`."""

    def __init__(
        self,
        table: str,
        *,
        catalog: Mapping[str, str],
        confined_to: Path | None = None,
        limits: DuckDBLimits | None = None,
    ) -> None:
        self._table, self._catalog, self._confined_to = table, dict(catalog), confined_to
        self._limits = limits or DuckDBLimits()

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[DuckDBEngine]:
        require("iceberg")
        with duckdb_session(self._limits) as connection, duckdb_errors(self._table):
            with _iceberg_errors(self._table):
                table = self._load()
                snapshot = table.current_snapshot()
                files = [] if snapshot is None else self._files(table, snapshot.snapshot_id)
                connection.register(_FILES, self._rows(table, files))
            names = zip(_names_in_files(table), table.schema().fields, strict=True)
            columns = ", ".join(f"{identifier(inside)} AS {identifier(one.name)}" for inside, one in names)
            connection.execute(f"CREATE VIEW {_RELATION} AS SELECT {columns} FROM {_FILES}")
            statements = statements_for(panel, _RELATION, column_types(connection, _RELATION))
            version = self._version(table, snapshot, len(files))
            facts = {"table": self._table, "snapshot": str(version["snapshot"]), "files": f"{len(files):,}"}
            yield DuckDBEngine(statements, facts, version, connection, _rows_not_known)

    def _load(self) -> Any:
        from pyiceberg.catalog import load_catalog

        # A catalog in a database keeps tables under its name.
        properties = {"name": "default", **self._catalog}
        return load_catalog(**properties).load_table(self._table)

    def _files(self, table: Any, snapshot: int) -> Sequence[str]:
        """The files of a snapshot."""
        tasks = list(table.scan(snapshot_id=snapshot).plan_files())
        if any(task.delete_files for task in tasks):
            raise self._not_readable("rows that were deleted without their files being written anew")
        if any(str(task.file.file_format).rpartition(".")[2].upper() != "PARQUET" for task in tasks):
            raise self._not_readable("files that are not Parquet")
        return [task.file.file_path for task in tasks]

    def _rows(self, table: Any, files: Sequence[str]) -> Any:
        """The rows of these files, read when they are asked for, as often as that is."""
        import pyarrow as pa
        from pyarrow.dataset import dataset
        from pyiceberg.io.pyarrow import PyArrowFileIO, schema_to_pyarrow

        columns = schema_to_pyarrow(table.schema(), include_field_ids=False)
        columns = pa.schema(list(map(pa.Field.with_name, columns, _names_in_files(table))))
        if not files:
            return columns.empty_table()
        places = [PyArrowFileIO.parse_location(file) for file in files]
        scheme, host, _ = places[0]
        if any(place[:2] != (scheme, host) for place in places):
            raise self._not_readable("files in several storages")
        paths = [path for _, _, path in places]
        if scheme == "file" and self._confined_to is not None:  # a catalog may name files anywhere
            confine(map(Path, paths), self._confined_to)
        filesystem = PyArrowFileIO(table.io.properties).fs_by_scheme(scheme, host)
        rows = dataset(paths, schema=columns, format="parquet", filesystem=filesystem)
        self._check_columns(table, rows)
        return rows

    def _check_columns(self, table: Any, rows: Any) -> None:
        """Refuse files whose columns are not known by these names: read by name they would be empty, or others."""
        ids = dict(zip(_names_in_files(table), (one.field_id for one in table.schema().fields), strict=True))
        names = {number: name for name, number in ids.items()}
        for file in rows.get_fragments():
            for column in file.physical_schema:
                number = (column.metadata or {}).get(_FIELD_ID)
                if number is None:
                    raise self._not_readable("files without the ids of their columns")
                is_named = names.get(int(number), column.name) == column.name
                if not is_named or ids.get(column.name, int(number)) != int(number):
                    raise self._not_readable("columns that were renamed, or dropped and made again")

    def _version(self, table: Any, snapshot: Any, files: int) -> Json:
        """The table, its id, the snapshot that is read and when that was written; none in a table without rows."""
        written = None if snapshot is None else datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC).isoformat()
        return {
            "table": self._table,
            "id": str(table.metadata.table_uuid),
            "snapshot": None if snapshot is None else str(snapshot.snapshot_id),
            "written": written,
            "files": files,
        }

    def _not_readable(self, feature: str) -> InputRefused:
        return InputRefused(
            f"the Iceberg table '{self._table}' has a feature that cannot be read here",
            got=feature,
            hint='read it through Spark: kind = "spark"',
        )


def _names_in_files(table: Any) -> list[str]:
    """How the columns are called in Parquet files: a name that Avro would not take is written otherwise there."""
    from pyiceberg.schema import sanitize_column_names

    return [one.name for one in sanitize_column_names(table.schema()).fields]


def _rows_not_known(window: Window) -> None:
    """How many rows a scan reads is not looked up."""


@contextmanager
def _iceberg_errors(table: str) -> Iterator[None]:
    """Turn errors of catalog and storage into Unreachable. Their words may quote an address with a secret."""
    from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

    try:
        yield
    except StratawatchError:
        raise
    except (NoSuchTableError, NoSuchNamespaceError) as error:
        raise Unreachable(
            f"the catalog has no Iceberg table '{table}'", hint="check the source, and that the export has run"
        ) from error
    except Exception as error:  # a client of any catalog has errors of its own
        raise Unreachable(
            f"the Iceberg table '{table}' cannot be read",
            got=type(error).__name__,
            hint="check the catalog's properties and that it answers; it is read again at the next advance",
        ) from error
