"""Back up a SQLite store, and put a backup in its place. Of PostgreSQL the commands to use are named."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Final
from uuid import uuid4

from sqlalchemy import URL

from stratawatch.adapters.store.database import sqlite_file, store_url, url_without_password
from stratawatch.adapters.store.schema import VERSION_TABLE, SchemaState, compare_schema_version, mismatch
from stratawatch.atomic_files import PRIVATE, make_folder, sync_folder
from stratawatch.engine.lease import is_holder_gone
from stratawatch.engine.restored_store import RESTORED
from stratawatch.errors import ConfigError, LeaseHeld, StratawatchError, Unreachable

BUSY_SECONDS: Final = 5
NOTE_RESTORED: Final = (
    f"INSERT INTO cursors (queue, position, at) VALUES ('{RESTORED}', '{{\"from\": \"backup\"}}', "
    "'1970-01-01 00:00:00') ON CONFLICT (queue) DO NOTHING"
)
"""Notes in a store of any schema, on either database, that it was restored; without a time, for nothing was worked."""
_BESIDE: Final = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database that is open, or was when its process died."""
_SHOWN: Final = frozenset({"host", "port", "sslmode", "sslrootcert"})
"""Parameters of a PostgreSQL address that its tools need and that hold no secret."""
_TIMES: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class StoreSummary:
    """What a store or a backup holds; `newest_move` is the time of the last thing that a cycle, round or batch did."""

    schema: str
    schema_state: SchemaState
    cycles: int
    label_events: int
    newest_move: datetime | None


def back_up(url: str, file: Path) -> StoreSummary:
    """Copy a SQLite store into a new file, which others cannot read. Whoever writes at the same time goes on."""
    store = _file_of(url)
    if store is None:
        raise _by_its_own_tools("backed up", [f"pg_dump --format=custom --file={quote(str(file))} {_address(url)}"])
    if not store.exists():
        raise mismatch("empty", url_without_password(store_url(url)))
    if os.path.lexists(file):
        raise _exists(file)
    with _new_copy(store, file) as draft:
        summary = examine(draft)
        try:
            os.link(draft, file)  # unlike a rename, it replaces nothing
        except FileExistsError:
            raise _exists(file) from None
    return summary


def put_back(url: str, backup: Path, now: datetime) -> tuple[StoreSummary, Path | None]:
    """Put a backup in the place of a SQLite store; what was there is kept under the name that is returned.

    Refused while another process has the store open, or holds a lease in it. The backup itself stays as it is.
    """
    store = _file_of(url)
    if store is None:
        raise _by_its_own_tools("restored", _postgres_restore(url, backup))
    if not backup.is_file():
        raise StratawatchError(f"there is no backup {backup}")
    if store.exists() and store.samefile(backup):
        raise StratawatchError(f"{backup} is the store itself", hint="name a backup of it")
    with _new_copy(backup, store) as draft:
        summary = examine(draft)
        if summary.schema_state == "newer":
            raise mismatch("newer", str(backup), summary.schema)
        with closing(sqlite3.connect(draft)) as sql, sql:
            sql.execute("DELETE FROM leases")  # whoever held one at the time of the backup holds none in this store
            sql.execute(NOTE_RESTORED)
        _sync(draft)
        with _nobody_else(store):
            aside = _set_aside(store, now)
            os.replace(draft, store)  # noqa: PTH105 - as in atomic_files
        sync_folder(store.parent)
    return summary, aside


def examine(file: Path) -> StoreSummary:
    """Check that a file is a whole store, and count what it holds."""
    with _errors(file), closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as sql:
        faults = [row[0] for row in sql.execute("PRAGMA integrity_check(3)")]
        if faults != ["ok"]:
            raise ConfigError(f"{file} is damaged", got=str(faults[0]), hint="take an older backup")
        if not sql.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (VERSION_TABLE,)).fetchone():
            raise mismatch("empty", str(file))
        (schema,) = sql.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
        (cycles,) = sql.execute("SELECT COUNT(*) FROM cycles").fetchone()
        (events,) = sql.execute("SELECT COUNT(*) FROM label_events").fetchone()
        (newest,) = sql.execute("SELECT MAX(at) FROM transitions").fetchone()
    moved = datetime.fromisoformat(newest).replace(tzinfo=UTC) if newest else None
    return StoreSummary(schema, compare_schema_version(schema), cycles, events, moved)


def _file_of(url: str) -> Path | None:
    return sqlite_file(store_url(url))


def _by_its_own_tools(done: str, commands: Sequence[str]) -> StratawatchError:
    lines = "".join(f"\n  {command}" for command in commands)
    what = f"a store on PostgreSQL is {done} by PostgreSQL's own tools, and nothing was done"
    return StratawatchError(what, hint=f"run{lines}")


