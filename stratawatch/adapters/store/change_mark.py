"""A mark that changes whenever the store does, so that what was read of it can be kept until then."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final

from sqlalchemy import text

from stratawatch.adapters.store.database import connect, database_errors, sqlite_file, store_url, url_without_password
from stratawatch.errors import Unreachable
from stratawatch.formatting import first_line

# Whatever writes takes a number, and the snapshot of who comes later says so.
_SNAPSHOT: Final = text("SELECT CAST(txid_current_snapshot() AS text)")


class ChangeMark:
    """Reads the mark. Two marks of one object that are equal have no commit between them."""

    def __init__(self, url: str, replaced: Callable[[], None] = lambda: None) -> None:
        """`replaced` is called where another file is in the place of the store's: connections still have the former."""
        self._url = store_url(url)
        self._file = sqlite_file(self._url)
        self._engine = connect(self._url) if self._file is None else None
        self._lock, self._replaced = Lock(), replaced
        self._connection: sqlite3.Connection | None = None
        self._which = 0

    def read(self) -> str:
        """The mark of now. Raises Unreachable."""
        if self._engine is not None:
            with database_errors(self._url), self._engine.connect() as connection:
                return str(connection.scalar(_SNAPSHOT))
        assert self._file is not None  # noqa: S101 - SQLite has one
        try:
            return self._data_version(self._file)
        except (OSError, sqlite3.Error) as trouble:
            got = first_line(str(trouble))
            raise Unreachable(f"the store {url_without_password(self._url)} did not answer", got=got) from trouble

    def _data_version(self, file: Path) -> str:
        """SQLite counts the commits that others made since a connection was opened, for that connection alone."""
        # A store that was restored is another file: a connection would go on reading the former one.
        which = file.stat().st_ino
        with self._lock:
            if self._connection is None or self._which != which:
                if self._connection is not None:
                    self._replaced()
                self.close()
                self._connection = sqlite3.connect(
                    f"{file.absolute().as_uri()}?mode=rw", uri=True, check_same_thread=False
                )
                self._which = which
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return f"{which}:{version}"

    def close(self) -> None:
        """Close the connection that is kept for it."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._engine is not None:
            self._engine.dispose()
