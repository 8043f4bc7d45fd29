"""Rows that engines may treat differently, and what an engine answers about them.

The rows hold ids that differ only in case or in trailing blanks, duplicates, NULL and NaN scores, NULL calls, margins,
rows without id or time.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.sources.sql_source import SqlSource
from stratawatch.core.designs.frozen import pool_sizes, stratify_for_survey
from stratawatch.core.goals import Goal
from stratawatch.core.population import Atom
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec, Window, WindowRule
from stratawatch.engine.model.survey_of_panel import survey_of_panel

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


@dataclass(frozen=True)
class Answer:
    """What an engine said about the window, and how long it took to say so."""

    counted: CensusResult
    atoms: tuple[Atom, ...]
    items: tuple[CandidateItem, ...]
    census_s: float
    candidates_s: float


def ask(source: SqlSource, spec: PanelSpec = SPEC, window: Window = WINDOW) -> Answer:
    """Freeze a window as a cycle would: census, strata, pools."""
    begun = time.perf_counter()
    counted = source.census(spec, window)
    census_s = time.perf_counter() - begun
    survey = survey_of_panel(spec)
    atoms = stratify_for_survey(counted.census, survey)
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


def _segments(answer: CensusResult) -> dict[Any, list[int]]:
    return {segment: counts.tolist() for segment, counts in answer.census.segments.items()}


def _bad(answer: CensusResult) -> list[tuple[str, str]]:
    """What a cell held is shown in the engine's own spelling of numbers, so that only the reasons are compared."""
    return [(row.key, row.reason) for row in answer.bad_rows]
