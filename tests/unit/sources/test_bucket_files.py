"""Predictions in a bucket: what is copied, what stays, and what fails a read. The bucket is in memory."""

import os
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import obstore
import pytest
from obstore.store import MemoryStore

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.object_storage import ObjectStorage
from stratawatch.adapters.sources.bucket_files import BucketFiles, BucketFilesSource
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_files import FilesSettings, FilesSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.model.panel_spec import Columns, Window
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from tests.support.predictions.backends import items
from tests.support.predictions.meanwhile import once_while_read
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

WHERE = "s3://predictions/spam"


class Bucket:
    """A bucket in memory, and a source that reads it."""

    def __init__(self, folder):
        self.store, self.folder = MemoryStore(), folder
        self.cache = folder / "cache"
        self.storage = ObjectStorage(self.store, WHERE, "the source")

    def put(self, name, *ids):
        file = write(self.folder / f"rows.{name.rpartition('.')[2]}", items(*ids))
        obstore.put(self.store, name, file.read_bytes())

    def source(self, pattern="**/*", most_bytes=10**9):
        files = BucketFiles(self.storage, pattern, self.cache, most_bytes)
        return BucketFilesSource(f"{WHERE}/{pattern}", files)

    def drawn(self, pattern="**/*", **more):
        return sorted(one.item for one in self.draw(self.source(pattern, **more)))

    @staticmethod
    def draw(source):
        return source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, 40, None)], [30])

    def copies(self):
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture
def bucket(tmp_path):
    return Bucket(tmp_path)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_same_is_drawn_as_from_the_files_themselves(bucket, tmp_path, ending):
    ids = [f"i{number}" for number in range(40)]
    bucket.put(f"week-0.{ending}", *ids[:25])
    bucket.put(f"week-1.{ending}", *ids[25:])
    here = FilesSource(write(tmp_path / f"here.{ending}", items(*ids)))
    mine = bucket.source()
    assert bucket.draw(mine) == bucket.draw(here)
    for one in (mine, here):
        census = one.census(panel(), WINDOW).census
        assert (census.size, census.patterns) == (40, ("0",))


def test_a_pattern_says_which_objects_count(bucket):
    for name in ("a.parquet", "day=1/b.parquet", "day=2/c.parquet", "_tmp/d.parquet", ".e.parquet", "f.txt"):
        obstore.put(bucket.store, name, b"")
        if not name.endswith("txt"):
            bucket.put(name, name[-9:-8] or "x")
    assert bucket.drawn() == ["a", "b", "c"]
    assert bucket.drawn("*.parquet") == ["a"]
    assert bucket.drawn("day=*/*.parquet") == ["b", "c"]
    with pytest.raises(Unreachable, match=r"no Parquet or CSV object of .* matches"):
        bucket.drawn("week-*.parquet")


def test_an_object_is_copied_once_and_again_when_it_is_another(bucket):
    bucket.put("a.csv", "a")
    bucket.put("b.csv", "b")
    bucket.drawn()
    first = {path: path.stat().st_mtime_ns for path in bucket.copies()}
    before = bucket.source().census(panel(), WINDOW).source_version
    bucket.put("b.csv", "b", "c")
    assert bucket.drawn() == ["a", "b", "c"]
    second = {path: path.stat().st_mtime_ns for path in bucket.copies()}
    assert len(first) == len(second) == 2
    assert len(first.items() & second.items()) == 1
    assert bucket.source().census(panel(), WINDOW).source_version != before
    obstore.delete(bucket.store, "a.csv")
    assert bucket.drawn() == ["b", "c"]
    assert len(bucket.copies()) == 1


def test_what_was_left_unfinished_is_taken_away_and_nobody_sees_it(bucket):
    bucket.put("a.csv", "a")
    bucket.drawn()
    (copy,) = bucket.copies()
    left = copy.with_name(".part-of-the-dead.csv")
    left.write_text("id\nx\n")
    assert bucket.drawn() == ["a"]
    assert left.exists()  # its process may live
    os.utime(left, (0, 0))
    assert bucket.drawn() == ["a"]
    assert not left.exists()


@pytest.mark.parametrize("change", ["other", "gone"])
def test_an_object_that_changes_while_it_is_read_fails_the_read(bucket, monkeypatch, change):
    bucket.put("a.parquet", *(f"i{number}" for number in range(40)))

    def do():
        if change == "gone":
            obstore.delete(bucket.store, "a.parquet")
        else:
            bucket.put("a.parquet", "x")

    once_while_read(monkeypatch, DuckDBEngine, do)
    words = {"gone": "vanished while it was read", "other": "was written to while it was read"}[change]
    with pytest.raises(Unreachable, match=f"spam/a.parquet' {words}"):
        bucket.draw(bucket.source())


def test_an_object_that_changes_before_it_is_copied_fails_the_read(bucket):
    bucket.put("a.parquet", "a")
    (listed,) = bucket.storage.listed_below()
    bucket.put("a.parquet", "b", "c")
    with pytest.raises(Unreachable, match="was written to"):
        bucket.storage.download(listed, bucket.folder / "copy")
    assert not (bucket.folder / "copy").exists()


def test_more_than_the_cache_may_hold_is_refused_before_it_is_copied(bucket):
    bucket.put("a.csv", "a")
    with pytest.raises(ConfigError, match=r"do not fit into the cache.*cache_limit"):
        bucket.drawn(most_bytes=10)
    assert bucket.copies() == []


