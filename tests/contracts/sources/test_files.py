"""Folders, globs, partitions, and files that are missing, torn, mixed or of several shapes."""

import math
import shutil
from datetime import timedelta, timezone
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits, duckdb_errors, duckdb_session
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, Window
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from tests.support.predictions.backends import whole
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

NAIVE = START.replace(tzinfo=None)


def day(*ids, offset=0):
    return {
        "id": ("VARCHAR", list(ids)),
        "ts": ("TIMESTAMP", [NAIVE + timedelta(days=offset)] * len(ids)),
        "score": ("DOUBLE", [0.25] * len(ids)),
        "flag": ("BOOLEAN", [False] * len(ids)),
    }


def _written(path, times, unit, zone, writer, *, first=0):
    """Rows i0, i1, ... at these times of UTC, as pandas or pyarrow write them in a unit and a zone."""
    moments = pd.to_datetime(pd.Series(times), utc=True).astype(f"datetime64[{unit}, UTC]")
    moments = moments.dt.tz_localize(None) if zone is None else moments.dt.tz_convert(zone)
    ids = [f"i{first + place}" for place, _ in enumerate(times)]
    frame = pd.DataFrame({"id": ids, "ts": moments, "score": 0.25, "flag": False})
    if writer == "pandas":
        frame.to_parquet(path)
    else:
        column = pa.array(moments, type=pa.timestamp(unit, zone))
        columns = [pa.array(ids), column, pa.array(frame["score"]), pa.array(frame["flag"])]
        pq.write_table(pa.table(columns, names=list(frame.columns)), path)


def drawn(source, size):
    found = source.candidates(panel(), WINDOW, [Atom("0", 0, 1023, size, None)], [size])
    return {one.item for one in found}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
class TestSeveralFiles:
    def test_a_folder_is_read_with_its_sub_folders(self, tmp_path, ending):
        write(tmp_path / f"a.{ending}", day("a"))
        write(tmp_path / "deep" / "er" / f"b.{ending}", day("b"))
        assert drawn(FilesSource(tmp_path), 2) == {"a", "b"}

    def test_a_glob_reads_what_it_matches_only(self, tmp_path, ending):
        write(tmp_path / "x" / f"week-1.{ending}", day("a"))
        write(tmp_path / "y" / f"week-2.{ending}", day("b"))
        write(tmp_path / "y" / f"other.{ending}", day("c"))
        assert drawn(FilesSource(tmp_path / "*" / f"week-*.{ending}"), 2) == {"a", "b"}
        assert drawn(FilesSource(f"{tmp_path}/**/week-2.{ending}"), 1) == {"b"}

    def test_unfinished_and_bookkeeping_files_are_passed_over(self, tmp_path, ending):
        write(tmp_path / f"a.{ending}", day("a"))
        for name in (f".b.{ending}", f"_c.{ending}", "_SUCCESS", f"d.{ending}.tmp"):
            (tmp_path / name).write_bytes(b"half")
        (tmp_path / "_temporary").mkdir()
        (tmp_path / "_temporary" / f"e.{ending}").write_bytes(b"half")
        source = FilesSource(tmp_path)
        assert drawn(source, 1) == {"a"}
        assert source.census(panel(), WINDOW).source_version["files"] == 1

    def test_partitions_are_columns_and_stay_text(self, tmp_path, ending):
        for value, item in (("01", "a"), ("1", "b"), ("a b", "c")):
            write(tmp_path / f"shop={value}" / f"x.{ending}", day(item))
        spec = panel(columns=Columns("id", "ts", segments=("shop",)))
        census = FilesSource(tmp_path).census(spec, WINDOW).census
        assert {segment: int(counts.sum()) for segment, counts in census.segments.items()} == {
            Segment("shop", "01"): 1,
            Segment("shop", "1"): 1,
            Segment("shop", "a b"): 1,
        }

    def test_a_partition_can_be_the_time(self, tmp_path, ending):
        for date, item in (("2026-01-04", "out"), ("2026-01-05", "in"), ("2026-01-12", "late")):
            write(tmp_path / f"dt={date}" / f"x.{ending}", {k: v for k, v in day(item).items() if k != "ts"})
        spec = panel(columns=Columns("id", "dt"))
        found = FilesSource(tmp_path).candidates(spec, WINDOW, [Atom("0", 0, 1023, 1, None)], [1])
        assert [one.item for one in found] == ["in"]

    def test_columns_are_matched_by_name_and_nothing_is_said_where_it_is_null(self, tmp_path, ending):
        write(tmp_path / f"a.{ending}", {**day("a"), "nn": ("BOOLEAN", [None])})
        later = {**dict(reversed(day("b", offset=1).items())), "nn": ("BOOLEAN", [True])}
        write(tmp_path / f"b.{ending}", later)
        both = panel((ClassifierSpec("lr", "score", call="flag"), ClassifierSpec("nn", call="nn")))
        assert FilesSource(tmp_path).census(both, WINDOW).census.patterns == ("0-", "01")

    def test_names_with_glob_characters_are_only_names(self, tmp_path, ending):
        write(tmp_path / "it's [1]" / f"a*?.{ending}", day("a"))
        assert drawn(FilesSource(tmp_path / "it's [1]"), 1) == {"a"}

    def test_the_version_changes_with_a_file(self, tmp_path, ending):
        write(tmp_path / f"a.{ending}", day("a"))
        source = FilesSource(tmp_path)
        before = source.census(panel(), WINDOW).source_version
        assert source.census(panel(), WINDOW).source_version == before
        write(tmp_path / f"b.{ending}", day("b"))
        after = source.census(panel(), WINDOW).source_version
        assert (before["files"], after["files"]) == (1, 2)
        assert after["fingerprint"] != before["fingerprint"]
        assert [one["name"] for one in after["listing"]] == [str(tmp_path / f"{name}.{ending}") for name in "ab"]


