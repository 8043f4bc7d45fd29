"""Spark on a standalone master with two worker processes on loopback, started and stopped here, answers as DuckDB does."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from benchmarks import engines
from benchmarks.spark_cluster import SETTINGS, WORKERS, cluster, driver
from stratawatch.adapters.sources import load
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.records import ClassifierSpec, Columns
from stratawatch.errors import InputRefused, Unreachable
from tests.contracts.sources import golden_world as world
from tests.contracts.sources.panels import WINDOW, panel
from tests.contracts.sources.tables import Table, write
from tests.contracts.sources.test_golden_draw import GOLDEN
from tests.contracts.sources.test_long_tables import TestGoldenWorld as LongWorld
from tests.contracts.sources.test_long_tables import turned

pytestmark = pytest.mark.spark
ROWS = 30_000


@pytest.fixture(scope="module")
def master() -> Iterator[str]:
    """Spark runs on Java, which pip does not bring: a machine without it can test all the rest."""
    if which("java") is None and "JAVA_HOME" not in os.environ:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Spark's tests want Java 17 or newer on the PATH")
    with cluster() as address:
        yield address


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    engines.write_rows(folder, ROWS)
    return folder


def test_a_source_starts_spark_at_its_master_and_stops_it(master: str, written: Path) -> None:
    from pyspark import SparkContext

    source = load("spark")(path=str(written / "parquet"), master=master, settings=SETTINGS)
    assert source.describe(engines.SPEC)["rows"] == f"{ROWS:,}"
    assert SparkContext._active_spark_context is None


@pytest.fixture(scope="module")
def session(master: str) -> Iterator[Any]:
    """A session that is there already; one for all tests that follow."""
    with driver(master) as session:
        yield session


class TestRunning:
    def test_two_workers_answer_as_duckdb_does(self, session: Any, written: Path) -> None:
        ours = engines.ask(load("files")(written / "parquet"))
        theirs = engines.ask(load("spark")(path=str(written / "parquet")))
        assert engines.differences(ours, theirs) == ()
        assert ours.counted.profile.bad_rows > 10
        assert len(theirs.items) > 1000
        executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver is among them
        assert executors == WORKERS
        read = theirs.counted.source_version
        assert (read["files"], read["bytes"]) == (4, sum(f.stat().st_size for f in (written / "parquet").iterdir()))
        assert [Path(one["name"]).name for one in read["listing"]] == [f"part-{n}.parquet" for n in range(4)]

    def test_it_draws_the_golden_ids(self, session: Any, tmp_path: Path) -> None:
        cut, wanted = world.atoms()
        source = load("spark")(path=str(write(tmp_path / "rows.parquet", world.table())))
        items = source.candidates(world.PANEL, WINDOW, cut, wanted)
        drawn = [[one.item for one in items if one.atom == index] for index, _ in enumerate(cut)]
        assert world.named(cut, drawn) == GOLDEN

    def test_a_long_table_is_turned_there(self, session: Any, tmp_path: Path) -> None:
        cut, wanted = world.atoms()
        long = str(write(tmp_path / "long.parquet", turned(world.table())))
        items = load("spark")(path=long).candidates(LongWorld.LONG, WINDOW, cut, wanted)
        assert items == load("files")(long).candidates(LongWorld.LONG, WINDOW, cut, wanted)
        assert {one.item for one in items} == {item for ids in GOLDEN.values() for item in ids}

    def test_windows_by_arrival_and_the_newest_row_are_those_of_duckdb(self, session: Any, tmp_path: Path) -> None:
        start = WINDOW.start.replace(tzinfo=None)
        table: Table = {
            "id": ("VARCHAR", [f"i{k % 300}" for k in range(400)]),
            "ts": ("TIMESTAMP", [start + timedelta(minutes=k * 31 % 12_000 - 500) for k in range(400)]),
            "loaded": ("TIMESTAMP", [start + timedelta(minutes=k * 17 % 12_000) for k in range(400)]),
            "score": ("DOUBLE", [None if k % 97 == 0 else k * 7919 % 1009 / 1009 for k in range(400)]),
            "flag": ("VARCHAR", [str(k % 5 == 0) for k in range(400)]),
        }
        path = write(tmp_path / "rows.parquet", table)
        spec = panel(columns=Columns("id", "ts", ingested="loaded"), duplicates="latest")
        ours, theirs = load("files")(path), load("spark")(path=str(path))
        profile = ours.census(spec, WINDOW).profile
        assert theirs.census(spec, WINDOW).profile == profile
        assert min(profile.late, profile.early, profile.repeated) > 0
        assert theirs.rows(spec, WINDOW) == ours.rows(spec, WINDOW) > profile.rows
        whole = [Atom("0", NO_BIN, 1023, profile.rows - profile.columns["lr"]["positives"], None)]
        assert theirs.candidates(spec, WINDOW, whole, [20]) == ours.candidates(spec, WINDOW, whole, [20])

    def test_a_table_of_the_catalog_is_read_and_collations_do_not_merge_ids(self, session: Any) -> None:
        session.sql("CREATE OR REPLACE TEMP VIEW here AS SELECT 'a' AS id")
        session.sql(
            "CREATE OR REPLACE GLOBAL TEMP VIEW posts AS SELECT CAST(id AS STRING) COLLATE UTF8_LCASE AS id, "
            "TIMESTAMP '2026-01-05 00:00:00Z' AS ts, CAST(0.25 AS DOUBLE) AS score, 0 AS flag "
            "FROM VALUES ('a'), ('A'), ('a '), ('b') AS t(id)"
        )
        source = load("spark")("global_temp.posts")
        found = source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, 4, None)], [4])
        assert sorted((one.item, one.copies) for one in found) == [("A", 1), ("a", 1), ("a ", 1), ("b", 1)]

    def test_what_is_not_there_is_a_sentence(self, session: Any, written: Path, tmp_path: Path) -> None:
        with pytest.raises(Unreachable, match="'nowhere' is not there"):
            load("spark")("nowhere").describe(panel())
        with pytest.raises(Unreachable, match="is not there"):
            load("spark")(path=str(tmp_path / "nothing")).describe(panel())
        spec = panel((ClassifierSpec("lr", "scroe", positive="flag"),), columns=Columns("id", "ts"))
        with pytest.raises(InputRefused, match="column 'scroe'"):
            load("spark")(path=str(written / "parquet")).census(spec, WINDOW)

    def test_a_torn_file_is_unreachable_until_it_is_whole(self, session: Any, tmp_path: Path) -> None:
        table: Table = {
            "id": ("VARCHAR", [f"i{k}" for k in range(60)]),
            "ts": ("TIMESTAMP", [WINDOW.start.replace(tzinfo=None)] * 60),
            "score": ("DOUBLE", [0.25] * 60),
            "flag": ("BOOLEAN", [False] * 60),
        }
        whole = write(tmp_path / "in" / "a.parquet", table).read_bytes()
        source = load("spark")(path=str(tmp_path / "in"))
        (tmp_path / "in" / "b.parquet").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(Unreachable) as caught:
            source.census(panel(), WINDOW)
        assert "\n" not in str(caught.value)
        (tmp_path / "in" / "b.parquet").unlink()
        assert source.census(panel(), WINDOW).census.size == 60
