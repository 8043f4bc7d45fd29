"""Spark on a standalone master with two worker processes on loopback, started and stopped here, answers as DuckDB does."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.spark_table import SparkEngine, SparkSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.errors import InputRefused, StratawatchError, Unreachable
from tests.support import engine_answers as engines
from tests.support.predictions import golden_draw as golden
from tests.support.predictions.decisions import DECISIONS, decided
from tests.support.predictions.long_golden import LONG_GOLDEN, turned
from tests.support.predictions.meanwhile import once_while_read
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import Table, write
from tests.support.spark_cluster import SETTINGS, WORKERS

pytestmark = pytest.mark.spark
ROWS = 30_000
WHOLE = [Atom("0", NO_BIN, 1023, 60, None)]


def rows(number: int, first: int = 0) -> Table:
    return {
        "id": ("VARCHAR", [f"i{k}" for k in range(first, first + number)]),
        "ts": ("TIMESTAMP", [WINDOW.start.replace(tzinfo=None)] * number),
        "score": ("DOUBLE", [0.25] * number),
        "flag": ("VARCHAR", ["0"] * number),
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    engines.write_rows(folder, ROWS)
    return folder


def test_a_source_starts_spark_at_its_master_and_stops_it(master: str, written: Path) -> None:
    from pyspark import SparkContext

    source = SparkSource(path=str(written / "parquet"), master=master, settings=SETTINGS)
    assert source.describe(engines.SPEC).facts["rows"] == f"{ROWS:,}"
    assert SparkContext._active_spark_context is None


class TestRunning:
    def test_two_workers_answer_as_duckdb_does(self, session: Any, written: Path) -> None:
        ours = engines.ask(FilesSource(written / "parquet"))
        theirs = engines.ask(SparkSource(path=str(written / "parquet")))
        assert engines.differences(ours, theirs) == ()
        assert ours.counted.profile.bad_rows > 10
        assert len(theirs.items) > 1000
        executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver is among them
        assert executors == WORKERS
        read = theirs.counted.source_version
        assert (read["files"], read["bytes"]) == (4, sum(f.stat().st_size for f in (written / "parquet").iterdir()))
        assert [Path(one["name"]).name for one in read["listing"]] == [f"part-{n}.parquet" for n in range(4)]

    def test_it_draws_the_golden_ids(self, session: Any, tmp_path: Path) -> None:
        cut, quotas = golden.atoms()
        source = SparkSource(path=str(write(tmp_path / "rows.parquet", golden.table())))
        items = source.candidates(golden.PANEL, WINDOW, cut, quotas)
        drawn = [[one.item for one in items if one.atom == index] for index, _ in enumerate(cut)]
        assert golden.named(cut, drawn) == golden.DRAW

    def test_numbers_by_window_and_items_by_their_ids_are_those_of_duckdb(self, session: Any, tmp_path: Path) -> None:
        (cut, quotas), spec = golden.atoms(), replace(golden.PANEL, random_numbers="by window")
        path = write(tmp_path / "rows.parquet", golden.table())
        found = []
        for source in (FilesSource(path), SparkSource(path=str(path))):
            with source.reading(spec, WINDOW) as reading:
                drawn = reading.candidates(cut, quotas)
                ids = (*golden.DRAW["000 75-351"], "nobody")
                shown = {one.item: one.payload for one in reading.items_by_id(cut, ids, with_payload=True)}
                found.append((drawn, reading.items_by_id(cut, ids), shown))
        assert found[0] == found[1]
        assert {*found[0][2]} == {*golden.DRAW["000 75-351"]}
        assert all(len(payload) == len(spec.columns.payload) for payload in found[0][2].values())
        assert {one.digest for one in found[0][0]} == {digest(spec.seed_of(WINDOW), one.item) for one in found[0][0]}
        assert sorted(one.item for one in found[0][1]) == sorted(golden.DRAW["000 75-351"])

    def test_a_long_table_is_turned_there(self, session: Any, tmp_path: Path) -> None:
        cut, quotas = golden.atoms()
        long = str(write(tmp_path / "long.parquet", turned(golden.table())))
        items = SparkSource(path=long).candidates(LONG_GOLDEN, WINDOW, cut, quotas)
        assert items == FilesSource(long).candidates(LONG_GOLDEN, WINDOW, cut, quotas)
        assert {one.item for one in items} == {item for ids in golden.DRAW.values() for item in ids}

    @pytest.mark.parametrize("name", DECISIONS)
    def test_a_value_that_means_yes_is_read_as_booleans_are(self, session: Any, tmp_path: Path, name: str) -> None:
        (cut, quotas), (first, *others) = golden.atoms(), golden.PANEL.classifiers
        spec = replace(golden.PANEL, classifiers=(replace(first, call_yes=DECISIONS[name][1]), *others))
        source = SparkSource(path=str(write(tmp_path / "rows.parquet", decided(golden.table(), name))))
        items = source.candidates(spec, WINDOW, cut, quotas)
        drawn = [[one.item for one in items if one.atom == index] for index, _ in enumerate(cut)]
        assert golden.named(cut, drawn) == golden.DRAW

    @pytest.mark.parametrize("call_yes", [None, "1"])
    def test_nan_and_null_in_calls_are_those_of_duckdb(
        self, session: Any, tmp_path: Path, call_yes: str | None
    ) -> None:
        calls = [1.0, 0.0, float("nan"), None, float("inf")]
        path = write(tmp_path / "rows.parquet", {**rows(60), "flag": ("DOUBLE", [calls[k % 5] for k in range(60)])})
        spec = panel((ClassifierSpec("lr", "score", call="flag", call_yes=call_yes),))
        ours, theirs = (one.census(spec, WINDOW) for one in (FilesSource(path), SparkSource(path=str(path))))
        assert theirs.census.patterns == ours.census.patterns == ("-", "0", "1")
        assert theirs.census.counts.tolist() == ours.census.counts.tolist() == [24, 12, 12]
        assert theirs.profile.columns == ours.profile.columns
        assert ours.profile.bad_rows == 12

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
        ours, theirs = FilesSource(path), SparkSource(path=str(path))
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
        source = SparkSource("global_temp.posts")
        found = source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, 4, None)], [4])
        assert sorted((one.item, one.copies) for one in found) == [("A", 1), ("a", 1), ("a ", 1), ("b", 1)]

    def test_what_is_not_there_is_a_sentence(self, session: Any, written: Path, tmp_path: Path) -> None:
        with pytest.raises(Unreachable, match="'nowhere' is not there"):
            SparkSource("nowhere").describe(panel())
        with pytest.raises(Unreachable, match="is not there"):
            SparkSource(path=str(tmp_path / "nothing")).describe(panel())
        spec = panel((ClassifierSpec("lr", "scroe", call="flag"),), columns=Columns("id", "ts"))
        with pytest.raises(InputRefused, match="column 'scroe'"):
            SparkSource(path=str(written / "parquet")).census(spec, WINDOW)

    def test_a_torn_file_is_unreachable_until_it_is_whole(self, session: Any, tmp_path: Path) -> None:
        table: Table = {
            "id": ("VARCHAR", [f"i{k}" for k in range(60)]),
            "ts": ("TIMESTAMP", [WINDOW.start.replace(tzinfo=None)] * 60),
            "score": ("DOUBLE", [0.25] * 60),
            "flag": ("BOOLEAN", [False] * 60),
        }
        whole = write(tmp_path / "in" / "a.parquet", table).read_bytes()
        source = SparkSource(path=str(tmp_path / "in"))
        (tmp_path / "in" / "b.parquet").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(Unreachable) as caught:
            source.census(panel(), WINDOW)
        assert "\n" not in str(caught.value)
        (tmp_path / "in" / "b.parquet").unlink()
        assert source.census(panel(), WINDOW).census.size == 60


class TestNames:
    def test_tables_named_as_those_of_the_queries_are_read_all_the_same(self, session: Any, tmp_path: Path) -> None:
        """The queries have views `population` and `quotas` of their own; a user's tables may be called so too."""
        path = write(tmp_path / "rows.parquet", rows(60))
        for name in ("population", "quotas"):
            session.sql(f"CREATE TABLE {name} USING parquet LOCATION '{path}'")
        session.sql("CREATE VIEW behind AS SELECT p.* FROM population AS p JOIN quotas AS w ON p.id = w.id")
        expected = FilesSource(path).candidates(panel(), WINDOW, WHOLE, [20])
        try:
            for name in ("quotas", "behind"):
                assert SparkSource(name).candidates(panel(), WINDOW, WHOLE, [20]) == expected
        finally:
            session.sql("DROP VIEW behind")
            for name in ("population", "quotas"):
                session.sql(f"DROP TABLE {name}")

    def test_a_name_that_is_an_attack_is_only_a_name(self, session: Any, tmp_path: Path) -> None:
        evil = "a`'; DROP VIEW kept; -- \\"
        attack: Table = {**rows(60), evil: ("VARCHAR", ["x'; \\"] * 60)}
        session.read.parquet(str(write(tmp_path / "rows.parquet", attack))).createOrReplaceGlobalTempView("kept")
        spec = panel(
            columns=Columns("id", "ts", payload=(evil,), segments=(evil,)), seed="\\'; DROP VIEW global_temp.kept; --"
        )
        expected = FilesSource(tmp_path / "rows.parquet").candidates(spec, WINDOW, WHOLE, [20])
        assert SparkSource("global_temp.kept").candidates(spec, WINDOW, WHOLE, [20]) == expected
        with pytest.raises(StratawatchError):
            SparkSource("global_temp.kept; DROP VIEW global_temp.kept").describe(panel())
        assert session.catalog.tableExists("global_temp.kept")


