"""5,000 items by arithmetic, three classifiers, and the draw and the SQL text that every engine must agree on.

`python -m tests.support.predictions.golden_draw` writes the golden files anew, from plain Python and from the templates;
a difference in them is a change of what existing installations draw.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from stratawatch.adapters.sources.kept_digests import DigestBound
from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.statements import Statements
from stratawatch.core.population import Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from tests.support.predictions import reference
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import Table

FOLDER = Path(__file__).parent / "golden"
DRAWN = 6
DRAW: dict[str, list[str]] = json.loads((FOLDER / "draw.json").read_text(encoding="utf-8"))
KEPT_DIGESTS = DigestBound(1967)
NOT_EXECUTED = "-- Not executed here: translated and parsed, but no {} was at hand to run it.\n"
DIALECTS = {
    "duckdb": "",
    "postgres": "",
    "spark": "",
    "bigquery": NOT_EXECUTED.format("BigQuery"),
    "snowflake": NOT_EXECUTED.format("Snowflake"),
    "trino": NOT_EXECUTED.format("Trino"),
}
"""Every dialect that the queries are translated into, and how its golden file begins."""
PANEL = panel(
    (
        ClassifierSpec("lr", "p_lr", call="is_lr"),
        ClassifierSpec("svm", "margin", "margin", cut_off=0.5),
        ClassifierSpec('odd "name"; drop', 'p "odd"; drop', cut_off=0.7),
    ),
    columns=Columns("id", "ts", ("body",), ("lang",), "author"),
    seed="it's golden",
)
LATEST = replace(PANEL, duplicates="latest", columns=replace(PANEL.columns, ingested="loaded"))
"""The same panel; the newest row of an id stands, and windows are cut by arrival."""
TYPES = {
    "id": "VARCHAR",
    "ts": "TIMESTAMP",
    "p_lr": "DOUBLE",
    "is_lr": "BOOLEAN",
    "margin": "DOUBLE",
    'p "odd"; drop': "DOUBLE",
    "lang": "VARCHAR",
    "author": "VARCHAR",
    "body": "VARCHAR",
}

LONG = panel(
    (
        ClassifierSpec("lr", "score", call="call"),
        ClassifierSpec('odd "name"; drop', "score", "margin", cut_off=0.5, called="it's"),
    ),
    columns=Columns("id", "ts", ("body",), ("lang",), classifier="model"),
    seed="it's golden",
)
LONG_TYPES = {
    "id": "VARCHAR",
    "ts": "TIMESTAMP",
    "model": "VARCHAR",
    "score": "DOUBLE",
    "call": "BOOLEAN",
    "lang": "VARCHAR",
    "body": "VARCHAR",
}


def rows(number: int = 5000) -> list[dict[str, Any]]:
    """The items; some silent, one in 500 with a score that is none."""
    made = []
    for i in range(number):
        lr = (i * 7919 % 10007) / 10007
        odd = (i * 104729 % 10009) / 10009
        made.append(
            {
                "id": f"item-{i:06}",
                "ts": START.replace(tzinfo=None),
                "p_lr": None if i % 50 == 3 else lr**3,
                "is_lr": None if i % 50 == 3 else lr > 0.8,
                "margin": None if i % 40 == 3 else (i * 31 % 1009) / 100 - 9,
                'p "odd"; drop': 1.5 if i % 500 == 77 else None if i % 200 == 3 else odd * odd,
                "lang": ("de", "en", None)[i % 3],
                "author": f"author-{i % 77}",
                "body": f"text {i}",
            }
        )
    return made


def table() -> Table:
    made = rows()
    return {name: (kind, [row[name] for row in made]) for name, kind in TYPES.items()}


@cache
def sound_readings() -> list[reference.Reading]:
    """What plain Python reads in the golden items that can be read."""
    return reference.readings(PANEL, WINDOW, rows())[0]


@cache
def atoms() -> tuple[tuple[Atom, ...], list[int]]:
    """The atoms of the golden draw and how many items each gives."""
    cut = reference.atoms_of(reference.census(sound_readings()))
    return cut, [min(DRAWN, atom.size) for atom in cut]


def expected_draw() -> dict[str, list[str]]:
    """The draw by plain Python: digest, bin_of, sorted."""
    cut, quotas = atoms()
    return named(cut, reference.draw(PANEL, sound_readings(), cut, quotas))


def named(cut: tuple[Atom, ...], drawn: list[list[str]]) -> dict[str, list[str]]:
    return {f"{atom.pattern} {atom.first_bin}-{atom.last_bin}": ids for atom, ids in zip(cut, drawn, strict=True)}


def statements(dialect: str = "duckdb", relation: str = "population") -> Statements:
    return Statements(PANEL, relation, TYPES, dialect)


def _queries() -> dict[str, Callable[[], str]]:
    """Every query in every dialect, by the name of its file; none is translated before it is asked for."""
    made: dict[str, Callable[[], str]] = {}
    for dialect in DIALECTS:
        for name in ("census", "candidates", "bad_rows", "items_by_id", "shown_by_id"):
            made[f"{name}.{dialect}.sql"] = partial(_of_window, statements, dialect, name)
        for name in ("census", "candidates", "row_count"):
            made[f"latest_{name}.{dialect}.sql"] = partial(_of_window, _latest, dialect, name)
        for name in ("census", "candidates", "items_by_id", "shown_by_id"):
            made[f"long_{name}.{dialect}.sql"] = partial(_of_window, _long, dialect, name)
    made["single_scan.duckdb.sql"] = lambda: statements().single_scan(WINDOW, KEPT_DIGESTS)
    made["single_scan_census.duckdb.sql"] = lambda: statements().single_scan_census()
    made["single_scan_ranges.duckdb.sql"] = lambda: statements().single_scan_ranges()
    made["single_scan_candidates.duckdb.sql"] = lambda: statements().single_scan_candidates(WINDOW)
    return made


def _latest(dialect: str) -> Statements:
    return Statements(LATEST, "population", TYPES | {"loaded": "TIMESTAMPTZ"}, dialect)


def _long(dialect: str) -> Statements:
    return statements_for(LONG, "population", LONG_TYPES, dialect)


def _of_window(made: Callable[[str], Statements], dialect: str, query: str) -> str:
    text: str = getattr(made(dialect), query)(WINDOW)
    return DIALECTS[dialect] + text


QUERIES = _queries()
GOLDEN_FILES = sorted(name for name in QUERIES if ".duckdb." in name or name.startswith("census."))
"""The texts that are kept as files: all of DuckDB's, which are the templates filled in, and a census of each dialect.

