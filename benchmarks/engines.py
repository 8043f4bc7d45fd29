"""The same window on every engine: the same counts, segments, strata, bad rows and drawn items.

`python -m benchmarks.engines --rows 1000000` writes the rows, starts a PostgreSQL and a Spark (a standalone master with
two workers, processes of their own, on loopback), asks all of them and the embedded DuckDB, and compares every answer
with DuckDB's. The rows hold what engines may treat differently: ids that differ only in case or in trailing blanks,
duplicates, NULL and NaN scores, NULL calls, margins, rows without id or time.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.postgres_server import postgres
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.adapters.sources.duckdb_files import DuckDBSource
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.adapters.sources.spark_table import SparkSource
from stratawatch.core.designs.frozen import cut, pool_sizes
from stratawatch.core.goals import Goal
from stratawatch.core.population import Atom
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec, Window, WindowRule
from stratawatch.engine.model.survey_spec import survey_spec
from stratawatch.engine.ports import PredictionSource
from tests.support.spark_cluster import cluster, driver

ENGINES: Final = ("files", "duckdb", "postgres", "spark")
START: Final = datetime(2026, 1, 5, tzinfo=UTC)
WEEK: Final = timedelta(days=7)
WINDOW: Final = Window(START, START + WEEK)
TABLE: Final = "predictions"

SPEC: Final = PanelSpec(
    name="engines",
    question="Is it?",
    guideline="Look.",
    seed='it\'s \\ the "same"',
    classifiers=(
        ClassifierSpec("lr", "p_lr", call="is_lr"),
        ClassifierSpec("svm", "margin", "margin", cut_off=0.5),
        ClassifierSpec('odd "name"', "p`odd'; --", cut_off=0.7),
        ClassifierSpec("rules", call="is_rule"),
    ),
    columns=Columns("id", "ts", ("body",), ("lang", "country"), "author"),
    windows=WindowRule(START, WEEK),
    goals=(Goal("precision", 0.03), Goal("recall", 0.05)),
    limits=(),
    budget=900,
    deadline=timedelta(days=3),
    auxiliary=(AuxiliarySpec("judge", "p_judge"),),
)

_ROWS: Final = """
SELECT
    CASE
        WHEN i % 9973 = 5 THEN NULL
        WHEN i % 1000 = 1 THEN 'ITEM-' || (i - 1)
        WHEN i % 1000 = 2 THEN 'item-' || (i - 2) || ' '
        WHEN i % 50000 = 3 THEN 'item-' || (i + 1)
        ELSE 'item-' || i
    END AS id,
    CASE WHEN i % 9967 = 7 THEN NULL ELSE TIMESTAMP '2026-01-04' + INTERVAL 1 SECOND * (i * 7 % 777600) END AS ts,
    CASE
        WHEN i % 50 = 3 THEN NULL WHEN i % 4001 = 9 THEN 'nan'::DOUBLE ELSE POW((i * 7919 % 1000003) / 1000003, 3)
    END AS p_lr,
    CASE WHEN i % 50 = 4 THEN NULL ELSE i * 7919 % 1000003 > 800000 END AS is_lr,
    CASE WHEN i % 40 = 3 THEN NULL ELSE (i * 31 % 100003) / 5000 - 14 END AS margin,
    CASE
        WHEN i % 3001 = 9 THEN 1.5 WHEN i % 200 = 3 THEN NULL ELSE (i * 104729 % 1000033) / 1000033
    END AS "p`odd'; --",
    CAST(CASE WHEN i % 5003 = 0 THEN 2 ELSE i * 31 % 100003 > 90000 END AS INTEGER) AS is_rule,
    CASE WHEN i % 60 = 3 THEN NULL WHEN i % 61 = 3 THEN 7.0 ELSE (i * 65537 % 1000037) / 1000037 END AS p_judge,
    ['de', 'en', 'En', 'en ', NULL][1 + i % 5] AS lang,
    CAST(i % 7 AS INTEGER) AS country,
    'author-' || (i % 977) AS author,
    'text ' || i AS body
FROM range({rows}) AS numbered(i)
"""
_POSTGRES: Final = """
CREATE TABLE predictions (
    id text, ts timestamp, p_lr double precision, is_lr boolean, margin double precision, "p`odd'; --" double precision,
    is_rule integer, p_judge double precision, lang text, country integer, author text, body text
)
"""


@dataclass(frozen=True)
class Answer:
    """What an engine said about the window, and how long it took to say so."""

    counted: CensusResult
    atoms: tuple[Atom, ...]
    items: tuple[CandidateItem, ...]
    census_s: float
    candidates_s: float


def ask(source: PredictionSource, spec: PanelSpec = SPEC, window: Window = WINDOW) -> Answer:
    """Freeze a window as a cycle would: census, strata, pools."""
    begun = time.perf_counter()
    counted = source.census(spec, window)
    census_s = time.perf_counter() - begun
    survey = survey_spec(spec)
    atoms = cut(counted.census, survey)
    quotas = pool_sizes(atoms, counted.census.classifiers, survey)
    begun = time.perf_counter()
    items = source.candidates(spec, window, atoms, quotas)
    return Answer(counted, atoms, items, census_s, time.perf_counter() - begun)


def differences(one: Answer, other: Answer) -> tuple[str, ...]:
    """The parts of two answers that are not the same."""
    ours, theirs = one.counted, other.counted
    same = {
        "patterns": ours.census.patterns == theirs.census.patterns,
        "bins": ours.census.bins.tolist() == theirs.census.bins.tolist(),
        "counts": ours.census.counts.tolist() == theirs.census.counts.tolist(),
        "segments": _segments(ours) == _segments(theirs),
        "profile": ours.profile == theirs.profile,
        "bad rows": _bad(ours) == _bad(theirs),
        "strata": one.atoms == other.atoms,
        "drawn items": one.items == other.items,
    }
    return tuple(name for name, equal in same.items() if not equal)


def write_rows(folder: Path, rows: int, files: int = 4) -> None:
    """Write the rows as Parquet (in several files), as a DuckDB file and as CSV for PostgreSQL."""
    import duckdb

    (folder / "parquet").mkdir()
    with duckdb.connect(str(folder / "rows.duckdb"), config={"autoinstall_known_extensions": False}) as connection:
        connection.execute(f"CREATE TABLE {TABLE} AS {_ROWS.format(rows=rows)}")
        for part in range(files):
            connection.execute(
                f"COPY (FROM {TABLE} WHERE rowid % {files} = {part}) TO '{folder}/parquet/part-{part}.parquet'"
            )
        connection.execute(f"COPY {TABLE} TO '{folder}/rows.csv' (HEADER FALSE, NULLSTR '<null>')")


@contextmanager
def sources(folder: Path, engines: tuple[str, ...]) -> Iterator[Mapping[str, PredictionSource]]:
    """A source a kind, on the same rows; servers are started and stopped here."""
    with ExitStack() as stack:
        made: dict[str, PredictionSource] = {}
        for kind in engines:
            if kind == "files":
                made[kind] = DuckDBSource(folder / "parquet")
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


def _segments(answer: CensusResult) -> dict[Any, list[int]]:
    return {segment: counts.tolist() for segment, counts in answer.census.segments.items()}


def _bad(answer: CensusResult) -> list[tuple[str, str]]:
    """What a cell held is shown in the engine's own spelling of numbers, so that only the reasons are compared."""
    return [(row.key, row.reason) for row in answer.bad_rows]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (a million)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="which, the first being the one to compare with")


if __name__ == "__main__":
    sys.exit(main("engines", run, extra=_arguments))
