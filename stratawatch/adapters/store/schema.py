"""Which schema a store has, and bringing it up to date. Reading it needs no Alembic; migrating does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal

from sqlalchemy import URL, Connection, Engine, func, inspect, select, text

from stratawatch.adapters.store.database import (
    LOOKING,
    connect,
    create_private,
    database_errors,
    missing_right,
    sqlite_file,
    store_url,
    url_without_password,
)
from stratawatch.errors import SchemaMismatch

VERSION_TABLE: Final = "stratawatch_schema"
"""Not Alembic's default name: Prefect's server may live in the same database."""

REVISIONS: Final = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
)
"""Every schema there was, oldest first; a test compares them with the migrations."""

EXPECTED: Final = REVISIONS[-1]

SchemaState = Literal["current", "older", "newer", "empty"]

_MIGRATION_LOCK: Final = 0x57A7B


def schema_state(url: str) -> SchemaState:
    """Whether the store at `url` fits this program. Looking at a missing SQLite file does not create it."""
    address = store_url(url)
    file = sqlite_file(address)
    if file is not None and not file.exists():
        return "empty"
    with _engine(address) as engine:
        return compare_schema_version(read_schema_version(engine))


def migrate(url: str) -> None:
    """Create the store, or bring it to this program's schema; a newer one is refused."""
    address = store_url(url)
    create_private(address)
    with _engine(address) as engine:
        upgrade(engine)


@contextmanager
def _engine(address: URL) -> Iterator[Engine]:
    engine = connect(address)
    try:
        with database_errors(address):
            yield engine
    finally:
        engine.dispose()


def upgrade(engine: Engine) -> None:
    """Run the missing migrations with their records in one transaction: all of it, or nothing."""
    from alembic import command

    with engine.begin() as sql:
        if sql.dialect.name == "postgresql":  # two processes at once: the second finds the work done
            sql.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        state = compare_schema_version(stored_schema_version(sql))
        if state == "newer":
            raise mismatch(state, url_without_password(engine.url))
        if state != "current":
            command.upgrade(alembic_config(sql), "head")


def alembic_config(sql: Connection | None = None) -> Any:
    """Alembic's configuration, built here; there is no alembic.ini."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "stratawatch.sql:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = sql
    return config


def read_schema_version(engine: Engine) -> str | None:
    """The stored revision, read without waiting for whoever is writing."""
    with engine.connect().execution_options(**{LOOKING: True}) as sql:
        return stored_schema_version(sql)


def stored_schema_version(sql: Connection) -> str | None:
    """The revision that the store says it has; None when it holds no stratawatch schema."""
    if sql.dialect.name == "postgresql" and sql.scalar(select(func.current_schema())) is None:
        raise missing_right(sql.engine.url, "no schema may be used")  # not an empty store: its tables are out of sight
    if not inspect(sql).has_table(VERSION_TABLE):
        return None
    found: str | None = sql.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    return found


def compare_schema_version(revision: str | None) -> SchemaState:
    """A revision beside this program's own; an unknown one was written by a newer program."""
    if revision is None:
        return "empty"
    if revision == EXPECTED:
        return "current"
    return "older" if revision in REVISIONS else "newer"


def mismatch(state: SchemaState, where: str, revision: str | None = None) -> SchemaMismatch:
    """The error for a store that does not fit, with its remedy."""
    what, hint = {
        "empty": (
            "holds no stratawatch schema",
            "run `stratawatch init` for a new one; if it was lost, `stratawatch restore FILE` puts a backup there",
        ),
        "older": ("has an older schema", "back it up, then run `stratawatch init --upgrade`"),
        "newer": ("has a newer schema than this program", "run the version of stratawatch that wrote it, or newer"),
    }[state]
    return SchemaMismatch(
        f"the store {where} {what}",
        expected=f"schema {EXPECTED}",
        got=f"schema {revision}" if revision else "",
        hint=hint,
    )
