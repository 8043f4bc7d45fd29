"""Read the statements of sql/glance in one consistent view of the database."""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

SQLITE: Final = "sqlite:///"
BUSY_SECONDS: Final = 10
STATEMENTS: Final = ("panels", "streams", "cycles", "incidents", "batches", "undelivered")
_TIMES: Final = frozenset({"oldest", "deadline_at", "newest_window_end", "window_start", "window_end"})

Row = Mapping[str, Any]


class Unready(Exception):  # noqa: N818 - it is a state of the store, which the caller looks into
    """The store is not there, or at another schema, or does not answer."""


@dataclass(frozen=True)
class Glance:
    """What the store says, by statement."""

    panels: tuple[Row, ...]
    streams: tuple[Row, ...]
    cycles: tuple[Row, ...]
    incidents: tuple[Row, ...]
    batches: tuple[Row, ...]
    undelivered: tuple[Row, ...]


def look(url: str) -> Glance:
    """Read everything at once, changing nothing; raises Unready when the real store should be asked."""
    read = _sqlite if url.startswith(SQLITE) else _postgres
    return Glance(**read(url, {name: _statement(name) for name in STATEMENTS}))


def expected_schema() -> str:
    """The revision of the newest migration."""
    versions = _folder() / "migrations" / "versions"
    return max(path.name.partition("_")[0] for path in versions.glob("[0-9]*_*.py"))


def _folder() -> Path:
    return Path(str(import_module("stratawatch.sql").__file__)).parent


def _statement(name: str) -> str:
    return (_folder() / "glance" / f"{name}.sql").read_text(encoding="utf-8")


def _sqlite(url: str, statements: Mapping[str, str]) -> dict[str, tuple[Row, ...]]:
    import sqlite3

    path = Path(url.removeprefix(SQLITE))
    if not path.is_file():
        raise Unready
    try:
        # rw and not ro: reading a database in WAL mode may have to make its shared-memory file.
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS)) as connection:
            connection.isolation_level = None
            connection.execute("BEGIN")  # a read transaction: one moment for all statements
            return _read(connection.cursor(), statements)
    except sqlite3.Error as trouble:
        raise Unready from trouble


def _postgres(url: str, statements: Mapping[str, str]) -> dict[str, tuple[Row, ...]]:
    try:
        import psycopg
    except ModuleNotFoundError as missing:
        raise Unready from missing
    try:
        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=BUSY_SECONDS) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            return _read(connection.cursor(), statements)
    except psycopg.Error as trouble:
        raise Unready from trouble


def _read(cursor: Any, statements: Mapping[str, str]) -> dict[str, tuple[Row, ...]]:
    cursor.execute("SELECT version_num FROM stratawatch_schema")
    if cursor.fetchone() != (expected_schema(),):
        raise Unready
    return {name: _rows(cursor, text) for name, text in statements.items()}


def _rows(cursor: Any, statement: str) -> tuple[Row, ...]:
    cursor.execute(statement)
    names = [column[0] for column in cursor.description]
    rows: Sequence[Sequence[Any]] = cursor.fetchall()
    return tuple({name: _value(name, value) for name, value in zip(names, row, strict=True)} for row in rows)


def _value(name: str, value: Any) -> Any:
    """Times are aware and in UTC; SQLite keeps them as text without an offset."""
    if isinstance(value, str) and name == "profile":
        return json.loads(value)
    if isinstance(value, str) and (name.endswith("_at") or name in _TIMES):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return value
