"""SQLAlchemy engines for the two databases, set up so that a transaction means the same on both."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from stratawatch.adapters.store.json_codec import dumps
from stratawatch.errors import ConfigError, Unreachable
from stratawatch.extras import require
from stratawatch.formatting import first_line
from stratawatch.settings.connection_options import LOCK_TIMEOUT, OWN, client_arguments, local_settings

BUSY_SECONDS: Final = 30
"""How long a writer waits for another before it gives up."""

_INSUFFICIENT_PRIVILEGE: Final = "42501"  # SQLSTATE

LOOKING: Final = "stratawatch_looking"
"""Execution option of a connection that reads one thing and takes no lock for it."""


def store_url(text: str) -> URL:
    """Parse a store's address. PostgreSQL is spoken through psycopg 3, whatever spelling was used."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # their own words would repeat the address, password included
        raise ConfigError(
            "the store's url cannot be read", expected="sqlite:///file.db or postgresql://user@host/name"
        ) from None
    match url.get_backend_name():
        case "sqlite":
            return url.set(drivername="sqlite")
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
        case other:
            raise ConfigError(
                f"a store of kind '{other}' is not known", expected="sqlite:///file.db or postgresql://user@host/name"
            )


def url_without_password(url: URL) -> str:
    """The address without its password, for people and logs."""
    return url.set(query={}).render_as_string(hide_password=True)


def sqlite_file(url: URL) -> Path | None:
    """The file behind a SQLite address; None for PostgreSQL and for a store in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def create_private(url: URL) -> None:
    """Create the file of a SQLite store that is not there so that nobody else can read it, nor its side files."""
    file = sqlite_file(url)
    if file is not None:
        with suppress(OSError):  # it is there, or the database says in its words why it cannot be created
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))


def connect(url: URL) -> Engine:
    """An engine whose transactions are safe for compare-and-set between processes."""
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgres(url)


def _sqlite(url: URL) -> Engine:
    """BEGIN IMMEDIATE: the write lock is taken before anything is read, so what was read still holds when writing.

    A deferred transaction would read first and then fail to upgrade (SQLITE_BUSY_SNAPSHOT, which no timeout cures).
    """
    engine = create_engine(url, hide_parameters=True, json_serializer=dumps, json_deserializer=json.loads)

    @event.listens_for(engine, "connect")
    def _set_up(dbapi_connection: Any, _record: Any) -> None:
        dbapi_connection.isolation_level = None  # the driver opens no transaction of its own
        cursor = dbapi_connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        cursor.execute("PRAGMA journal_mode = WAL")
        # WAL with NORMAL survives kill -9 too, but a power cut may take back the last commits, and by then the
        # queue has the batch and the folder's answers are filed away. A few commits a minute can afford FULL.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        only_looking = connection.get_execution_options().get(LOOKING, False)
        connection.exec_driver_sql("BEGIN" if only_looking else "BEGIN IMMEDIATE")

    return engine


def _postgres(url: URL) -> Engine:
    """READ COMMITTED is enough: a compare-and-set is one UPDATE, which waits for the row's other writer.

    It then looks at the row again as that writer left it, finds another state and changes nothing. Inserts
    that race meet in a unique index. A stricter level would only turn these answers into errors.
    """
    require("postgres")
    own = {name: str(value) for name, value in url.query.items() if name in OWN}
    settings = local_settings({LOCK_TIMEOUT: str(BUSY_SECONDS * 1000), **own})
    engine = create_engine(
        url.difference_update_query(OWN),
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        hide_parameters=True,  # an error would quote labels and what labellers see, in logs and in alerts
        json_serializer=dumps,
        json_deserializer=json.loads,
        # A pooler in transaction mode gives the next transaction another connection: statements that were prepared on
        # this one, and settings of the session, would be gone there, or be another client's.
        connect_args={**client_arguments(url.query), "prepare_threshold": None},
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # Not as a start-up option either: poolers refuse those.
        for statement in settings:
            connection.exec_driver_sql(statement)

    return engine


def missing_right(url: URL, what: str) -> ConfigError:
    """The error for a user of PostgreSQL who may not do something, with the command that prints the rights."""
    return ConfigError(
        f"the user '{url.username}' has no right to do this in the store {url_without_password(url)}",
        got=what,
        hint=f"as the tables' owner: stratawatch grants writer {url.username} | psql -d {url.database}",
    )


@contextmanager
def database_errors(url: URL) -> Iterator[None]:
    """Turn what a driver raises when the database does not answer into Unreachable."""
    try:
        yield
    except (OperationalError, InterfaceError) as trouble:
        if "authentication failed" in str(trouble.orig):
            raise Unreachable(
                f"the store {url_without_password(url)} refuses the user or the password",
                got=first_line(str(trouble.orig)),
                hint="mend `url` or `password` below [store], or the user at the server; nothing was changed",
            ) from trouble
        raise Unreachable(
            f"the store {url_without_password(url)} did not answer",
            got=first_line(str(trouble.orig)),
            hint="nothing was changed; try again",
        ) from trouble
    except DBAPIError as trouble:
        if getattr(trouble.orig, "sqlstate", None) == _INSUFFICIENT_PRIVILEGE:
            raise missing_right(url, first_line(str(trouble.orig))) from trouble
        if "malformed" in str(trouble.orig):
            raise ConfigError(
                f"the SQLite file {url_without_password(url)} is damaged",
                got=first_line(str(trouble.orig)),
                hint="restore it from a backup",
            ) from trouble
        if "not a database" not in str(trouble.orig):
            raise
        raise ConfigError(
            f"{url_without_password(url)} is not a SQLite database", hint="give the store a file of its own"
        ) from trouble
