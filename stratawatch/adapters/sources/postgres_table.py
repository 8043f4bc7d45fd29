"""Predictions in a table or view of PostgreSQL: counted there, in a snapshot of the server."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources import SourceSettings, call_and_score_sql
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.postgres_session import postgres_errors, server_url, snapshot
from stratawatch.adapters.sources.quoting import identifier
from stratawatch.adapters.sources.sql_source import BATCH_ROWS, Rows, SqlEngine, SqlSource, TableColumns, is_text
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import ColumnProblem
from stratawatch.errors import InputRefused
from stratawatch.settings.database_urls import check_postgres_url, host_and_database, postgres_url
from stratawatch.settings.postgres_keys import PostgresKeys
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

# A type of PostgreSQL -> DuckDB's name of it; columns of other types serve as payload or segment only.
_TYPES: Final[Mapping[str, str]] = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "numeric": call_and_score_sql.UNBOUNDED,
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "VARCHAR",
    "character varying": "VARCHAR",
    "character": "VARCHAR",
    "citext": "VARCHAR",
    "name": "VARCHAR",
    "uuid": "UUID",
    "date": "DATE",
    "timestamp without time zone": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMPTZ",
}

_COLUMNS: Final = """
SELECT a.attname, CASE WHEN t.typtype = 'e' THEN 'text' ELSE
       FORMAT_TYPE(COALESCE(NULLIF(t.typbasetype, 0), a.atttypid), NULL) END
FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = CAST(%s AS regclass) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_SCHEMA_AND_NAME: Final = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = CAST(%s AS regclass)
"""
# Arrays as parameters: a read-only transaction and a standby have no temporary tables.
_TABLE: Final = "{table} ({names}) AS MATERIALIZED (SELECT * FROM UNNEST({arrays}))"
# The first release that can say whether a text is a number.
_FIRST_GUARDED: Final = 16


@dataclass
class PostgresEngine(SqlEngine):
    """An open transaction as the engine of a source."""

    connection: "Connection"
    _tables: dict[str, TableColumns] = field(default_factory=dict)

    def column_problems(self) -> Iterable[ColumnProblem]:
        """The columns that are missing or cannot hold what they should, on this release."""
        panel, types = self.statements.panel, self.statements.types
        return super().column_problems() or _unreadable_texts(self.connection, panel, types)

    def batches(self, sql: str) -> Iterator[Rows]:
        """Run a query and yield its rows in batches."""
        tables = {name: columns for name, columns in self._tables.items() if name in sql}
        if tables and sql.startswith("WITH "):  # other queries join no tables of ours
            rest = sql.removeprefix("WITH ").replace("%", "%%")
            values = tuple(_values(column) for columns in tables.values() for column in columns.values())
            result = self.connection.exec_driver_sql(f"WITH {_arrays(tables)}, {rest}", values)
        else:
            result = self.connection.exec_driver_sql(sql, execution_options={"no_parameters": True})
        for rows in result.partitions(BATCH_ROWS):
            yield [tuple(row) for row in rows]

    def put_table(self, name: str, columns: TableColumns) -> None:
        """Replace a small table."""
        self._tables[name] = columns


def _values(column: "NDArray[Any]") -> list[Any]:
    """The values of a column; a text with a zero byte, which PostgreSQL cannot hold, becomes None."""
    return [None if isinstance(value, str) and "\0" in value else value for value in column.tolist()]


def _arrays(tables: Mapping[str, TableColumns]) -> str:
    """Tables as the first steps of a query; their columns are its parameters."""
    steps = []
    for name, columns in tables.items():
        kinds = ("TEXT[]" if is_text(column) else "INT[]" for column in columns.values())
        arrays = ", ".join(f"CAST(%s AS {kind})" for kind in kinds)
        steps.append(_TABLE.format(table=name, names=", ".join(columns), arrays=arrays))
    return ", ".join(steps)


class PostgresSettings(SourceSettings, PostgresKeys):
    """kind = "postgres": a table or view of PostgreSQL."""

    kind: Literal["postgres"]
    url: Annotated[str, BeforeValidator(check_postgres_url), Field(repr=False)]
    password: Secret | None = None
    table: Text
    timeout: Annotated[PositiveDuration, Field(le=timedelta(days=1))] = timedelta(hours=1)

    @property
    def description(self) -> str:
        """The place that is read, in words for people."""
        table = f"{self.schema_}.{self.table}" if self.schema_ else self.table
        return f"postgres: {table} of {host_and_database(self.url)}"

    @property
    def server_key(self) -> str:
        """Where the server is."""
        return "url"

    def build(self, context: BuildContext) -> "PostgresSource":
        """The source; its address is put together with its password."""
        password = self.password.get_secret_value() if self.password else None
        url = postgres_url(context.folder, self.url, password, self.connection_options(context.folder))
        return PostgresSource(url, self.table, schema=self.schema_, timeout=self.timeout)


class PostgresSource(SqlSource):
    """Reads a table or a view. `timeout` limits each query. `url` may hold a password, which is never shown."""

    def __init__(
        self, url: str, table: str, *, schema: str | None = None, timeout: timedelta = timedelta(hours=1)
    ) -> None:
        self._url, self._timeout = server_url(url), timeout
        names = [table] if schema is None else [schema, table]
        self._table, self._relation = ".".join(names), ".".join(identifier(name) for name in names)

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[PostgresEngine]:
        with postgres_errors(self._table), snapshot(self._url, self._timeout) as connection:
            types = self._types(connection)
            _require_utf8(connection)
            statements = statements_for(panel, self._qualified(connection), types, "postgres")
            facts = self._facts(connection)
            # The transactions that are seen: they are the same until this one ends.
            snapshot_id = connection.exec_driver_sql("SELECT CAST(PG_CURRENT_SNAPSHOT() AS TEXT)").scalar_one()
            yield PostgresEngine(statements, facts, {**facts, "snapshot": snapshot_id}, connection)

    def _types(self, connection: "Connection") -> dict[str, str]:
        found = connection.exec_driver_sql(_COLUMNS, (self._relation,)).all()
        return {name: _TYPES.get(kind.rpartition(".")[2], kind.upper()) for name, kind in found}

    def _qualified(self, connection: "Connection") -> str:
        """The table with its schema: else a query's own steps would hide a table of the same name."""
        found = connection.exec_driver_sql(_SCHEMA_AND_NAME, (self._relation,)).one()
        return ".".join(identifier(name) for name in found)

    def _facts(self, connection: "Connection") -> Mapping[str, str]:
        release = ".".join(map(str, connection.dialect.server_version_info or ()))
        reached: Any = connection.connection.driver_connection
        return {
            "table": self._table,
            "database": f"{reached.info.dbname} of PostgreSQL {release}",
            "server": f"{reached.info.host}:{reached.info.port}",
        }


def _require_utf8(connection: "Connection") -> None:
    """Refuse a database that would hash ids otherwise than every other engine does."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise InputRefused(
            "the database does not keep text as UTF-8, so that its hashes of ids are not those of other engines",
            expected="UTF8",
            got=encoding,
        )


def _unreadable_texts(connection: "Connection", panel: PanelSpec, types: Mapping[str, str]) -> Iterator[ColumnProblem]:
    """Columns of text that older releases cannot read row by row as a number or a time."""
    release = (connection.dialect.server_version_info or (0,))[0]
    for role in panel.column_roles():
        is_parsed = role.role in ("time", "score", "auxiliary") and kind_of(types[role.column]) == "text"
        if is_parsed and release < _FIRST_GUARDED:
            what = f"column {role.column!r} is text, which PostgreSQL {release} cannot read row by row"
            hint = "give the source a view that casts it"
            yield ColumnProblem(role, InputRefused(f"{what} as a number or a time", hint=hint))
