"""Stores that can be lost: SQLite backed up and put back by the product, PostgreSQL by copies of a database."""

from pathlib import Path

import psycopg

from stratawatch.adapters.store import SqlStore
from stratawatch.adapters.store.backup import NOTE_RESTORED, back_up, put_back
from tests.support.fakes import MONDAY
from tests.support.stores import empty_store, opened_store


class SqliteBackups:
    """A store in a file; its backups lie beside it."""

    def __init__(self, file: Path) -> None:
        self._file, self._backup = file, file.with_name("backup.db")
        self._store: SqlStore | None = None

    def open(self) -> SqlStore:
        """An empty store."""
        self._store = empty_store(self._file)
        return self._store

    def keep(self) -> None:
        """Back the store up as it stands, while it is open."""
        back_up(f"sqlite:///{self._file}", self._backup)

    def lose_and_restore(self) -> SqlStore:
        """Put the backup in the store's place and open it."""
        self.dispose()
        put_back(f"sqlite:///{self._file}", self._backup, MONDAY)
        self._store = opened_store(self._file)
        return self._store

    def dispose(self) -> None:
        if self._store is not None:
            self._store.dispose()


class PostgresBackups:
    """A store in a database; `admin` is another one of that server, `copy` the address of one that nobody uses.

    A pooler keeps its sessions when the store has closed its own: they are ended.
    """

    def __init__(self, admin: str, copy: str, url: str) -> None:
        self._admin, self._url = admin, url
        self._name, self._copy = _name_of(url), _name_of(copy)
        self._store: SqlStore | None = None

    def open(self) -> SqlStore:
        """The store, which is empty."""
        self._store = SqlStore(self._url)
        return self._store

    def keep(self) -> None:
        """Copy the database, to which nobody may be connected then."""
        self._replace(self._copy, self._name)

    def lose_and_restore(self) -> SqlStore:
        """Put the copy in the database's place and open it."""
        self._replace(self._name, self._copy)
        store = self.open()
        with psycopg.connect(self._url.replace("+psycopg", "", 1), autocommit=True) as sql:
            sql.execute(NOTE_RESTORED)  # as the commands do that a restore names
        return store

    def dispose(self) -> None:
        if self._store is not None:
            self._store.dispose()

    def _replace(self, old: str, by: str) -> None:
        self.dispose()
        with psycopg.connect(self._admin, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (by,))
            admin.execute(f"DROP DATABASE {old} WITH (FORCE)")
            admin.execute(f"CREATE DATABASE {old} TEMPLATE {by}")


def _name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]
