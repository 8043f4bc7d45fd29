"""The ladder of bins in SQL is the ladder of the core, in every engine."""

import math

import duckdb
import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.adapters.sources.dialects import translate
from stratawatch.adapters.sources.statements import Statements
from stratawatch.core.score_bins import bin_of, bins_of
from stratawatch.engine.model.panel_spec import ClassifierSpec
from tests.support.hypothesis_examples import examples
from tests.support.predictions.panels import START, WINDOW, panel

TYPES = {"id": "VARCHAR", "ts": "TIMESTAMP", "a": "DOUBLE", "b": "DOUBLE", "c": "DOUBLE", "flag": "BOOLEAN"}


def edges():
    """Every step of the ladder and its mirror, with the numbers just beside them."""
    steps = [2.0**-k * (1 + step / 32) for k in range(1, 18) for step in range(32)]
    steps += [step / 32 * 2.0**-16 for step in range(33)]
    points = [p for step in steps for p in (step, 1 - step) if 0 <= p <= 1]
    beside = [q for p in points for q in (math.nextafter(p, 0), math.nextafter(p, 1))]
    return sorted({0.0, 1.0, 0.5, 5e-324, *points, *beside})


def query(scores, dialect):
    names = ["a", "b", "c"][:scores]
    spec = panel([ClassifierSpec(name, name, call="flag") for name in names])
    body = Statements(spec, "numbered", TYPES)._classified(WINDOW)
    text = f"WITH {body} SELECT item, bin FROM classified"
    return text if dialect == "duckdb" else translate(text, dialect)


def in_duckdb(rows):
    with duckdb.connect(":memory:", config={"autoinstall_known_extensions": False}) as connection:
        connection.execute(
            "CREATE TABLE numbered (id VARCHAR, ts TIMESTAMP, a DOUBLE, b DOUBLE, c DOUBLE, flag BOOLEAN)"
        )
        columns = [list(column) for column in zip(*rows, strict=True)]
        unnested = ", ".join("UNNEST(?::DOUBLE[])" for _ in columns)
        names = ", ".join("abc"[: len(columns)])
        connection.execute(
            f"INSERT INTO numbered (id, ts, flag, {names}) "
            f"SELECT UNNEST(?::VARCHAR[]), TIMESTAMP '{START:%Y-%m-%d}', FALSE, {unnested}",
            [[str(i) for i in range(len(rows))], *columns],
        )
        found = dict(connection.execute(query(len(columns), "duckdb")).fetchall())
    return [found[str(i)] for i in range(len(rows))]


class TestDuckDB:
    def test_every_edge_falls_where_the_core_puts_it(self):
        points = edges()
        assert len(points) > 3000
        assert in_duckdb([(z,) for z in points]) == [bin_of(z) for z in points]

    def test_random_scores_of_every_size_do_too(self):
        r = np.random.default_rng(1)
        z = np.concatenate([r.random(20_000), r.random(20_000) ** 9, 1 - r.random(20_000) ** 9])
        assert in_duckdb([(float(one),) for one in z]) == list(bins_of(z))

    @settings(max_examples=examples(15), deadline=None)
    @given(st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=200))
    def test_the_mean_is_added_and_divided_in_the_same_order(self, rows):
        assert in_duckdb(rows) == [bin_of((a + b + c) / 3) for a, b, c in rows]


class TestPostgreSQL:
    @pytest.mark.postgres
    def test_every_edge_falls_where_the_core_puts_it(self, postgres_server):
        points = edges()
        with psycopg.connect(postgres_server) as connection:
            found = self._bins(connection, points)
        assert found == [bin_of(z) for z in points]

    @staticmethod
    def _bins(connection, points):
        connection.execute("CREATE TEMP TABLE numbered (id text, ts timestamp, flag boolean, a double precision)")
        with connection.cursor().copy("COPY numbered FROM STDIN") as copy:
            for i, z in enumerate(points):
                copy.write_row((str(i), START.replace(tzinfo=None), False, z))
        found = dict(connection.execute(query(1, "postgres")).fetchall())
        return [found[str(i)] for i in range(len(points))]
