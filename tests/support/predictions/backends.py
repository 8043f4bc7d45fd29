"""Every kind of source that needs no cluster, and the smallest tables to read with it."""

from pathlib import Path
from typing import Any

import pytest

from stratawatch.adapters.sources.delta_table import DeltaSource
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.adapters.sources.iceberg_table import IcebergSource
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.adapters.sources.sql_source import SqlSource
from stratawatch.core.population import NO_BIN, Atom
from tests.support.predictions.panels import START
from tests.support.predictions.tables import Table, write, write_database, write_delta, write_iceberg, write_postgres

BACKENDS = {
    "files": ("parquet", "csv"),
    "duckdb": ("table",),
    "delta": ("table",),
    "iceberg": ("table",),
    "postgres": ("table",),
}


CASES = [(kind, form) for kind in BACKENDS for form in BACKENDS[kind]]


NAIVE = START.replace(tzinfo=None)


PARAMS = [
    pytest.param(case, id="-".join(case), marks=[pytest.mark.postgres] if case[0] == "postgres" else [])
    for case in CASES
]


@pytest.fixture(params=PARAMS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A function from a table to a source that reads it."""
    kind, form = request.param

    def make(table: Table) -> SqlSource:
        source: SqlSource
        if kind == "files":
            source = FilesSource(write(tmp_path / f"rows.{form}", table))
        elif kind == "duckdb":
            source = DuckDBTableSource(write_database(tmp_path / "rows.duckdb", "rows", table), table="rows")
        elif kind == "delta":
            source = DeltaSource(write_delta(tmp_path / "rows", table))
        elif kind == "iceberg":
            source = IcebergSource("ml.rows", catalog=write_iceberg(tmp_path / "lake", table))
        else:
            url = request.getfixturevalue("postgres_server")
            source = PostgresSource(url, table=write_postgres(url, "rows", table))
        return source

    return make


def items(*ids: Any, flag: Any = False, score: Any = 0.25, at: Any = NAIVE) -> Table:
    """Rows that differ only in their id."""
    return {
        "id": ("VARCHAR", list(ids)),
        "ts": ("TIMESTAMP", [at] * len(ids)),
        "score": ("DOUBLE", [score] * len(ids)),
        "flag": ("VARCHAR", [flag if flag is None else str(flag)] * len(ids)),
    }


def whole(letter: str, size: int) -> list[Atom]:
    return [Atom(letter, NO_BIN, 1023, size, None)]
