"""Predictions in a bucket: what is copied, what stays, and what fails a read. The bucket is in memory."""

import os
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from time import time

import obstore
import pytest
from obstore.store import MemoryStore
from pydantic import ValidationError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.object_storage import ObjectStorage
from stratawatch.adapters.sources import bucket_files
from stratawatch.adapters.sources.bucket_files import BucketFiles, BucketFilesSource
from stratawatch.adapters.sources.dated_paths import DatedPath
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

    def source(self, pattern="**/*", most_bytes=10**9, margin=timedelta(0)):
        files = BucketFiles(self.storage, DatedPath(pattern, margin), self.cache, most_bytes)
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
    monkeypatch.setattr(ObjectStorage, "listed_below", lambda *_: [one, *odd])
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

    def test_give_the_path_its_margin(self, tmp_path):
        source = self.settings(path=f"{WHERE}/a/{{year}}/*.csv", path_margin="1d").build(BuildContext(tmp_path))
        assert source._in_bucket.pattern == DatedPath("{year}/*.csv", timedelta(days=1))
        assert source._in_bucket.storage.where == f"{WHERE}/a"

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"path_margin": "1d"}, "path_margin is of the time in `path`, which has none"),
            ({"path": f"{WHERE}/{{date}}/*.csv"}, r"has {date}: the fields are {year}"),
        ],
    )
    def test_refuse_a_margin_of_nothing_and_a_field_that_there_is_not(self, more, words):
        with pytest.raises(ValidationError, match=words):
            self.settings(**more)

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

    def test_a_look_without_a_window_takes_the_newest_day(self, bucket):
        self.filled(bucket, ["2026-01-05", "2026-01-07", "2026-01-06"])
        size = bucket.storage.listed_below()[0].size
        facts = bucket.source(most_bytes=2 * size).describe(self.panel).facts
        assert facts["objects"] == "3 match; looked at those of the newest time"
        assert self.days(bucket) == {"2026-01-07"}
        with pytest.raises(ConfigError, match="do not fit"):
            bucket.source(most_bytes=size - 1).describe(self.panel)

    def test_rows_of_the_window_before_are_counted_in_its_own_objects(self, bucket):
        """Only the items of the newest window are copied to be counted, and rows of the one before may be late."""
        self.filled(bucket, ["2026-01-05"])
        following = Window(WINDOW.end, WINDOW.end + timedelta(days=7))
        bucket.put("day=2026-01-12/part.csv", "x")
        with bucket.source().reading(self.panel, following) as reading:
            assert reading.rows(WINDOW) == 1
            assert reading.rows(following) == 0

    def test_a_panel_that_names_no_such_column_reads_all(self, bucket):
        self.filled(bucket, ["2026-01-05", "2026-02-05"])
        assert bucket.source().census(panel(), WINDOW).census.size == 2
        assert len(bucket.copies()) == 2


class TestFields:
    """The path says in which folders the objects of a day are."""

    PATTERN = "{year}/{month}/{day}/*.csv"

    @pytest.fixture
    def week(self, bucket):
        """An object a day over seven weeks, each with an item of its own that is of its day."""
        for number in range(-21, 28):
            at = START + timedelta(days=number)
            bucket.put(f"{at:%Y/%m/%d}/part.csv", f"{at:%m%d}")
        return bucket

    def listed(self, bucket, monkeypatch):
        """How many objects each listing brings."""
        numbers, listed_below = [], ObjectStorage.listed_below

        def counting(storage, folder=""):
            found = listed_below(storage, folder)
            numbers.append(len(found))
            return found

        monkeypatch.setattr(ObjectStorage, "listed_below", counting)
        return numbers

    def counted(self, bucket, window=WINDOW, pattern=PATTERN, **more):
        return bucket.source(pattern, **more).census(panel(), window).census.size

    def days(self, bucket):
        return {path.parent.name for path in bucket.copies()}

    def test_only_those_of_the_window_are_listed_and_copied(self, week, monkeypatch):
        numbers = self.listed(week, monkeypatch)
        assert self.counted(week) == 7  # every row of the tests is of the window's first day
        assert self.days(week) == {f"{day:02}" for day in range(5, 12)}
        assert sum(numbers) == 2 * 7  # once before they are read, and once after

    def test_a_margin_copies_those_beside_it(self, week):
        assert self.counted(week, margin=timedelta(days=2)) == 11
        assert self.days(week) == {f"{day:02}" for day in range(3, 14)}

    def test_a_window_without_objects_is_empty(self, week):
        later = timedelta(days=90)
        assert self.counted(week, Window(WINDOW.start + later, WINDOW.end + later)) == 0
        assert len(week.copies()) == 1

    def test_copies_of_other_windows_stay_while_there_is_room_and_a_month(self, week, monkeypatch):
        self.counted(week)
        following = Window(WINDOW.end, WINDOW.end + timedelta(days=7))
        self.counted(week, following)
        assert len(week.copies()) == 14
        size = week.storage.listed_below()[0].size
        self.counted(week, following, most_bytes=8 * size)
        assert len(week.copies()) == 8
        month = time() + timedelta(days=31).total_seconds()
        monkeypatch.setattr(bucket_files, "time", lambda: month)
        self.counted(week, following)
        assert self.days(week) == {f"{day:02}" for day in range(12, 19)}

    def test_a_copy_of_what_is_gone_from_a_listed_folder_goes(self, week):
        self.counted(week)
        obstore.delete(week.store, "2026/01/07/part.csv")
        assert self.counted(week) == 6
        assert "07" not in self.days(week)

    def test_dates_in_names_leave_out_other_objects(self, bucket):
        for number in range(-3, 10):
            at = START + timedelta(days=number)
            bucket.put(f"scores-{at:%Y%m%d}.csv", f"{at:%m%d}")
        assert self.counted(bucket, pattern="scores-{year}{month}{day}.csv") == 7
        assert len(bucket.copies()) == 7

    def test_a_look_without_a_window_says_how_many_match(self, week):
        assert week.source(self.PATTERN).describe(panel()).facts["objects"] == (
            "49 match; looked at those of the newest time"
        )
        assert len(week.copies()) == 1
        assert "all are copied for each window" in week.source().describe(panel()).facts["objects"]

    def test_a_table_with_a_log_is_refused_though_its_log_is_in_no_folder_of_a_day(self, week):
        obstore.put(week.store, "_delta_log/0.json", b"{}")
        with pytest.raises(ConfigError, match="Delta or Iceberg"):
            self.counted(week)


def test_two_patterns_of_one_place_leave_each_other_their_copies(bucket):
    for name in ("a.csv", "b.csv"):
        bucket.put(name, name[0])
    assert bucket.drawn("a*.csv") == ["a"]
    assert bucket.drawn("b*.csv") == ["b"]
    assert len(bucket.copies()) == 2