class TestConfinement:
    """The home folder may be read; `elsewhere`, beside it, may not."""

    @pytest.fixture
    def home(self, tmp_path):
        write(tmp_path / "elsewhere" / "secret.parquet", day("secret"))
        write(tmp_path / "home" / "predictions" / "a.parquet", day("a"))
        return tmp_path / "home"

    def test_a_link_to_a_file_outside_is_refused(self, home):
        (home / "predictions" / "b.parquet").symlink_to(home.parent / "elsewhere" / "secret.parquet")
        for asked in ("predictions", "predictions/*.parquet", "predictions/b.parquet"):
            with pytest.raises(
                ConfigError, match=r"b\.parquet' is behind a link that leads out .* allow_outside"
            ) as caught:
                FilesSource(home / asked, confined_to=home).census(panel(), WINDOW)
            assert "\n" not in str(caught.value)

    def test_a_link_to_a_folder_outside_is_refused(self, home):
        (home / "predictions" / "week").symlink_to(home.parent / "elsewhere")
        for asked in ("predictions/*/*.parquet", "predictions/week", "predictions/week/*.parquet"):
            with pytest.raises(ConfigError, match="behind a link that leads out"):
                FilesSource(home / asked, confined_to=home).describe(panel())

    def test_links_that_stay_inside_are_read(self, home):
        write(home / "archive" / "b.parquet", day("b"))
        (home / "predictions" / "b.parquet").symlink_to("../archive/b.parquet")
        assert drawn(FilesSource(home / "predictions", confined_to=home), 2) == {"a", "b"}

    def test_a_home_that_is_itself_behind_a_link_is_no_reason(self, home):
        (home.parent / "link").symlink_to(home)
        link = home.parent / "link"
        assert drawn(FilesSource(link / "predictions", confined_to=link), 1) == {"a"}

    def test_without_confinement_links_are_followed(self, home):
        (home / "predictions" / "b.parquet").symlink_to(home.parent / "elsewhere" / "secret.parquet")
        assert drawn(FilesSource(home / "predictions"), 2) == {"a", "secret"}


