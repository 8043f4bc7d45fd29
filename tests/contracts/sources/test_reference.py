"""The two queries against a plain Python reading of the same rows."""

import math
import random
from datetime import timedelta

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.core.population import Segment
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns
from tests.support.predictions import reference
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

PANEL = panel(
    (
        ClassifierSpec("lr", "p_lr", call="is_lr"),
        ClassifierSpec("svm", "m_svm", "margin", cut_off=0.25),
        ClassifierSpec("rules", call="is_rules"),
        ClassifierSpec("nn", "p_nn", call="is_nn"),
        ClassifierSpec("gate", "p_gate", call="decision", call_yes="it's a blöck"),
    ),
    columns=Columns("id", "ts", ("body",), ("lang", "country"), "author"),
    auxiliary=(AuxiliarySpec("judge", "p_judge"), AuxiliarySpec("old", "m_old", "margin")),
)
EDGES = [0.0, 1.0, 0.5, 0.25, 0.75, 2**-16, 2**-17, 1 - 2**-16, 5e-324, math.nextafter(0.5, 0), math.nextafter(1, 0)]
BAD_SCORES = [float("nan"), float("inf"), float("-inf"), -0.001, 1.0000001]


def random_table(seed, rows=700):
    """Rows of every kind: good, silent, unreadable, without id, without time, outside the window."""
    r = random.Random(seed)  # noqa: S311 - a seeded table, not a secret

    def column(make, nothing=0.05):
        return [None if r.random() < nothing else make() for _ in range(rows)]

    def score():
        return r.choice(BAD_SCORES) if r.random() < 0.02 else r.choice(EDGES) if r.random() < 0.2 else r.random() ** 3

    def margin():
        return (
            r.choice([float("nan"), float("inf")])
            if r.random() < 0.02
            else r.choice([r.gauss(0, 3), 0.25, -800.0, 800.0])
        )

    def call():
        return r.choice([2.0, math.inf, math.nan]) if r.random() < 0.04 else float(r.random() < 0.3)

    return {
        "id": ("VARCHAR", [None if r.random() < 0.01 else f"item-{i:05}" for i in range(rows)]),
        "ts": ("TIMESTAMP", column(lambda: START.replace(tzinfo=None) + timedelta(hours=r.uniform(-20, 190)), 0.01)),
        "p_lr": ("DOUBLE", column(score, nothing=0.3)),
        "m_svm": ("DOUBLE", column(margin, nothing=0.3)),
        "p_nn": ("DOUBLE", column(score, nothing=0.3)),
        "p_judge": ("DOUBLE", column(score)),
        "m_old": ("DOUBLE", column(margin, nothing=0.5)),
        "is_lr": ("BOOLEAN", column(lambda: r.random() < 0.1)),
        "is_rules": ("DOUBLE", column(call)),
        "is_nn": ("VARCHAR", column(lambda: r.choice(["0", "1", "True", "FALSE", "yes" if r.random() < 0.1 else "0"]))),
        "lang": ("VARCHAR", column(lambda: r.choice(["de", "en"]))),
        "country": ("INTEGER", column(lambda: r.choice([1, 2, 3]))),
        "author": ("VARCHAR", column(lambda: r.choice("abc"))),
        "body": ("VARCHAR", column(lambda: "text")),
        "p_gate": ("DOUBLE", column(score, nothing=0.3)),
        "decision": ("VARCHAR", column(lambda: r.choice(["it's a blöck", "It's a Blöck", "allow", "1"]))),
    }


def rows_of(table):
    names = list(table)
    return [dict(zip(names, row, strict=True)) for row in zip(*(values for _, values in table.values()), strict=True)]


def as_dict(answer):
    census = answer.census
    return {
        (pattern, int(bin_)): int(n)
        for pattern, bin_, n in zip(census.patterns, census.bins, census.counts, strict=True)
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ending", ["parquet", "csv"])
class TestAgainstReference:
    def test_census_profile_and_draw_are_those_of_the_reference(self, tmp_path, seed, ending):
        table = random_table(seed)
        source = FilesSource(write(tmp_path / f"rows.{ending}", table))
        rows = rows_of(table)
        sound, bad = reference.readings(PANEL, WINDOW, rows)
        answer = source.census(PANEL, WINDOW)

        expected = reference.census(sound)
        assert as_dict(answer) == expected
        assert list(as_dict(answer)) == sorted(expected)
        assert (answer.profile.rows, answer.profile.bad_rows) == (len(sound) + bad, bad)
        assert bad > 20, "the table must hold bad rows for this test to mean something"

        for column, name in (("lang", "lang"), ("country", "country")):
            for value in {one.row[column] for one in sound} - {None}:
                inside = reference.census([one for one in sound if one.row[column] == value])
                counted = answer.census.segments[Segment(name, str(value))]
                found = {cell: int(n) for cell, n in zip(as_dict(answer), counted, strict=True) if n}
                assert found == inside

        atoms = reference.atoms_of(expected)
        quotas = [min(7, atom.size) for atom in atoms]
        items = source.candidates(PANEL, WINDOW, atoms, quotas)
        of_item = {one.item: one.row for one in sound}
        drawn = [[] for _ in atoms]
        for one in items:
            drawn[one.atom].append(one.item)
            assert one.digest == digest(PANEL.seed, one.item)
            assert one.score_bins == reference.own_bins(PANEL, of_item[one.item])
        assert drawn == reference.draw(PANEL, sound, atoms, quotas)

    def test_the_profile_counts_nulls_and_unreadable_values(self, tmp_path, seed, ending):
        table = random_table(seed)
        profile = FilesSource(write(tmp_path / f"rows.{ending}", table)).census(PANEL, WINDOW).profile
        rows = [row for row in rows_of(table) if reference.in_window(PANEL, WINDOW, row)]

        def number(test):
            return sum(map(test, rows))

        assert profile.null_items == number(lambda row: row["id"] is None)
        assert profile.columns["rules"] == {
            "nulls": number(lambda row: row["is_rules"] is None or math.isnan(row["is_rules"])),
            "invalid": number(lambda row: row["is_rules"] in (2, math.inf)),
            "positives": number(lambda row: row["is_rules"] == 1),
            "score_nulls": 0,
            "score_invalid": 0,
        }
        lr = profile.columns["lr"]
        assert lr["score_nulls"] == number(lambda row: row["p_lr"] is None or math.isnan(row["p_lr"]))
        assert lr["score_invalid"] == number(
            lambda row: row["p_lr"] is not None and (row["p_lr"] < 0 or row["p_lr"] > 1)
        )
        times = [row["ts"].replace(tzinfo=START.tzinfo) for row in rows if row["ts"] is not None]
        assert (profile.first_time, profile.last_time) == (min(times), max(times))
