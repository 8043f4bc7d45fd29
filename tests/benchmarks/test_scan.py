"""The scan benchmark: its populations, its pandas that agrees with the product, and what its verdicts hold against."""

import os
from dataclasses import replace

import duckdb
import pytest

from benchmarks.apart import Measured, apart
from benchmarks.scan import population, with_spark
from benchmarks.scan.__main__ import scan, sizes_of
from benchmarks.scan.passes import ENGINES, OneLook, engine_of, first_cut
from benchmarks.scan.population import Size, panel_of, write
from benchmarks.scan.rounds import Timed
from benchmarks.scan.servers import ADDRESS, SERVERS, of_the_client, server_of, serving
from benchmarks.scan.verdicts import verdicts
from stratawatch.adapters.sources import kept_digests
from stratawatch.core.designs.frozen import pool_sizes, stratify_for_survey
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.errors import StratawatchError

SMALL = Size(3_000, 2, 1)
PROMISED = Size(10_000_000, 4)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three parts of a thousand rows."""
    monkeypatch.setattr(population, "PART", 1_000)
    write(tmp_path / "parts", SMALL, 7)
    return tmp_path / "parts"


def timed(size=PROMISED, *, read=1.0, both=3.0, counted=0, missing=0, peak_mb=500.0):
    """A round in which census and candidates took half of `both` each."""

    def one(value, seconds):
        return Measured(value, seconds, seconds, peak_mb)

    return Timed(size, one(size.rows, read), one(size.rows - counted, both / 2), one(90 - missing, both / 2), 90)


def verdict(found, start):
    (one,) = [one for one in found if one.name.startswith(start)]
    return one


class TestPopulation:
    def test_ids_are_distinct_and_everything_is_inside_the_window(self, folder):
        sql = f"SELECT COUNT(*), COUNT(DISTINCT id), MIN(ts), MAX(ts), COUNT(score_1), COUNT(segment_1) FROM '{folder}/*.parquet'"
        rows, ids, first, last, scored, placed = duckdb.sql(sql).fetchall()[0]
        assert (rows, ids, placed) == (3_000, 3_000, 3_000)
        assert population.START.replace(tzinfo=None) == first < last < population.WINDOW.end.replace(tzinfo=None)
        assert 0 < 3_000 - scored < 150

    def test_the_same_seed_gives_the_same_rows_and_another_seed_others(self, folder, tmp_path):
        write(tmp_path / "again", SMALL, 7)
        write(tmp_path / "other", SMALL, 8)
        same = f"SELECT * FROM '{folder}/*.parquet' EXCEPT SELECT * FROM '{tmp_path}/again/*.parquet'"
        other = f"SELECT score_1 FROM '{folder}/*.parquet' EXCEPT SELECT score_1 FROM '{tmp_path}/other/*.parquet'"
        assert len(duckdb.sql(same).fetchall()) == 0
        assert len(duckdb.sql(other).fetchall()) > 2_000

    def test_its_size_on_disk_is_foretold(self, tmp_path):
        size = Size(100_000, 4)
        assert 0.7 < write(tmp_path / "parts", size, 7) / size.bytes < 1.0


class TestEngines:
    def test_pandas_counts_and_draws_what_the_product_does(self, folder):
        panel, found = panel_of(SMALL), {}
        for name in ("duckdb", "pandas"):
            engine = engine_of(name)
            assert engine.read(folder, panel) == 3_000
            census = engine.census(folder, panel)
            atoms = stratify_for_survey(census, survey_of_panel(panel))
            quotas = pool_sizes(atoms, census.classifiers, survey_of_panel(panel))
            found[name] = census, engine.candidates(folder, panel, atoms, quotas)
        (ours, drawn), (theirs, also) = found["duckdb"], found["pandas"]
        assert (ours.patterns, ours.bins.tolist(), ours.counts.tolist()) == (
            theirs.patterns,
            theirs.bins.tolist(),
            theirs.counts.tolist(),
        )
        assert drawn == also
        assert len(drawn) > 500

    @pytest.mark.parametrize("name", sorted(set(ENGINES) - set(SERVERS)))
    def test_every_engine_of_this_process_loads(self, name):
        engine_of(name).prepare()


def answers(name, folder):
    """The three passes, one after the other."""
    panel, engine = panel_of(SMALL), engine_of(name)
    engine.prepare()
    census = engine.census(folder, panel)
    atoms = stratify_for_survey(census, survey_of_panel(panel))
    quotas = pool_sizes(atoms, census.classifiers, survey_of_panel(panel))
    segments = {segment: counts.tolist() for segment, counts in census.segments.items()}
    counted = census.patterns, census.bins.tolist(), census.counts.tolist(), segments
    return engine.read(folder, panel), counted, engine.candidates(folder, panel, atoms, quotas)


class TestServers:
    """Engines that are started, filled and stopped for the passes answer as the product does on the parts."""

    @pytest.mark.postgres
    def test_postgresql_counts_and_draws_what_the_product_does(self, folder, tmp_path):
        """Spark too: its source in tests/spark, and the benchmark on it, which starts three Javas, in tests/long."""
        with serving(server_of("postgres"), {SMALL: folder}, tmp_path) as loaded:
            found = apart(answers, "postgres", folder).value
        assert found == answers("duckdb", folder)
        assert found[0] == 3_000
        assert len(found[2]) > 500
        assert [row["population"] for row in loaded] == [str(SMALL)]
        assert ADDRESS not in os.environ
        assert not [file for file in folder.iterdir() if file.suffix != ".parquet"]

    def test_others_serve_nothing(self, folder, tmp_path):
        assert server_of("duckdb") is None
        with serving(None, {SMALL: folder}, tmp_path) as loaded:
            assert (loaded, ADDRESS in os.environ) == ((), False)

    def test_one_that_cannot_be_started_is_told_before_anything_is_made(self, tmp_path, monkeypatch):
        monkeypatch.setattr(with_spark.shutil, "which", lambda _: None)
        monkeypatch.delenv("JAVA_HOME", raising=False)
        with pytest.raises(StratawatchError, match="there is no Java to start Spark with"):
            scan(["--quick", "--engine", "spark", "--scratch", str(tmp_path)])
        assert list(tmp_path.iterdir()) == []

    def test_a_table_needs_room_beside_the_parts(self):
        assert server_of("postgres").room(PROMISED) > PROMISED.bytes
        assert with_spark.room(PROMISED) == 0

    def test_memory_and_processor_time_are_told_to_be_the_clients(self):
        row = of_the_client(timed().rows()[0])
        assert set(row) == {"population", "pass", "seconds", "client cpu", "x read", "client MB"}


class TestOneLook:
    def test_duckdb_counts_and_draws_in_one_look(self, folder, monkeypatch):
        monkeypatch.setattr(kept_digests, "MIN_ROWS", 1)
        monkeypatch.setattr(kept_digests, "ROWS_KEPT", 2_000)
        panel, engine = panel_of(SMALL), engine_of("duckdb")
        _, quotas = first_cut(engine.census(folder, panel), panel)
        assert isinstance(engine, OneLook)
        assert engine.together(folder, panel)[:3] == (3_000, sum(quotas), sum(quotas))
        assert not isinstance(engine_of("pandas"), OneLook)

    def test_it_is_what_the_verdicts_look_at_where_there_is_one(self):
        round_ = replace(timed(both=9, peak_mb=400), together=Measured(None, 4.0, 4.0, 1_600))
        found = verdicts("duckdb", [round_])
        assert verdict(found, "both, x read, promised").value == 4
        assert not verdict(found, "peak memory").holds
        assert round_.rows()[-1] | {"pass": "both", "seconds": 4.0, "peak_mb": 1_600} == round_.rows()[-1]


class TestApart:
    def test_another_process_does_it_and_says_what_it_held(self):
        small, large = apart(bytearray, 10), apart(bytearray, 300_000_000)
        assert large.peak_mb - small.peak_mb > 250
        assert (len(small.value), small.seconds > 0) == (10, True)


class TestVerdicts:
    def test_four_reads_and_a_half_are_a_must_from_ten_million_rows_on(self):
        name = "both, x read, promised"
        assert verdict(verdicts("duckdb", [timed(both=4.4)]), name).holds
        broken = verdict(verdicts("duckdb", [timed(both=4.6)]), name)
        assert (broken.holds, broken.kind) == (False, "must")
        assert verdict(verdicts("duckdb", [timed(Size(1_000_000, 4), both=9)]), name).kind == "aim"

    def test_three_are_aimed_at_by_another_name(self):
        found = verdicts("duckdb", [timed(both=3.1)])
        aimed = verdict(found, "both, x read, aimed at")
        assert (aimed.holds, aimed.kind, aimed.bound) == (False, "aim", 3.0)
        assert len({one.name for one in found}) == len(found)

    @pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"duckdb"}))
    def test_other_engines_must_be_right_and_may_be_slow(self, engine):
        slow = [timed(both=50, peak_mb=9_000), timed(Size(100_000_000, 4), both=9_000)]
        assert {(one.name.partition(":")[0], one.kind, one.holds) for one in verdicts(engine, slow)} == {
            ("rows not counted", "must", True),
            ("candidates amiss", "must", True),
        }

    def test_the_middle_round_decides_on_time_and_the_worst_on_memory(self):
        found = verdicts("duckdb", [timed(both=9), timed(both=4), timed(both=3, peak_mb=1_600)])
        assert verdict(found, "both, x read, promised").value == 4
        assert not verdict(found, "peak memory").holds

    def test_rows_and_candidates_must_all_be_there(self):
        found = verdicts("pandas", [timed(), timed(counted=1), timed(missing=2)])
        assert verdict(found, "rows not counted").value == 1
        assert verdict(found, "candidates amiss").value == 2
        assert not verdict(found, "rows not counted").holds

    def test_ten_times_the_rows_may_take_eleven_and_a_half_times_as_long(self):
        large = Size(100_000_000, 4)
        assert verdict(verdicts("duckdb", [timed(), timed(large, read=10, both=34)]), "seconds a row").holds
        assert not verdict(verdicts("duckdb", [timed(), timed(large, read=10, both=35)]), "seconds a row").holds

    def test_twenty_classifiers_may_take_four_times_as_long_as_four(self):
        many = Size(10_000_000, 20)
        assert verdict(verdicts("duckdb", [timed(), timed(many, both=11.9)]), "seconds:").holds
        assert not verdict(verdicts("duckdb", [timed(), timed(many, both=12.1)]), "seconds:").holds


class TestCommand:
    def test_it_makes_measures_and_cleans_up(self, tmp_path, capsys):
        status = scan(
            [
                "--quick",
                "--latest",
                "--classifiers",
                "2",
                "--scratch",
                str(tmp_path),
                "--json",
                str(tmp_path / "out.json"),
            ]
        )
        assert (status, [file.name for file in tmp_path.iterdir()]) == (0, ["out.json"])
        told = capsys.readouterr().out
        assert "200,000 x 2" in told
        assert max(map(len, told.splitlines()[2:])) <= 80
        assert "census, latest" in told

    def test_sizes_are_rows_with_the_first_panel_and_panels_with_the_first_rows(self):
        assert sizes_of([10, 100], [4, 20], 0) == [Size(10, 4), Size(100, 4), Size(10, 20)]

    def test_a_disk_without_room_is_told_before_anything_is_written(self, tmp_path):
        with pytest.raises(StratawatchError, match="has no room for the populations; expected"):
            scan(["--rows", str(10**13), "--scratch", str(tmp_path)])
        assert list(tmp_path.iterdir()) == []
