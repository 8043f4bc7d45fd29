"""Fields in a path: what a name says, and which folders have the files of a window."""

from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.adapters.sources.dated_paths import MOST_FOLDERS, DatedPath, check_fields
from stratawatch.engine.model.panel_spec import Window

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
FIFTH = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = Window(FIFTH, FIFTH + 7 * DAY)


class TestSpan:
    @pytest.mark.parametrize(
        ("pattern", "name"),
        [
            ("year={year}/month={month}/day={day}/*.parquet", "year=2026/month=01/day=05/a.parquet"),
            ("year={year}/month={month}/day={day}/*.parquet", "year=2026/month=1/day=5/a.parquet"),
            ("dt={year}-{month}-{day}/*.csv", "dt=2026-01-05/a.csv"),
            ("{year}/{month}/{day}/**/*.csv", "2026/01/05/eu/1/a.csv"),
            ("{year}/{month}/{day}/**/*.csv", "2026/01/05/a.csv"),
            ("**/scores-{year}{month}{day}.csv", "eu/west/scores-20260105.csv"),
            ("scores_{year}-{month}-{day}*.csv", "scores_2026-01-05T06.csv"),
            ("{year}/{month}/s-{year}-{month}-{day}.csv", "2026/1/s-2026-01-05.csv"),
            ("[a-c]?/{year}{month}{day}[!x]/*.csv", "b1/20260105-/a.csv"),
        ],
    )
    def test_is_the_day_that_a_name_says(self, pattern, name):
        assert DatedPath(pattern).span(name) == Window(FIFTH, FIFTH + DAY)

    @pytest.mark.parametrize(
        ("pattern", "name", "start", "end"),
        [
            ("{year}.csv", "2026.csv", datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
            ("{year}.csv", "2024.csv", datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)),
            ("{year}{month}.csv", "202602.csv", datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)),
            ("{year}-{month}.csv", "2026-12.csv", datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
            ("{year}/{month}/{day}/{hour}/*", "2026/1/5/0/a", FIFTH, FIFTH + HOUR),
            ("{year}{month}{day}T{hour}.csv", "20260105T23.csv", FIFTH + 23 * HOUR, FIFTH + DAY),
        ],
    )
    def test_is_as_long_as_its_finest_field(self, pattern, name, start, end):
        assert DatedPath(pattern).span(name) == Window(start, end)

    @pytest.mark.parametrize(
        "name",
        [
            "2026/13/05/a.csv",
            "2026/02/30/a.csv",
            "0000/01/05/a.csv",
            "9999/12/31/a.csv",
            "26/01/05/a.csv",
            "2026/001/05/a.csv",
            "2026/01/05/x/a.csv",
            "x/2026/01/05/a.csv",
            "2026/01/05/a.parquet",
        ],
    )
    def test_is_none_where_a_name_does_not_fit_or_is_no_day(self, name):
        assert DatedPath("{year}/{month}/{day}/*.csv").span(name) is None

    def test_is_none_where_a_name_says_two(self):
        assert DatedPath("{year}/s-{year}{month}.csv").span("2025/s-202601.csv") is None

    def test_digits_that_could_be_cut_in_two_ways_are_no_day(self):
        assert DatedPath("{year}{month}{day}.csv").span("2026111.csv") is None


class TestOfWindow:
    HOURS = tuple(f"2026010{day}T{hour:02}.csv" for day in range(4, 10) for hour in range(24))

    def of(self, window, margin=timedelta(0)):
        return DatedPath("{year}{month}{day}T{hour}.csv", margin).of_window(self.HOURS, window, str)

    def test_is_what_overlaps_it(self):
        assert self.of(Window(FIFTH, FIFTH + 2 * HOUR)) == ["20260105T00.csv", "20260105T01.csv"]
        half = timedelta(minutes=30)
        assert self.of(Window(FIFTH + half, FIFTH + HOUR + half)) == ["20260105T00.csv", "20260105T01.csv"]

    def test_is_more_by_a_margin_on_both_sides(self):
        names = self.of(Window(FIFTH, FIFTH + HOUR), timedelta(hours=1))
        assert names == ["20260104T23.csv", "20260105T00.csv", "20260105T01.csv"]

    def test_is_the_newest_one_where_there_is_none(self):
        assert self.of(Window(FIFTH + 90 * DAY, FIFTH + 91 * DAY)) == ["20260109T23.csv"]

    def test_is_all_without_a_window(self):
        assert self.of(None) == [*self.HOURS]


class TestFolders:
    @pytest.mark.parametrize(
        ("pattern", "folders"),
        [
            ("{year}/{month}/{day}/*.csv", {"2026/01/05", "2026/1/05", "2026/01/5", "2026/1/5"}),
            ("a/dt={year}-{month}/b/*.csv", {"a/dt=2026-01/b", "a/dt=2026-1/b"}),
            ("{year}/{month}/{day}/{hour}/x/*.csv", {"2026/01/05", "2026/1/05", "2026/01/5", "2026/1/5"}),
            ("{year}/*/{month}/*.csv", {"2026"}),
            ("{year}/s-{year}-{month}-{day}.csv", {"2026"}),
            ("*/{year}/{month}/*.csv", {""}),
            ("s-{year}-{month}-{day}.csv", {""}),
            ("*.csv", {""}),
        ],
    )
    def test_are_those_that_the_pattern_spells_for_a_day(self, pattern, folders):
        assert set(DatedPath(pattern).folders(Window(FIFTH, FIFTH + DAY))) == folders

    def test_of_a_window_are_those_of_its_days_and_of_its_margin(self):
        whole = Window(datetime(2026, 11, 12, tzinfo=UTC), datetime(2026, 11, 14, tzinfo=UTC))
        dated = "{year}/{month}/{day}/*.csv"
        assert DatedPath(dated).folders(whole) == ["2026/11/12", "2026/11/13"]
        with_margin = DatedPath(dated, timedelta(minutes=1)).folders(whole)
        assert with_margin == ["2026/11/11", "2026/11/12", "2026/11/13", "2026/11/14"]

    def test_of_a_long_window_are_fewer_ones_above(self):
        year = Window(FIFTH, FIFTH + 365 * DAY)
        folders = DatedPath("{year}/{month}/{day}/*.csv").folders(year)
        assert len(folders) <= MOST_FOLDERS
        assert {"2026/01", "2026/1", "2026/12", "2027/01"} <= {*folders}

    def test_have_every_file_of_the_window(self):
        """Whatever the name, a file that is of the window lies in one of the folders."""
        dated = DatedPath("{year}/m{month}/{day}/{hour}.csv")
        for number in range(0, 24 * 20, 5):
            at = FIFTH - 5 * DAY + number * HOUR
            for name in (f"{at:%Y/m%m/%d/%H}.csv", f"{at.year}/m{at.month}/{at.day}/{at.hour}.csv"):
                listed = any(name.startswith(f"{folder}/") for folder in dated.folders(WEEK))
                assert listed >= (WEEK.start <= at < WEEK.end)


class TestFields:
    @pytest.mark.parametrize("path", ["a.csv", "{year}/*.csv", "{year}/{month}/{day}/{hour}.csv", "{day}{year}{month}"])
    def test_are_taken_with_those_before_them(self, path):
        assert check_fields(path) == path

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("{date}/*.csv", r"has {date}: the fields are {year}, {month}, {day} and {hour}"),
            ("{month}/*.csv", r"has {month} without {year}"),
            ("{year}/{day}.csv", r"has {day} without {month}"),
        ],
    )
    def test_are_refused_by_name(self, path, words):
        with pytest.raises(ValueError, match=words):
            check_fields(path)
