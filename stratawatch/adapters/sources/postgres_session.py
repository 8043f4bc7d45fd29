"""One read-only transaction of PostgreSQL that sees one state of the data, and its errors as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stratawatch.errors import ConfigError, InputRefused, NoConnection, Unreachable
from stratawatch.extras import require
from stratawatch.formatting import first_line, shortened
from stratawatch.settings.connection_options import LOCK_TIMEOUT, OWN, client_arguments, local_settings

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL, Engine

LOCK_MILLISECONDS: Final = "5000"
"""How long a locked table is waited for, unless the source says otherwise: it is read again at the next advance."""


def server_url(url: str) -> "URL":
    """The address in the form for psycopg 3, whichever form was given."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # their messages repeat the address, password included
        raise ConfigError("the source's url cannot be read", expected="postgresql://user@host/database") from None
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigError("the source's url is not one of PostgreSQL", expected="postgresql://user@host/database")
    return parsed.set(drivername="postgresql+psycopg")


@contextmanager
def snapshot(url: "URL", timeout: timedelta) -> Iterator["Connection"]:
    """Connect and begin a transaction that does not see what others write meanwhile. A statement may take `timeout`."""
    from sqlalchemy import NullPool, create_engine

    require("postgres")
    # Nothing is prepared, for that belongs to a session, which poolers share out.
    arguments = {**client_arguments(url.query), "prepare_threshold": None}
    own = {LOCK_TIMEOUT: LOCK_MILLISECONDS, **{name: str(url.query[name]) for name in OWN if name in url.query}}
    address = url.difference_update_query(OWN)
    engine = create_engine(address, poolclass=NullPool, hide_parameters=True, connect_args=arguments)
    with _connected(engine) as unconfigured:
        connection = unconfigured.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            # Not as start-up options: connection poolers refuse those.
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(timeout.total_seconds() * 1000)}")
            for statement in local_settings(own):
                connection.exec_driver_sql(statement)
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'UTC'")
            connection.exec_driver_sql("SET LOCAL DateStyle = 'ISO, YMD'")
            connection.exec_driver_sql("SET LOCAL client_encoding = 'UTF8'")
            yield connection


def _connected(engine: "Engine") -> "Connection":
    from sqlalchemy.exc import DBAPIError

    try:
        return engine.connect()
    except DBAPIError as error:
        raise NoConnection(
            "PostgreSQL does not let this program in",
            got=_first_line(error),
            hint="check the source's url and password, and that the server runs",
        ) from error


@contextmanager
def postgres_errors(source: str) -> Iterator[None]:
    """Turn the driver's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    from sqlalchemy.exc import DataError, DBAPIError

    try:
        yield
    except DataError as error:
        raise InputRefused(f"'{source}' holds a value that cannot be read", got=_first_line(error)) from error
    except DBAPIError as error:
        state = _state(error)
        if state.startswith(_SYNTAX_OR_ACCESS) and state not in _MENDED_AT_THE_SERVER:
            hint = _HINTS.get(state, "give the source a view that the panel's columns fit")
            raise InputRefused(
                f"the columns of '{source}' do not fit together", got=_first_line(error), hint=hint
            ) from error
        raise Unreachable(f"'{source}' cannot be read", got=_first_line(error), hint=_hint(error)) from error


# By SQLSTATE.
_HINTS: Final = {
    "57014": "raise the source's timeout",
    "55P03": "somebody holds a lock on it; it is read again at the next advance, after those that can be read",
    "42P01": "check the source's schema and table",
    "3F000": "check the source's schema and table",
    "42501": "grant SELECT on it to the source's user",
    "42883": "give the table columns of numbers and timestamps, or a view that casts them",
}
# The class of a query's names that the server does not know or that do not fit: columns, types, tables, rights.
_SYNTAX_OR_ACCESS: Final = "42"
# Of that class what the server can mend without a change of the configuration: a table, a right.
_MENDED_AT_THE_SERVER: Final = ("42P01", "42501")
# Characters of the server's message that are kept: it may repeat a value of any length.
_MAX_LENGTH: Final = 200


def _state(error: Exception) -> str:
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""


def _hint(error: Exception) -> str:
    return _HINTS.get(_state(error), "it is read again at the next advance")


def _first_line(error: Exception) -> str:
    return shortened(first_line(str(getattr(error, "orig", error))), _MAX_LENGTH)