@pytest.mark.parametrize("method", ["census", "describe"])
class TestTrouble:
    @staticmethod
    def ask(source, method):
        if method == "census":
            return source.census(panel(), WINDOW)
        description = source.describe(panel())
        for problem in description.problems:
            raise problem.error
        return description

    def test_no_file_is_unreachable(self, tmp_path, method):
        for path in (tmp_path, tmp_path / "nope", tmp_path / "nope.parquet", tmp_path / "*.csv"):
            with pytest.raises(Unreachable, match="no Parquet or CSV file matches"):
                self.ask(FilesSource(path), method)

    def test_a_half_written_parquet_file_is_unreachable_until_it_is_whole(self, tmp_path, method):
        whole = write(tmp_path / "whole.parquet", day(*(f"i{k}" for k in range(50))))
        write(tmp_path / "in" / "good.parquet", day("a"))
        for share in (0.1, 0.5, 0.95):
            torn = tmp_path / "in" / "torn.parquet"
            torn.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
            with pytest.raises(Unreachable, match="cannot be read") as caught:
                self.ask(FilesSource(tmp_path / "in"), method)
            assert "\n" not in str(caught.value)
        shutil.copy(whole, torn)
        assert len(drawn(FilesSource(tmp_path / "in"), 51)) == 51

    def test_an_empty_file_is_unreachable_or_lacks_its_columns(self, tmp_path, method):
        (tmp_path / "a.parquet").touch()
        with pytest.raises(Unreachable):
            self.ask(FilesSource(tmp_path), method)
        (tmp_path / "a.csv").touch()
        with pytest.raises((Unreachable, InputRefused)):
            self.ask(FilesSource(tmp_path / "a.csv"), method)

    def test_mixed_formats_are_refused(self, tmp_path, method):
        write(tmp_path / "a.parquet", day("a"))
        write(tmp_path / "b.csv", day("b"))
        with pytest.raises(ConfigError, match="holds Parquet and CSV files"):
            self.ask(FilesSource(tmp_path), method)

    def test_a_path_that_cannot_exist_is_unreachable(self, tmp_path, method):
        with pytest.raises(Unreachable, match="cannot be looked at; got File name too long"):
            self.ask(FilesSource(tmp_path / ("x" * 300)), method)

    def test_an_unknown_ending_is_named(self, tmp_path, method):
        (tmp_path / "a.xlsx").touch()
        with pytest.raises(ConfigError, match=r"no known ending; expected \.parquet"):
            self.ask(FilesSource(tmp_path / "a.xlsx"), method)