PostgreSQL and Spark run the other queries in these contract tests; for the other dialects they are parsed.
"""

FIRST_FILES = [
    *("census.duckdb.sql", "candidates.duckdb.sql", "latest_census.duckdb.sql", "long_census.duckdb.sql"),
    *("census.postgres.sql", "census.spark.sql", "census.bigquery.sql", "census.snowflake.sql", "census.trino.sql"),
]
"""Those whose steps stand in later ones by name."""


@cache
def text(name: str) -> str:
    """The text of a query, by the name of its file."""
    return QUERIES[name]() + "\n"


def kept_text(name: str) -> str:
    """The text as it is kept; runs of steps that an earlier file has word for word are a line that names them."""
    earlier = FIRST_FILES[: FIRST_FILES.index(name)] if name in FIRST_FILES else FIRST_FILES
    found = [(next((file for file in earlier if _is_in(step, file)), ""), step) for step in _steps(name)]
    kept = ""
    for file, run in groupby(found, key=itemgetter(0)):
        steps = [step for _, step in run]
        names = [re.search(r"^(?:WITH )?(\w+) AS |^(SELECT|WITH)\b", step, re.MULTILINE) for step in steps]
        plain = [(one[1] or one[2]) if one else "opening" for one in names]
        kept += f"-- {', '.join(plain)}: as in {file}\n" if file else "".join(steps)
    return kept


def _is_in(step: str, file: str) -> bool:
    return step.rstrip(",\n") in [one.rstrip(",\n") for one in _steps(file)]


@cache
def _steps(name: str) -> list[str]:
    """The query's steps, each with the comments above it, to the line that closes it.

    DuckDB's text is split as it is sent; a translated one has no lines of its own, and gets one for every step.
    """
    if ".duckdb." in name:
        return re.split(r"(?<=^\),\n)|(?<=^\)\n)|^(?=WITH |renamed AS )", text(name), flags=re.MULTILINE)
    comments = [line for line in text(name).splitlines() if line.startswith("--")]
    words = [word for line in text(name).splitlines() if line not in comments for word in line.split()]
    sql = " ".join(words).replace("( ", "(").replace(" )", ")")
    steps = re.sub(r"\), (?=\w+ AS (NOT MATERIALIZED )?\(SELECT)", "),\n", sql).splitlines()
    return [f"{line}\n" for line in (*comments, *steps)]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    lines = []
    for _, strata in groupby(expected_draw().items(), key=lambda stratum: stratum[0].split()[0]):
        lines.append(" " + ", ".join(f"{json.dumps(name)}: {json.dumps(ids)}" for name, ids in strata))
    (FOLDER / "draw.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    for file in GOLDEN_FILES:
        (FOLDER / file).write_text(kept_text(file), encoding="utf-8")
