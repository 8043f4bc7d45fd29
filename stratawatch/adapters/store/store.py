"""The store on SQLite or PostgreSQL."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy.engine import URL

from stratawatch.adapters.store.database import (
    LOOKING,
    connect,
    create_private,
    database_errors,
    sqlite_file,
    store_url,
    url_without_password,
)
from stratawatch.adapters.store.schema import EXPECTED, compare_schema_version, mismatch, read_schema_version, upgrade
from stratawatch.adapters.store.transaction import SqlTransaction


class SqlStore:
    """Keeps all state in a SQL database. With `create`, the schema is created or brought up to date first.

    One for `only_looking` takes no lock on SQLite: it waits for nobody, and cannot write.
    """

    def __init__(self, url: str, *, create: bool = False, only_looking: bool = False) -> None:
        self._url: URL = store_url(url)
        file = sqlite_file(self._url)
        if not create and file is not None and not file.exists():
            raise mismatch("empty", self.where)
        if create:
            create_private(self._url)
        self._engine = connect(self._url).execution_options(**{LOOKING: only_looking})
        try:
            self._open(create=create)
        except BaseException:
            self._engine.dispose()
            raise

    @property
    def where(self) -> str:
        """The store's address without its password."""
        return url_without_password(self._url)

    @contextmanager
    def begin(self) -> Iterator[SqlTransaction]:
        """Start a transaction; leaving the block without `commit` rolls it back."""
        with database_errors(self._url), self._engine.connect() as connection:
            yield SqlTransaction(connection)

    def describe(self) -> Mapping[str, str]:
        """Say what was found, for `check`. Raises Unreachable."""
        with database_errors(self._url), self._engine.connect() as connection:
            version = ".".join(map(str, connection.dialect.server_version_info or ()))
            name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[connection.dialect.name]
        return {"store": self.where, "database": f"{name} {version}", "schema": EXPECTED}

    def dispose(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def _open(self, *, create: bool) -> None:
        with database_errors(self._url):
            if create:
                upgrade(self._engine)
            revision = read_schema_version(self._engine)
        state = compare_schema_version(revision)
        if state != "current":
            raise mismatch(state, self.where, revision)


def open_store(url: str, *, only_looking: bool = False) -> SqlStore:
    """Open a store that is there, at this program's schema; SchemaMismatch says what to do otherwise."""
    return SqlStore(url, only_looking=only_looking)
