"""Inserts that meet a row which is there already, in one form for both databases."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from sqlalchemy import Column, Connection, Row, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from stratawatch.errors import StaleState

KEYS_AT_ONCE: Final = 2000
"""Bind parameters of one query; SQLite allows 32,766 and PostgreSQL 65,535."""

_UNIQUE: Final = {"23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"}

Values = Mapping[str, Any]


def upsert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that knows ON CONFLICT, of the connection's dialect."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def insert_new(
    connection: Connection, table: Table, rows: Sequence[Values], returning: Column[Any]
) -> Sequence[Row[Any]]:
    """Insert the rows that meet no unique index; returns a column of those that were new."""
    if not rows:
        return []
    statement = upsert(connection, table).on_conflict_do_nothing().returning(returning)
    return connection.execute(statement, [dict(row) for row in rows]).all()


def insert_all(connection: Connection, table: Table, rows: Sequence[Values]) -> None:
    """Insert rows, if there are any."""
    if rows:
        connection.execute(table.insert(), [dict(row) for row in rows])


def in_parts(keys: Collection[str]) -> Iterator[list[str]]:
    """Distinct keys, in parts that fit into one query."""
    rest = iter(dict.fromkeys(keys))
    while part := list(islice(rest, KEYS_AT_ONCE)):
        yield part


@contextmanager
def duplicate_as_stale(message: str) -> Iterator[None]:
    """Turn a unique index's refusal into StaleState: somebody else wrote that row first."""
    try:
        yield
    except IntegrityError as trouble:
        code = getattr(trouble.orig, "sqlstate", None) or getattr(trouble.orig, "sqlite_errorname", None)
        if code not in _UNIQUE:
            raise
        raise StaleState(message) from trouble
