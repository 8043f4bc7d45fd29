"""Predictions that Spark reads and counts on its workers: a table of its catalog, or files on any storage it reads."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources import SourceSettings
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.spark_connect import connect_session, version_by_names
from stratawatch.adapters.sources.spark_file_listing import list_frame_files
from stratawatch.adapters.sources.spark_session import spark_errors, spark_session
from stratawatch.adapters.sources.sql_source import BATCH_ROWS, Rows, SqlEngine, SqlSource, TableColumns, is_text
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import ConfigError
from stratawatch.settings.shapes import KeysAndSecrets, Secret, Text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

# A type of Spark -> DuckDB's name of it, in which the queries are written.
_TYPES: Final[Mapping[str, str]] = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
    "timestamp_ntz": "TIMESTAMP",
    "void": "NULL",
}
_TYPES_BY_FIRST_WORD: Final[Mapping[str, str]] = {
    "string": "VARCHAR",
    "varchar": "VARCHAR",
    "char": "VARCHAR",
    "decimal": "DECIMAL",
}
# A view in our own session. The source's table is looked up before the view exists, so that it hides no such table.
_POPULATION: Final = "population"


@dataclass
class SparkEngine(SqlEngine):
    """An open Spark session as the engine of a source; every row is taken to have the columns that Spark found."""

    session: "SparkSession"

    def batches(self, sql: str) -> Iterator[Rows]:
        """Run a query and yield its rows in batches."""
        rows = iter(self.session.sql(sql).collect())
        while batch := list(islice(rows, BATCH_ROWS)):
            yield batch

    def put_table(self, name: str, columns: TableColumns) -> None:
        """Replace a view that stands for a small table."""
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        schema = ", ".join(f"{one} {'STRING' if is_text(column) else 'INT'}" for one, column in columns.items())
        self.session.createDataFrame(rows, schema=schema).createOrReplaceTempView(name)


def _check_workers_find(path: str) -> str:
    """Refuse a path that each of Spark's processes would begin in a folder of its own."""
    if "://" not in path and not path.startswith("/"):
        raise ValueError('is relative, so that Spark\'s workers cannot find it; write "s3a://..." or "/data/..."')
    return path


def _check_remote(address: str) -> str:
    """Refuse what is no address of a Spark Connect server, and a token in it."""
    if not address.startswith("sc://"):
        raise ValueError('is no address of a Spark Connect server, such as "sc://spark.example.org:15002"')
    if "token=" in address.lower():
        raise ValueError("holds a token, which belongs into the key `token`")
    return address


class SparkSettings(SourceSettings):
    """kind = "spark": a table of Spark's catalog, or files on any storage that Spark knows."""

    kind: Literal["spark"]
    master: Text | None = None
    remote: Annotated[Text, AfterValidator(_check_remote)] | None = None
    token: Secret | None = None
    table: Text | None = None
    path: Annotated[Text, AfterValidator(_check_workers_find)] | None = None
    format: Text = "parquet"
    options: KeysAndSecrets = Field(default_factory=dict, repr=False)
    settings: KeysAndSecrets = Field(default_factory=dict, repr=False)

    @model_validator(mode="after")
    def _one_of_both(self) -> "SparkSettings":
        if (self.table is None) == (self.path is None):
            raise ValueError("needs a `table` or a `path`, and not both")
        if self.remote is not None and self.master is not None:
            raise ValueError("has a `master`, where Spark is started, and a `remote`, where it runs: one of both")
        if self.token is not None and self.remote is None:
            raise ValueError("has a `token` and no `remote` that asks for it")
        return self

    @property
    def description(self) -> str:
        """The place that is read, in words for people."""
        return f"spark: {self.table or self.path}"

    @property
    def content_key(self) -> str:
        """The table, or the files."""
        return "table" if self.path is None else "path"

    @property
    def server_key(self) -> str:
        """Where Spark is started or runs, if that is said."""
        return "remote" if self.remote is not None else self.content_key if self.master is None else "master"

    def build(self, context: BuildContext) -> "SparkSource":
        """The source; secrets among its options and settings are looked up."""
        return SparkSource(
            self.table,
            path=self.path,
            format=self.format,
            options=context.resolved(self.options),
            master=self.master,
            settings=context.resolved(self.settings),
            remote=self.remote,
            token=context.reveal(self.token).get_secret_value() if self.token else None,
        )


class SparkSource(SqlSource):
    """Reads a `table` of the catalog, or files at a `path` in a `format` of Spark's (parquet, csv, orc, delta, ...).

    `master` is where Spark is started when none runs in this process, `settings` is its configuration, `options` are
    those of Spark's reader. With `remote` a session of the Spark Connect server there is used, with a `token` if it
    asks for one; `settings` are then the session's.
    """

    def __init__(
        self,
        table: str | None = None,
        *,
        path: str | None = None,
        format: str = "parquet",  # noqa: A002 - Spark's own word
        options: Mapping[str, str] | None = None,
        master: str | None = None,
        settings: Mapping[str, str] | None = None,
        remote: str | None = None,
        token: str | None = None,
    ) -> None:
        if (table is None) == (path is None):
            raise ConfigError("a source of Spark needs a table or a path, and not both")
        self._table, self._path, self._format = table, path, format
        self._options, self._master, self._settings = dict(options or {}), master, dict(settings or {})
        self._remote, self._token = remote, token
        self._name = str(table or path)

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[SparkEngine]:
        if self._remote is not None:
            with connect_session(self._remote, self._token, self._settings) as session, spark_errors(self._name):
                frame = self._frame(session)
                yield self._engine(panel, session, frame, version_by_names(frame))
            return
        with spark_session(self._master, self._settings) as session, spark_errors(self._name):
            frame = self._frame(session)
            files = list_frame_files(frame)
            with files.unchanged(), spark_errors(self._name):
                yield self._engine(panel, session, frame, files.version())

    def _engine(self, panel: PanelSpec, session: "SparkSession", frame: "DataFrame", version: Json) -> SparkEngine:
        types = {column.name: _type(column.dataType) for column in frame.schema.fields}
        frame.createOrReplaceTempView(_POPULATION)
        facts = self._facts(session)
        return SparkEngine(statements_for(panel, _POPULATION, types, "spark"), facts, {**facts, **version}, session)

    def _frame(self, session: "SparkSession") -> "DataFrame":
        if self._table is not None:
            return session.read.table(self._table)
        options = {"header": "true"} if self._format == "csv" else {}
        return session.read.format(self._format).options(**{**options, **self._options}).load(self._path)

    def _facts(self, session: "SparkSession") -> Mapping[str, str]:
        where = {"table": self._name} if self._table is not None else {"path": self._name, "format": self._format}
        return {**where, "engine": f"Spark {session.version}"}


def _type(kind: "DataType") -> str:
    name = kind.simpleString()
    words = name.replace("(", " ").split()
    return _TYPES.get(name) or _TYPES_BY_FIRST_WORD.get(words[0]) or name.upper()
