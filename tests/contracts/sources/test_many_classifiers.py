"""More classifiers than one word of codes holds: three words of calls and three of flags, on every engine."""

import math
import random
from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.sources import kept_digests
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.core.population import Segment
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns
from tests.support.predictions import reference
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write, write_database, write_postgres
from tests.support.seed import random_seed

MANY = 33
PANEL = panel(
    tuple(ClassifierSpec(f"c{k}", f"score_{k}", call=f"call_{k}") for k in range(MANY)),
    columns=Columns("id", "ts", segments=("lang",)),
    auxiliary=(AuxiliarySpec("judge", "judge"),),
)


def table(seed, rows=400):
    """Alike in most they say, so that items share cells; here and there nothing, or what cannot be read."""
    r = random.Random(seed)  # noqa: S311 - a seeded table, not a secret
    base = [r.choice([0.125, 0.375, 0.625]) for _ in range(rows)]

    def scores():
        return [r.choices([one, None, math.nan, math.inf], [500, 7, 1, 1])[0] for one in base]

    def calls():
        return [r.choices([one > 0.5, one < 0.5, None], [300, 1, 2])[0] for one in base]

    made = {
        "id": ("VARCHAR", [f"item-{i:04}" for i in range(rows)]),
        "ts": ("TIMESTAMP", [START.replace(tzinfo=None) + timedelta(minutes=i) for i in range(rows)]),
        "lang": ("VARCHAR", [r.choice(["de", "en", None]) for _ in range(rows)]),
        "judge": ("DOUBLE", [r.choice([0.25, 0.75, None]) for _ in range(rows)]),
    }
    for k in range(MANY):
        made[f"score_{k}"] = ("DOUBLE", scores())
        made[f"call_{k}"] = ("BOOLEAN", calls())
    return made


@pytest.fixture(
    params=["parquet", "csv", "database", "single_scan", pytest.param("postgres", marks=[pytest.mark.postgres])]
)
def made(request, tmp_path, monkeypatch):
    """A function from a table to a source; `single_scan` keeps rows while it counts."""
    form = request.param
    if form == "single_scan":
        monkeypatch.setattr(kept_digests, "MIN_ROWS", 1)

    def make(rows):
        if form == "postgres":
            url = request.getfixturevalue("postgres_server")
            return PostgresSource(url, table=write_postgres(url, "many", rows))
        if form == "database":
            return DuckDBTableSource(write_database(tmp_path / "rows.duckdb", "rows", rows), table="rows")
        return FilesSource(write(tmp_path / f"rows.{'csv' if form == 'csv' else 'parquet'}", rows))

    return make


@pytest.mark.parametrize("seed", [1, random_seed("many classifiers")], ids=["fixed", "drawn"])
def test_census_profile_and_draw_are_those_of_the_reference(made, seed):
    given = table(seed)
    rows = [dict(zip(given, row, strict=True)) for row in zip(*(values for _, values in given.values()), strict=True)]
    sound, bad = reference.readings(PANEL, WINDOW, rows)
    expected = reference.census(sound)
    atoms = reference.atoms_of(expected)
    quotas = [min(2, atom.size) for atom in atoms]
    with made(given).reading(PANEL, WINDOW) as reading:
        answer = reading.census()
        items = reading.candidates(atoms, quotas)

    census, profile = answer.census, answer.profile
    cells = list(zip(census.patterns, census.bins.tolist(), strict=True))
    assert dict(zip(cells, census.counts.tolist(), strict=True)) == expected, f"seed {seed}"
    assert cells == sorted(cells)
    assert min(expected.values()) < max(expected.values())
    assert (profile.rows, profile.bad_rows) == (len(rows), bad)
    for lang in ("de", "en"):
        inside = reference.census([one for one in sound if one.row["lang"] == lang])
        counted = census.segments[Segment("lang", lang)].tolist()
        assert {cell: n for cell, n in zip(cells, counted, strict=True) if n} == inside
    for k in range(MANY):
        scores, calls = given[f"score_{k}"][1], given[f"call_{k}"][1]
        assert profile.columns[f"c{k}"] == {
            "nulls": calls.count(None),
            "invalid": 0,
            "positives": calls.count(True),
            "score_nulls": sum(one is None or math.isnan(one) for one in scores),
            "score_invalid": sum(one is not None and math.isinf(one) for one in scores),
        }
        assert profile.ranges[f"c{k}"] == (0.125, 0.625)

    drawn = [[] for _ in atoms]
    for one in items:
        drawn[one.atom].append(one.item)
        assert one.pattern == atoms[one.atom].pattern
    assert drawn == reference.draw(PANEL, sound, atoms, quotas), f"seed {seed}"


def test_the_fingerprint_is_that_of_the_counts(made):
    """Whatever the order in which an engine hands groups out; one item elsewhere is another one."""
    given = table(1)
    first = made(given).census(PANEL, WINDOW).profile.fingerprint
    turned = {name: (kind, list(reversed(values))) for name, (kind, values) in given.items()}
    moved = {**given, "call_0": ("BOOLEAN", [not given["call_0"][1][0], *given["call_0"][1][1:]])}
    assert made(turned).census(PANEL, WINDOW).profile.fingerprint == first != ""
    assert made(moved).census(PANEL, WINDOW).profile.fingerprint != first


def test_one_classifier_is_enough(made):
    alone = replace(PANEL, classifiers=PANEL.classifiers[:1], auxiliary=())
    source = made(table(1))
    assert set(source.census(alone, WINDOW).census.patterns) == {"-", "0", "1"}