class TestWhatWasRead:
    """The listing that the scan goes by is the version: taken before it, and held against the files after it."""

    @pytest.fixture
    def part(self, tmp_path: Path) -> Path:
        write(tmp_path / "in" / "a.parquet", rows(30))
        return write(tmp_path / "in" / "b.parquet", rows(30, first=30))

    @pytest.fixture
    def while_read(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Do something once, when the files are listed and before their rows are asked for."""
        return partial(once_while_read, monkeypatch, SparkEngine)

    def test_no_job_asks_for_it(self, session: Any, part: Path) -> None:
        tracker = session.sparkContext.statusTracker()
        with SparkSource(path=str(part.parent))._open(panel()) as opened:
            before = len(tracker.getJobIdsForGroup())
            assert opened.source_version["files"] == 2
            assert len(tracker.getJobIdsForGroup()) == before
            list(opened.batches(opened.statements.census(WINDOW)))
            assert len(tracker.getJobIdsForGroup()) > before  # a scan would have been seen

    def test_a_file_that_comes_later_is_neither_read_nor_named(self, session: Any, part: Path, while_read: Any) -> None:
        while_read(lambda: write(part.with_name("c.parquet"), rows(10, first=60)))
        answer = SparkSource(path=str(part.parent)).census(panel(), WINDOW)
        assert (answer.census.size, answer.source_version["files"]) == (60, 2)

    def test_the_files_of_a_partitioned_table_are_named(self, session: Any, tmp_path: Path) -> None:
        write(tmp_path / "day=1" / "a.parquet", rows(30))
        write(tmp_path / "day=2" / "b.parquet", rows(30, first=30))
        session.sql(
            "CREATE TABLE parted (id STRING, ts TIMESTAMP_NTZ, score DOUBLE, flag STRING, day INT) USING parquet "
            f"PARTITIONED BY (day) LOCATION '{tmp_path}'"
        )
        try:
            session.sql("MSCK REPAIR TABLE parted")
            answer = SparkSource("parted").census(panel(), WINDOW)
        finally:
            session.sql("DROP TABLE parted")
        assert answer.census.size == 60
        assert [Path(one["name"]).name for one in answer.source_version["listing"]] == ["a.parquet", "b.parquet"]

    def test_what_is_no_file_has_a_name_only(self, session: Any) -> None:
        session.sql(
            "CREATE OR REPLACE GLOBAL TEMP VIEW made AS SELECT 'a' AS id, TIMESTAMP '2026-01-05 00:00:00Z' AS ts, "
            "CAST(0.25 AS DOUBLE) AS score, 0 AS flag"
        )
        version = SparkSource("global_temp.made").census(panel(), WINDOW).source_version
        assert set(version) == {"table", "engine"}

    @pytest.mark.parametrize("happens", ["vanishes", "is cut", "is replaced"])
    def test_a_file_that_changes_mid_scan_fails_it_and_the_retry_draws_the_same(
        self, session: Any, part: Path, while_read: Any, happens: str
    ) -> None:
        source, whole = SparkSource(path=str(part.parent)), part.read_bytes()
        before = FilesSource(part.parent).candidates(panel(), WINDOW, WHOLE, [20])
        change: dict[str, Callable[[], object]] = {
            "vanishes": part.unlink,
            "is cut": lambda: part.write_bytes(whole[: len(whole) // 2]),
            "is replaced": lambda: write(part.with_name("new.parquet"), rows(30, first=90)).replace(part),
        }
        while_read(change[happens])
        with pytest.raises(Unreachable) as caught:
            source.candidates(panel(), WINDOW, WHOLE, [20])
        assert "\n" not in str(caught.value)
        part.write_bytes(whole)
        assert source.candidates(panel(), WINDOW, WHOLE, [20]) == before

    def test_a_log_of_lines_may_grow(self, session: Any, tmp_path: Path, while_read: Any) -> None:
        path = write(tmp_path / "a.csv", rows(60))

        def grow() -> None:
            with path.open("a") as file:
                file.write("later,2026-02-01 00:00:00,0.5,0\n")
            os.utime(path, (2e9, 2e9))

        while_read(grow)
        assert SparkSource(path=str(path), format="csv").census(panel(), WINDOW).profile.rows == 60