@pytest.mark.parametrize("name", ["_delta_log/0.json", "metadata/v1.metadata.json"])
def test_a_lake_table_is_refused(bucket, name):
    bucket.put("a.parquet", "a")
    obstore.put(bucket.store, name, b"{}")
    with pytest.raises(ConfigError, match="Delta or Iceberg"):
        bucket.drawn()


def test_a_cache_that_cannot_be_written_is_a_sentence(bucket):
    bucket.put("a.csv", "a")
    bucket.cache.write_text("a file where the folder should be")
    with pytest.raises(Unreachable, match="cannot be copied into"):
        bucket.drawn()


def test_names_that_lead_out_of_the_cache_are_not_read(bucket, monkeypatch):
    bucket.put("a.csv", "a")
    (one,) = bucket.storage.listed_below()
    odd = [replace(one, name=name) for name in ("../b.csv", "x/../../b.csv", "/b.csv", "x//b.csv", "./b.csv")]
    monkeypatch.setattr(ObjectStorage, "listed_below", lambda _: [one, *odd])
    assert bucket.drawn() == ["a"]


class TestSettings:
    def settings(self, **more):
        return FilesSettings.model_validate({"kind": "files", "path": f"{WHERE}/*.csv", **more})

    def test_build_a_source_whose_cache_lies_in_the_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv("KEY", "hunter2")
        keys = {"access_key_id": "${env:KEY}", "secret_access_key": "${env:KEY}"}
        settings = self.settings(region="eu-west-1", credentials=keys)
        assert isinstance(settings.build(BuildContext(tmp_path)), BucketFilesSource)
        assert [path.key for path in settings.local_paths()] == ["cache"]
        assert settings.description == f"files: {WHERE}/*.csv"

    def test_a_path_of_this_machine_is_read_in_place(self, tmp_path):
        settings = FilesSettings.model_validate({"kind": "files", "path": "week.csv"})
        assert not isinstance(settings.build(BuildContext(tmp_path)), BucketFilesSource)
        assert [path.key for path in settings.local_paths()] == ["path"]


class TestDays:
    """Objects in Hive partitions by day; the panel names that column."""

    panel = panel(columns=Columns("id", "ts", partition="day"))

    def filled(self, bucket, days, ids=("a", "b", "c", "d", "e")):
        for day, item in zip(days, ids, strict=False):
            bucket.put(f"day={day}/part.csv", item)

    def counted(self, bucket, window=WINDOW, **more):
        return bucket.source(**more).census(self.panel, window).census.size

    def days(self, bucket):
        return {path.parent.name.removeprefix("day=") for path in bucket.copies()}

    @pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d"])
    def test_only_those_of_the_window_are_copied(self, bucket, form):
        moments = [START + timedelta(days=number) for number in (-1, 0, 6, 7)]
        days = [f"{at:{form}}" for at in moments]
        self.filled(bucket, days)
        assert self.counted(bucket) == 2
        assert self.days(bucket) == set(days[1:3])

    def test_the_version_is_of_those_alone(self, bucket):
        self.filled(bucket, ["2026-01-05"])
        before = bucket.source().census(self.panel, WINDOW).source_version
        self.filled(bucket, ["2026-01-12"], ["x"])
        assert bucket.source().census(self.panel, WINDOW).source_version == before

    def test_copies_of_another_window_stay_while_there_is_room(self, bucket):
        days = ["2026-01-05", "2026-01-12", "2026-01-19"]
        self.filled(bucket, days)
        size = bucket.storage.listed_below()[0].size
        for number in range(3):
            shift = number * timedelta(days=7)
            # The rows are of the first week.
            assert self.counted(bucket, Window(WINDOW.start + shift, WINDOW.end + shift), most_bytes=2 * size) == (
                number == 0
            )
        assert self.days(bucket) == set(days[1:])

    def test_a_window_without_objects_is_empty(self, bucket):
        self.filled(bucket, ["2025-01-01", "2025-01-02"])
        assert self.counted(bucket) == 0
        assert self.days(bucket) == {"2025-01-02"}

    @pytest.mark.parametrize("odd", ["day=2026-01-05/day=2026-01-06/x.csv", "month=1/x.csv"])
    def test_all_are_copied_where_one_has_no_day_or_two(self, bucket, odd):
        self.filled(bucket, ["2026-01-05", "2026-02-05"])
        bucket.put(odd, "x")
        with suppress(InputRefused):
            self.counted(bucket)
        assert len(bucket.copies()) == 3

    def test_a_look_without_a_window_takes_the_newest_that_fit(self, bucket):
        self.filled(bucket, ["2026-01-05", "2026-01-06", "2026-01-07"])
        size = bucket.storage.listed_below()[0].size
        facts = bucket.source(most_bytes=2 * size).describe(self.panel).facts
        assert facts["copied"] == "the newest days: all 3 objects do not fit into the cache"
        assert self.days(bucket) == {"2026-01-06", "2026-01-07"}
        assert "copied" not in bucket.source().describe(self.panel).facts
        with pytest.raises(ConfigError, match="do not fit"):
            bucket.source(most_bytes=size - 1).describe(self.panel)

    def test_a_panel_that_names_no_such_column_reads_all(self, bucket):
        self.filled(bucket, ["2026-01-05", "2026-02-05"])
        assert bucket.source().census(panel(), WINDOW).census.size == 2
        assert len(bucket.copies()) == 2


def test_two_patterns_of_one_place_leave_each_other_their_copies(bucket):
    for name in ("a.csv", "b.csv"):
        bucket.put(name, name[0])
    assert bucket.drawn("a*.csv") == ["a"]
    assert bucket.drawn("b*.csv") == ["b"]
    assert len(bucket.copies()) == 2
