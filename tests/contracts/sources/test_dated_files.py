"""Files of this machine whose names say when their rows are of."""

from datetime import timedelta

import pytest

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources.duckdb_files import FilesSettings, FilesSource
from stratawatch.engine.model.panel_spec import Window
from stratawatch.errors import InputRefused, Unreachable
from tests.support.predictions.backends import NAIVE, items
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import write

FOLDERS = "year={year}/month={month}/day={day}/*.csv"
FOLLOWING = Window(WINDOW.end, WINDOW.end + timedelta(days=7))


def put(folder, name, *ids, day=0, **more):
    """Write rows of a day of the window into a file of any name."""
    return write(folder / name, items(*ids, at=NAIVE + timedelta(days=day), **more))


def names(result):
    return [one["name"].rpartition("year=")[2] for one in result.source_version["listing"]]


class TestFolders:
    @pytest.fixture
    def source(self, tmp_path):
        put(tmp_path, "year=2026/month=1/day=4/a.csv", "late", day=0)
        put(tmp_path, "year=2026/month=1/day=5/a.csv", "a", day=0)
        put(tmp_path, "year=2026/month=01/day=11/a.csv", "b", "c", day=6)
        put(tmp_path, "year=2026/month=01/day=12/a.csv", "d", day=7)
        put(tmp_path, "year=2026/month=1/day=x/a.csv", "e", day=0)
        return FilesSource(tmp_path / FOLDERS)

    def test_of_other_days_are_not_read(self, source):
        found = source.census(panel(), WINDOW)
        assert names(found) == ["2026/month=01/day=11/a.csv", "2026/month=1/day=5/a.csv"]
        assert found.census.size == 3

    def test_of_days_in_the_margin_are_read_by_their_times(self, tmp_path, source):
        wider = FilesSource(tmp_path / FOLDERS, margin=timedelta(hours=1)).census(panel(), WINDOW)
        assert len(names(wider)) == 4
        assert wider.census.size == 4

    def test_are_all_described_without_a_window(self, source):
        assert source.describe(panel()).facts["rows"] == "5"

    def test_without_one_of_the_window_have_no_rows(self, tmp_path, source):
        later = Window(WINDOW.start + timedelta(days=90), WINDOW.end + timedelta(days=90))
        assert source.census(panel(), later).census.size == 0
        with pytest.raises(Unreachable, match="no Parquet or CSV file matches"):
            FilesSource(tmp_path / "{year}/*.csv").census(panel(), later)

    def test_rows_of_the_window_before_are_counted_in_its_own_files(self, source):
        with source.reading(panel(), FOLLOWING) as reading:
            assert reading.census().census.size == 1
            assert reading.rows(WINDOW) == 3


def test_rows_of_the_window_before_are_counted_without_columns_that_are_newer(tmp_path):
    """A classifier that came this week has no column in last week's files, which does not keep this week from being read."""
    old = {name: column for name, column in items("a").items() if name != "flag"}
    write(tmp_path / "2026-01-05.csv", old)
    put(tmp_path, "2026-01-12.csv", "b", day=7)
    source = FilesSource(tmp_path / "{year}-{month}-{day}.csv")
    with source.reading(panel(), FOLLOWING) as reading:
        assert reading.rows(WINDOW) == 1
    write(tmp_path / "2026-01-05.csv", {name: column for name, column in old.items() if name != "ts"})
    with source.reading(panel(), FOLLOWING) as reading, pytest.raises(InputRefused, match="'ts'"):
        reading.rows(WINDOW)


def test_settings_give_the_source_its_margin_and_a_folder_of_any_name(tmp_path):
    home = tmp_path / "week[1]"
    put(home, "exports/2026/01/04.csv", "a")
    settings = FilesSettings.model_validate(
        {"kind": "files", "path": "exports/{year}/{month}/{day}.csv", "path_margin": timedelta(days=1)}
    )
    assert settings.build(BuildContext(home)).census(panel(), WINDOW).census.size == 1