def _postgres_restore(url: str, backup: Path) -> list[str]:
    """Into a new database first, so that the present one is left as it is until the backup is there whole."""
    name = str(store_url(url).database)
    new, old = f"{name}_restored", f"{name}_before_restore"
    admin = f"psql --dbname={_address(url, 'postgres')} --command="
    return [
        "(stop the flows and everything else that uses the database)",
        admin + quote(f'CREATE DATABASE "{new}"'),
        f"pg_restore --exit-on-error --single-transaction --dbname={_address(url, new)} {quote(str(backup))}",
        f"psql --dbname={_address(url, new)} --command={quote(NOTE_RESTORED)}",
        admin + quote(f'ALTER DATABASE "{name}" RENAME TO "{old}"'),
        admin + quote(f'ALTER DATABASE "{new}" RENAME TO "{name}"'),
        "stratawatch init --upgrade && stratawatch labels erase --again",
        "stratawatch check && stratawatch open && stratawatch advance",
    ]


def _address(url: str, database: str | None = None) -> str:
    """The address as PostgreSQL's tools take it, without its password: they ask for it, or read ~/.pgpass."""
    address = store_url(url)
    query = {key: value for key, value in address.query.items() if key in _SHOWN}
    plain = URL.create("postgresql", address.username, None, address.host, address.port, database or address.database)
    return quote(plain.set(query=query).render_as_string())


def _exists(file: Path) -> StratawatchError:
    return StratawatchError(f"{file} is there already", hint="a backup replaces no file; give it another name")


@contextmanager
def _new_copy(database: Path, beside: Path) -> Iterator[Path]:
    """Copy a database into a file of its own in the folder of another, readable by its owner alone; removed at last.

    A folder that is missing is created, for its owner alone too.
    """
    draft = beside.absolute().with_name(f".{beside.name}.{uuid4().hex}.tmp")
    try:
        make_folder(draft.parent, PRIVATE)
    except OSError as trouble:
        raise StratawatchError(
            f"the folder {draft.parent} cannot be created",
            got=trouble.strerror or type(trouble).__name__,
            hint="name a place where you may create it; nothing was copied",
        ) from None
    try:
        with _errors(database):
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            source = f"{database.absolute().as_uri()}?mode=rw"
            old = sqlite3.connect(source, uri=True, timeout=BUSY_SECONDS)
            with closing(old), closing(sqlite3.connect(draft)) as new:
                old.backup(new)
                new.execute("PRAGMA journal_mode = DELETE")  # else what it keeps beside the file belongs to it
            _sync(draft)
            yield draft
    finally:
        for ending in ("", *_BESIDE):
            with suppress(OSError):
                draft.with_name(draft.name + ending).unlink()
        with suppress(OSError):
            sync_folder(draft.parent)


@contextmanager
def _nobody_else(store: Path) -> Iterator[None]:
    """Hold a store so that no other process reads or writes it; a damaged one, or none, cannot be held."""
    if not store.exists():
        yield
        return
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS)) as sql:
        sql.isolation_level = None
        try:
            _refuse_leases(sql)
            sql.execute("PRAGMA journal_mode = DELETE")  # refused while anybody else has it open; empties the log
            sql.execute("BEGIN EXCLUSIVE")
            _refuse_leases(sql)
        except sqlite3.OperationalError as trouble:
            if "locked" in str(trouble):
                raise Unreachable(
                    f"another process has the store {store} open",
                    hint="stop the flows and whatever else reads it, then try again; nothing was changed",
                ) from None
        except sqlite3.DatabaseError:
            pass  # damaged: that is why it is replaced
        yield


def _refuse_leases(sql: sqlite3.Connection) -> None:
    """Raise LeaseHeld while a process that may be alive holds a lease."""
    try:
        held = sql.execute("SELECT name, holder, until FROM leases").fetchall()
    except sqlite3.OperationalError as trouble:
        if "no such table" in str(trouble):
            return
        raise
    for name, holder, until in held:
        end = datetime.fromisoformat(until).replace(tzinfo=UTC)
        if end > datetime.now(UTC) and not is_holder_gone(holder):
            raise LeaseHeld(
                f"another process holds the lease '{name}' until {end:%H:%M} +00:00 at most",
                hint="stop the flows, then try again; nothing was changed",
            )


def _set_aside(store: Path, now: datetime) -> Path | None:
    """Give the present store a second name, under which it stays when another file takes its place."""
    there = [ending for ending in ("", *_BESIDE) if os.path.lexists(f"{store}{ending}")]
    if not there:
        return None
    name = f"{store}.before-restore-{now:{_TIMES}}"
    aside = next(free for free in _names(name) if not any(os.path.lexists(f"{free}{e}") for e in ("", *_BESIDE)))
    for ending in there:
        if ending:  # a log that is left beside would be played into the other database
            os.rename(f"{store}{ending}", f"{aside}{ending}")  # noqa: PTH104
        else:
            os.link(store, aside)
    return Path(aside)


def _names(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _sync(file: Path) -> None:
    handle = os.open(file, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _errors(file: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into a sentence about this file."""
    try:
        yield
    except sqlite3.OperationalError as trouble:
        raise Unreachable(f"{file} cannot be read or copied", got=str(trouble), hint="nothing was changed") from None
    except sqlite3.DatabaseError as trouble:
        raise ConfigError(f"{file} is damaged, or not a SQLite database", got=str(trouble)) from None
    except OSError as trouble:
        got = f"{trouble.strerror or type(trouble).__name__}: {trouble.filename or file}"
        raise StratawatchError(f"{file} cannot be copied", got=got, hint="nothing was changed") from None
