"""One read-only transaction of PostgreSQL that sees one state of the data, and its errors as sentences."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stratawatch.errors import ConfigError, InputRefused, NoConnection, Unreachable
from stratawatch.extras import require

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL, Engine

CONNECTING: Final = 10
"""Seconds to wait for a server."""


def address(url: str) -> "URL":
    """The address for psycopg 3, whatever spelling was used."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # their own words would repeat the address, password included
        raise ConfigError("the source's url cannot be read", expected="postgresql://user@host/database") from None
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigError("the source's url is not one of PostgreSQL", expected="postgresql://user@host/database")
    return parsed.set(drivername="postgresql+psycopg")


@contextmanager
def snapshot(url: "URL", timeout: timedelta) -> Iterator["Connection"]:
    """Connect and begin; what others write meanwhile is not seen. A statement may take `timeout`."""
    from sqlalchemy import NullPool, create_engine

    require("postgres")
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": CONNECTING})
    with _connected(engine) as plain:
        connection = plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            # Not as start-up options: connection poolers refuse those.
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(timeout.total_seconds() * 1000)}")
            connection.exec_driver_sql("SET LOCAL lock_timeout = '30s'")
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'UTC'")
            connection.exec_driver_sql("SET LOCAL DateStyle = 'ISO, YMD'")
            connection.exec_driver_sql("SET LOCAL client_encoding = 'UTF8'")
            yield connection


def _connected(engine: "Engine") -> "Connection":
    from sqlalchemy.exc import DBAPIError

    try:
        return engine.connect()
    except DBAPIError as trouble:
        raise NoConnection(
            "PostgreSQL does not let this program in",
            got=_first_line(trouble),
            hint="check the source's url and password, and that the server runs",
        ) from trouble


@contextmanager
def reading(asked: str) -> Iterator[None]:
    """Turn the driver's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    from sqlalchemy.exc import DataError, DBAPIError

    try:
        yield
    except DataError as trouble:
        raise InputRefused(f"'{asked}' holds a value that cannot be read", got=_first_line(trouble)) from trouble
    except DBAPIError as trouble:
        state = _state(trouble)
        if state.startswith(_MISFIT) and state not in _MENDED_THERE:
            hint = _HINTS.get(state, "give the source a view that the panel's columns fit")
            raise InputRefused(
                f"the columns of '{asked}' do not fit together", got=_first_line(trouble), hint=hint
            ) from trouble
        raise Unreachable(f"'{asked}' cannot be read", got=_first_line(trouble), hint=_hint(trouble)) from trouble


_HINTS: Final = {
    "57014": "raise the source's timeout",
    "42P01": "check the source's schema and table",
    "3F000": "check the source's schema and table",
    "42501": "grant SELECT on it to the source's user",
    "42883": "give the table columns of numbers and timestamps, or a view that casts them",
}
"""By SQLSTATE."""
_MISFIT: Final = "42"
"""The class of what a query names and the server does not have so: no such column, two of a name, another type."""
_MENDED_THERE: Final = ("42P01", "42501")
"""Of that class what changes without a word of the configuration: the table comes, the right is granted."""
_LONGEST: Final = 200
"""Letters of the server's words: they may repeat a value of any length."""


def _state(trouble: Exception) -> str:
    return getattr(getattr(trouble, "orig", None), "sqlstate", None) or ""


def _hint(trouble: Exception) -> str:
    return _HINTS.get(_state(trouble), "it is read again at the next advance")


def _first_line(trouble: Exception) -> str:
    line = (str(getattr(trouble, "orig", trouble)).strip().splitlines() or ["no reason"])[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
