"""The scan benchmark on Spark, as its command runs it: a cluster, and a Java of its own for every pass."""

import os

import pytest

from benchmarks.apart import apart
from benchmarks.scan.passes import engine_of, first_cut
from benchmarks.scan.population import Size, panel_of, write
from benchmarks.scan.servers import ADDRESS, server_of, serving
from tests.support.java import needs_java

SIZE = Size(3_000, 2, 1)


def answers(name, folder):
    """The three passes, one after the other."""
    panel, engine = panel_of(SIZE), engine_of(name)
    engine.prepare()
    census = engine.census(folder, panel)
    segments = {segment: counts.tolist() for segment, counts in census.segments.items()}
    counted = census.patterns, census.bins.tolist(), census.counts.tolist(), segments
    return engine.read(folder, panel), counted, engine.candidates(folder, panel, *first_cut(census, panel))


@pytest.mark.spark
def test_it_counts_and_draws_what_the_product_does(tmp_path):
    needs_java()
    write(tmp_path / "parts", SIZE, 7)
    with serving(server_of("spark"), {SIZE: tmp_path / "parts"}, tmp_path) as loaded:
        found = apart(answers, "spark", tmp_path / "parts").value
    assert found == answers("duckdb", tmp_path / "parts")
    assert (found[0], list(loaded), ADDRESS in os.environ) == (3_000, [], False)
