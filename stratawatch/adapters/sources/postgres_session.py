"""One read-only transaction of PostgreSQL that sees one state of the data, and its errors as sentences."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stratawatch.errors import ConfigError, InputRefused, Unreachable

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

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

    try:
        engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": CONNECTING})
    except ModuleNotFoundError as missing:
        raise ConfigError(
            "the PostgreSQL driver is not installed", hint="install stratawatch[postgres], or psycopg 3"
        ) from missing
    with engine.connect() as plain:
        connection = plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            # Not as start-up options: connection poolers refuse those.
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(timeout.total_seconds() * 1000)}")
            connection.exec_driver_sql("SET LOCAL lock_timeout = '30s'")
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'UTC'")
            connection.exec_driver_sql("SET LOCAL DateStyle = 'ISO, YMD'")
            connection.exec_driver_sql("SET LOCAL client_encoding = 'UTF8'")
            yield connection


@contextmanager
def reading(asked: str) -> Iterator[None]:
    """Turn the driver's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    from sqlalchemy.exc import DataError, DBAPIError

    try:
        yield
    except DataError as trouble:
        raise InputRefused(f"'{asked}' holds a value that cannot be read", got=_first_line(trouble)) from trouble
    except DBAPIError as trouble:
        raise Unreachable(f"'{asked}' cannot be read", got=_first_line(trouble), hint=_hint(trouble)) from trouble


_HINTS: Final = {
    "57014": "raise the source's timeout",
    "42P01": "check the source's schema and table",
    "3F000": "check the source's schema and table",
    "42501": "grant SELECT on it to the source's user",
    "42883": "give the table columns of numbers and timestamps, or a view that casts them",
}
"""By SQLSTATE."""


def _hint(trouble: Exception) -> str:
    state = getattr(getattr(trouble, "orig", None), "sqlstate", None)
    return _HINTS.get(state or "", "it is read again at the next advance")


def _first_line(trouble: Exception) -> str:
    return (str(getattr(trouble, "orig", trouble)).strip().splitlines() or ["no reason"])[0]