class TestCsv:
    @pytest.mark.parametrize("ending", ["tsv", "csv.gz", "CSV"])
    def test_tabs_and_compression_are_known_by_the_ending(self, tmp_path, ending):
        assert drawn(FilesSource(write(tmp_path / f"a.{ending}", day("a", "b,c\td"))), 2) == {"a", "b,c\td"}

    def test_another_delimiter_is_said_and_its_absence_is_guessed(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("id;ts;score;flag\na;2026-01-05 00:00:00;0.5;0\n")
        assert drawn(FilesSource(path, delimiter=";"), 1) == {"a"}
        with pytest.raises(InputRefused, match="set the source's delimiter"):
            FilesSource(path).census(panel(), WINDOW)

    def test_a_header_without_rows_is_an_empty_window(self, tmp_path):
        (tmp_path / "a.csv").write_text("id,ts,score,flag\n")
        assert FilesSource(tmp_path).census(panel(), WINDOW).profile.rows == 0

    def test_text_that_is_no_number_is_an_unreadable_score(self, tmp_path):
        (tmp_path / "a.csv").write_text("id,ts,score,flag\na,2026-01-05,high,0\nb,2026-01-05, 0.5 ,0\nc,soon,0.5,0\n")
        answer = FilesSource(tmp_path).census(panel(), WINDOW)
        assert list(answer.census.bins) == [512]
        assert {one.key: one.content["columns"]["score"] for one in answer.bad_rows} == {"a": "high", "c": "0.5"}
        assert {one.key: one.reason for one in answer.bad_rows}["c"] == "the time in 'ts' is missing or unreadable"

    def test_a_row_that_ends_early_is_unreachable(self, tmp_path):
        path = write(tmp_path / "a.csv", day("a", "b"))
        path.write_text(path.read_text() + "c,2026-01-05 00")
        with pytest.raises(Unreachable):
            FilesSource(path).census(panel(), WINDOW)


class TestTimes:
    @pytest.mark.parametrize("kind", ["TIMESTAMPTZ", "TIMESTAMP_NS", "TIMESTAMP_MS", "TIMESTAMP_S", "DATE"])
    def test_every_type_of_time_is_half_open_in_utc(self, tmp_path, kind):
        moments = [f"{one:%Y-%m-%d %H:%M:%S}" for one in (NAIVE - timedelta(1), NAIVE, NAIVE + timedelta(7))]
        moments = [f"{one}+00:00" for one in moments] if kind == "TIMESTAMPTZ" else moments
        table = {**day("before", "first", "after"), "ts": (kind, moments)}
        source = FilesSource(write(tmp_path / "a.parquet", table))
        profile = source.census(panel(), WINDOW).profile
        assert (profile.rows, profile.first_time, profile.last_time) == (1, START, START)
        assert drawn(source, 1) == {"first"}

    def test_a_nanosecond_before_the_end_is_inside(self, tmp_path):
        moments = ["2026-01-11 23:59:59.999999999", "2026-01-12 00:00:00.000000000", "2026-01-04 23:59:59.999999999"]
        table = {**day("last", "after", "before"), "ts": ("TIMESTAMP_NS", moments)}
        assert drawn(FilesSource(write(tmp_path / "a.parquet", table)), 1) == {"last"}

    @pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
    @pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
    @pytest.mark.parametrize("writer", ["pandas", "pyarrow"])
    def test_files_of_pandas_and_arrow_are_read_in_every_unit(self, tmp_path, unit, zone, writer):
        path = tmp_path / "a.parquet"
        _written(path, [NAIVE - timedelta(seconds=1), NAIVE, NAIVE + timedelta(days=7)], unit, zone, writer)
        source = FilesSource(path)
        profile = source.census(panel(), WINDOW).profile
        assert (profile.rows, profile.bad_rows, profile.first_time, profile.last_time) == (1, 0, START, START)
        (found,) = source.candidates(panel(), WINDOW, [Atom("0", 0, 1023, 1, None)], [1])
        assert (found.item, found.time) == ("i1", START)
        assert source.describe(panel()).facts["times"].startswith("2026-01-0")

    @pytest.mark.parametrize("units", [("ns", "us"), ("us", "ns"), ("ms", "ns")])
    @pytest.mark.parametrize("zone", [None, "UTC"])
    def test_files_of_different_units_are_read_together(self, tmp_path, units, zone):
        for place, unit in enumerate(units):
            _written(tmp_path / f"{place}.parquet", [NAIVE + timedelta(days=place)], unit, zone, "pandas", first=place)
        assert drawn(FilesSource(tmp_path), 2) == {"i0", "i1"}

    def test_a_time_in_nanoseconds_can_be_payload_and_segment(self, tmp_path):
        _written(tmp_path / "a.parquet", [NAIVE], "ns", "UTC", "pandas")
        spec = panel(columns=Columns("id", "ts", ("ts",), ("ts",)))
        (found,) = FilesSource(tmp_path).candidates(spec, WINDOW, [Atom("0", 0, 1023, 1, None)], [1])
        assert str(found.payload["ts"]).startswith("2026-01-05")
        assert str(found.segments["ts"]).startswith("2026-01-05")

    def test_a_nanosecond_before_the_end_is_inside_in_utc_too(self, tmp_path):
        end = pd.Timestamp(WINDOW.end)
        times = [end - pd.Timedelta(1, "ns"), end, pd.Timestamp(WINDOW.start) - pd.Timedelta(1, "ns")]
        _written(tmp_path / "a.parquet", times, "ns", "UTC", "pandas")
        assert drawn(FilesSource(tmp_path), 1) == {"i0"}

    def test_a_window_in_another_zone_is_the_same_window(self, tmp_path):
        source = FilesSource(write(tmp_path / "a.parquet", day("a")))
        zone = timezone(timedelta(hours=9))
        moved = Window(WINDOW.start.astimezone(zone), WINDOW.end.astimezone(zone))
        assert source.census(panel(), moved).profile == source.census(panel(), WINDOW).profile


class TestErrors:
    @pytest.mark.parametrize(
        ("raised", "kind", "sentence"),
        [
            (duckdb.ConversionException, InputRefused, "holds a value that cannot be read; got first line"),
            (duckdb.BinderException, InputRefused, "do not fit together; got first line"),
            (duckdb.IOException, Unreachable, "cannot be read; got first line"),
            (duckdb.OutOfMemoryException, Unreachable, "needs more memory than DuckDB may use; got first line"),
        ],
    )
    def test_the_engines_errors_become_one_sentence(self, raised, kind, sentence):
        def fail():
            with duckdb_errors("a.parquet"):
                raise raised("first line\n\nLINE 1: SELECT ...")

        with pytest.raises(kind, match=sentence) as caught:
            fail()
        assert "LINE" not in str(caught.value)

    def test_files_whose_columns_contradict_are_refused(self, tmp_path):
        write(tmp_path / "a.parquet", day("a"))
        write(tmp_path / "b.parquet", {**day("b"), "score": ("DOUBLE[]", [[0.5]])})
        with pytest.raises((InputRefused, Unreachable)) as caught:
            FilesSource(tmp_path).census(panel(), WINDOW)
        assert "\n" not in str(caught.value)


class TestVanishing:
    def test_a_link_to_nothing_is_named(self, tmp_path):
        (tmp_path / "a.parquet").symlink_to(tmp_path / "gone.parquet")
        with pytest.raises(Unreachable, match=r"a\.parquet' vanished while it was looked at"):
            FilesSource(tmp_path).census(panel(), WINDOW)

    def test_a_folder_with_a_files_ending_is_no_file(self, tmp_path):
        write(tmp_path / "spark.parquet" / "part-0.parquet", day("a"))
        assert drawn(FilesSource(tmp_path), 1) == {"a"}

    def test_a_file_that_vanishes_between_listing_and_reading_is_unreachable(self, tmp_path, monkeypatch):
        from stratawatch.adapters.sources import duckdb_files

        path = write(tmp_path / "a.parquet", day("a"))
        listed = duckdb_files.find_files(str(path))
        path.unlink()
        monkeypatch.setattr(duckdb_files, "find_files", lambda *_: listed)
        with pytest.raises(Unreachable, match="cannot be read"):
            FilesSource(path).census(panel(), WINDOW)


class TestStatistics:
    def test_nan_is_found_where_the_statistics_of_the_file_hide_it(self):
        """The file was written by Arrow: its statistics say that scores lie in [0, 1] and every flag is 1."""
        path = Path(__file__).parents[2] / "support/predictions/golden/nan_hidden_by_statistics.parquet"
        answer = FilesSource(path).census(panel(), WINDOW)
        assert (answer.profile.rows, answer.profile.bad_rows, answer.census.size) == (40, 0, 40)
        assert (answer.profile.columns["lr"]["score_nulls"], answer.profile.columns["lr"]["nulls"]) == (1, 1)
        (silent,) = FilesSource(path).candidates(panel(), WINDOW, whole("-", 1), [1])
        assert silent.item == "i09"

    @pytest.mark.parametrize("same", [0.0, 0.5, 1.0])
    def test_nan_among_scores_that_are_all_the_same_is_no_score(self, tmp_path, same):
        """Arrow's statistics say then that the score is this number in every row."""
        named = pa.Table.from_pydict(
            {"id": list("abc"), "ts": [NAIVE] * 3, "score": [same, math.nan, same], "flag": [0] * 3}
        )
        pq.write_table(named, tmp_path / "rows.parquet")
        profile = FilesSource(tmp_path / "rows.parquet").census(panel(), WINDOW).profile
        assert (profile.bad_rows, profile.columns["lr"]["score_nulls"]) == (0, 1)


class TestBounds:
    def test_memory_threads_and_spill_folder_reach_the_engine(self, tmp_path):

        with duckdb_session(DuckDBLimits("123MiB", 1, tmp_path)) as connection:
            (found,) = connection.execute(
                "SELECT [current_setting('memory_limit'), current_setting('threads')::VARCHAR,"
                " current_setting('temp_directory'), current_setting('TimeZone')]"
            ).fetchone()
        assert found[:2] == ["123.0 MiB", "1"]
        assert found[2].startswith(str(tmp_path))
        assert found[3] == "UTC"
        assert list(tmp_path.iterdir()) == [], "the spill folder is removed"

    def test_a_population_larger_than_the_memory_limit_is_still_read(self, tmp_path):
        """Nothing but groups and candidates is held: 800,000 rows, 90 MB of ids and text, within 60 MB."""
        path = tmp_path / "many.parquet"
        with duckdb.connect(":memory:", config={"autoinstall_known_extensions": False}) as connection:
            connection.execute(
                f"COPY (SELECT 'item-' || i AS id, TIMESTAMP '2026-01-05' AS ts, i / 800000 AS score, i % 10 = 0 AS flag, "
                f"MD5(i::VARCHAR) || MD5((i + 1)::VARCHAR) || MD5((i + 2)::VARCHAR) AS body FROM range(800000) AS t(i)) "
                f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 20000)"
            )
        spec = panel(columns=Columns("id", "ts", ("body",)))
        source = FilesSource(path, limits=DuckDBLimits("60MB", 1))
        assert source.census(spec, WINDOW).census.size == 800_000
        atoms = [Atom("0", 0, 1023, 720_000, None), Atom("1", 0, 1023, 80_000, None, stratum=1)]
        found = source.candidates(spec, WINDOW, atoms, [500, 500])
        assert [sum(one.atom == index for one in found) for index in (0, 1)] == [500, 500]

    def test_too_little_memory_is_a_sentence(self, tmp_path):
        path = write(tmp_path / "a.parquet", day(*(f"i{k}" for k in range(30_000))))
        with pytest.raises(Unreachable, match="raise the source's memory_limit"):
            FilesSource(path, limits=DuckDBLimits("1MB", 1)).census(panel(), WINDOW)
