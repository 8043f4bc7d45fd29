"""The same window on every engine: the same counts, segments, strata, bad rows and drawn items.

`python -m benchmarks.engines --rows 1000000` writes the rows, starts a PostgreSQL and a Spark (a standalone master with
two workers, processes of their own, on loopback), asks all of them and the embedded DuckDB, and compares every answer
with DuckDB's. The rows hold what engines may treat differently: ids that differ only in case or in trailing blanks,
duplicates, NULL and NaN scores, NULL calls, margins, rows without id or time.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.postgres_server import postgres
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.adapters.sources.spark_table import SparkSource
from stratawatch.adapters.sources.sql_source import SqlSource
from tests.support.engine_answers import TABLE, Answer, ask, differences, write_rows
from tests.support.spark_cluster import cluster, driver

ENGINES: Final = ("files", "duckdb", "postgres", "spark")
_POSTGRES: Final = """
CREATE TABLE predictions (
    id text, ts timestamp, p_lr double precision, is_lr boolean, margin double precision, "p`odd'; --" double precision,
    is_rule integer, p_judge double precision, lang text, country integer, author text, body text
)
"""


@contextmanager
def sources(folder: Path, engines: tuple[str, ...]) -> Iterator[Mapping[str, SqlSource]]:
    """A source a kind, on the same rows; servers are started and stopped here."""
    with ExitStack() as stack:
        made: dict[str, SqlSource] = {}
        for kind in engines:
            if kind == "files":
                made[kind] = FilesSource(folder / "parquet")
            elif kind == "duckdb":
                made[kind] = DuckDBTableSource(folder / "rows.duckdb", TABLE)
            elif kind == "postgres":
                made[kind] = PostgresSource(stack.enter_context(_postgres(folder / "rows.csv")), TABLE)
            else:
                stack.enter_context(driver(stack.enter_context(cluster())))
                made[kind] = SparkSource(path=str(folder / "parquet"))
        yield made


@contextmanager
def _postgres(rows: Path) -> Iterator[str]:
    import psycopg

    with postgres() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_POSTGRES)
        with rows.open("rb") as file, connection.cursor() as cursor:
            with cursor.copy("COPY predictions FROM STDIN (FORMAT csv, NULL '<null>')") as copy:
                while block := file.read(1 << 20):
                    copy.write(block)
            cursor.execute("ANALYZE predictions")
        yield url


def run(options: Options) -> Result:
    """Ask every engine, compare with the first."""
    rows = 50_000 if options.quick else options.given.rows
    engines = tuple(options.given.engines.split(","))
    table: list[Row] = []
    verdicts: list[Verdict] = []
    with TemporaryDirectory(prefix="stratawatch-engines-") as name:
        folder = Path(name)
        write_rows(folder, rows)
        with sources(folder, engines) as made:
            first: Answer | None = None
            for kind, source in made.items():
                answer = ask(source)
                first = first or answer
                found = differences(first, answer)
                table.append(_row(kind, answer, found))
                verdicts.append(Verdict(f"{kind} answers as {engines[0]}", "must", len(found), 0, "<="))
    return Result(table, verdicts)


def _row(kind: str, answer: Answer, found: tuple[str, ...]) -> Row:
    census = answer.counted.census
    return {
        "engine": kind,
        "rows": answer.counted.profile.rows,
        "bad rows": answer.counted.profile.bad_rows,
        "cells": len(census.patterns),
        "segments": len(census.segments),
        "strata": len({atom.stratum for atom in answer.atoms}),
        "drawn": len(answer.items),
        "census s": round(answer.census_s, 2),
        "candidates s": round(answer.candidates_s, 2),
        "differs in": ", ".join(found) or "nothing",
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (a million)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="which, the first being the one to compare with")


if __name__ == "__main__":
    sys.exit(main("engines", run, extra=_arguments))
