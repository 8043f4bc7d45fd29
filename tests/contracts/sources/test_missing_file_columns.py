"""Files of one source that differ in their columns: merged by name, a renamed column would hold nothing unseen."""

import re
from datetime import timedelta

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.missing_file_columns import first_line
from stratawatch.core.population import Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, Window
from stratawatch.errors import InputRefused
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

NEXT = Window(WINDOW.end, WINDOW.end + timedelta(days=7))


def week(number, **renamed):
    """Ten rows dated in the week of this number, under other names where they are given."""
    table = {
        "id": ("VARCHAR", [f"w{number}-{k}" for k in range(10)]),
        "ts": ("TIMESTAMP", [START.replace(tzinfo=None) + timedelta(days=7 * number, hours=1)] * 10),
        "score": ("DOUBLE", [0.25] * 10),
        "flag": ("BOOLEAN", [False] * 10),
    }
    return {renamed.get(name, name): column for name, column in table.items()}


def without(table, *names):
    return {name: column for name, column in table.items() if name not in names}


@pytest.fixture(params=["parquet", "csv", "csv.gz", "hive parquet", "hive csv"])
def folder(request, tmp_path):
    """Every way in which files lie."""
    way = request.param
    return Folder(tmp_path, way.removeprefix("hive "), hive=way.startswith("hive"))


class Folder:
    def __init__(self, home, ending, *, hive):
        self.home, self._ending, self._hive = home, ending, hive

    def put(self, name, table):
        place = self.home / f"week={name}" if self._hive else self.home
        return write(place / f"{name}.{self._ending}", table)

    def source(self):
        return FilesSource(self.home)


class TestRenamed:
    def test_a_renamed_column_refuses_the_window_of_its_file(self, folder):
        folder.put("0", week(0))
        path = folder.put("1", week(1, score="score_v2"))
        with pytest.raises(InputRefused) as caught:
            folder.source().census(panel(), NEXT)
        assert caught.value.what.startswith(
            f"column 'score' (the score of classifier 'lr' of panel 'posts') is missing in '{path}'"
        )
        assert caught.value.got.startswith("the columns 'id', 'ts', 'score_v2', 'flag'")
        assert caught.value.hint.startswith("is it 'score_v2' there?")

    def test_candidates_are_refused_as_well(self, folder):
        folder.put("0", week(0))
        folder.put("1", week(1, flag="flags"))
        with pytest.raises(InputRefused, match="is it 'flags' there"):
            folder.source().candidates(panel(), NEXT, [Atom("0", 0, 1023, 10, None)], [1])

    def test_windows_without_rows_of_that_file_are_read(self, folder):
        folder.put("0", week(0))
        folder.put("1", week(1, score="score_v2"))
        assert folder.source().census(panel(), WINDOW).census.size == 10

    def test_only_columns_that_are_read_count(self, folder):
        folder.put("0", {**week(0), "note": ("VARCHAR", ["x"] * 10)})
        folder.put("1", week(0))
        assert folder.source().census(panel(), WINDOW).profile.rows == 20

    @pytest.mark.parametrize("columns", [Columns("id", "ts", ("note",)), Columns("id", "ts", segments=("note",))])
    def test_payload_and_segments_are_read_too(self, folder, columns):
        folder.put("0", {**week(0), "note": ("VARCHAR", ["x"] * 10)})
        folder.put("1", {**week(0), "notes": ("VARCHAR", ["x"] * 10)})
        with pytest.raises(InputRefused, match=r"'note' .* is it 'notes' there"):
            folder.source().census(panel(columns=columns), WINDOW)

    def test_other_capitals_are_no_other_name(self, folder):
        folder.put("0", week(0))
        folder.put("1", week(0, score="Score"))
        assert folder.source().census(panel(), WINDOW).profile.rows == 20

    def test_the_sentence_without_a_similar_name_says_what_to_write(self, folder):
        """`flag` is read already, so that it cannot be the score by another name."""
        folder.put("0", week(0))
        folder.put("1", without(week(0), "score"))
        with pytest.raises(InputRefused, match="write that file again with the column, empty where"):
            folder.source().census(panel(), WINDOW)

    def test_the_file_that_is_named_is_one_with_rows_of_the_window(self, folder):
        folder.put("0", week(0, score="score_v2"))
        folder.put("1", week(1))
        folder.put("2", week(2, score="score_v2"))
        with pytest.raises(InputRefused, match=r"missing in '.*0\.[a-z.]+', which has rows of the window .2026-01-05"):
            folder.source().census(panel(), WINDOW)


class TestLater:
    """A classifier that came later is in no older file."""

    BOTH = panel((ClassifierSpec("lr", "score", call="flag"), ClassifierSpec("nn", call="nn")))

    @pytest.fixture
    def grown(self, folder):
        folder.put("0", week(0))
        folder.put("1", {**week(1), "nn": ("BOOLEAN", [True] * 10)})
        return folder.source()

    def test_its_own_windows_are_read(self, grown):
        assert grown.census(self.BOTH, NEXT).census.patterns == ("01",)

    def test_windows_before_it_are_refused(self, grown):
        with pytest.raises(InputRefused, match=r"'nn' .* is missing in"):
            grown.census(self.BOTH, WINDOW)

    def test_late_rows_of_those_windows_are_counted_all_the_same(self, grown):
        assert grown.rows(self.BOTH, WINDOW) == 10

    def test_check_tells_of_it(self, grown):
        told = grown.describe(self.BOTH).facts["missing"]
        assert told.startswith("'nn' in 1 of 2 files, 0.")
        assert "missing" not in grown.describe(panel()).facts


class TestPlaced:
    @pytest.mark.parametrize("name", ["id", "ts"])
    def test_rows_without_a_column_of_id_or_time_refuse_always(self, folder, name):
        folder.put("0", week(0))
        folder.put("1", week(1, **{name: f"{name}s"}))
        sentence = rf"column '{name}' .*, which has rows; .* is it '{name}s' there"
        with pytest.raises(InputRefused, match=sentence):
            folder.source().census(panel(), WINDOW)
        (problem,) = folder.source().describe(panel()).problems
        assert problem.column.column == name
        assert re.search(sentence, str(problem.error))

    def test_a_file_without_rows_is_no_matter(self, folder):
        folder.put("0", week(0))
        folder.put("1", {"other": ("VARCHAR", []), "more": ("VARCHAR", [])})
        assert folder.source().census(panel(), WINDOW).profile.rows == 10

    def test_arrival_places_rows_where_it_is_named(self, folder):
        folder.put("0", {**week(0), "came": week(0)["ts"]})
        folder.put("1", week(1))
        with pytest.raises(InputRefused, match=r"column 'came' .the time of arrival"):
            folder.source().census(panel(columns=Columns("id", "ts", ingested="came")), WINDOW)

    def test_a_window_by_arrival_has_the_rows_that_arrived(self, folder):
        folder.put("0", {**week(0), "came": week(0)["ts"]})
        folder.put("1", {**week(0, score="old"), "came": week(1)["ts"]})
        spec = panel(columns=Columns("id", "ts", ingested="came"))
        assert folder.source().census(spec, WINDOW).profile.rows == 10
        with pytest.raises(InputRefused, match=r"is it 'old' there|'score' .* is missing in"):
            folder.source().census(spec, NEXT)


class TestShapes:
    def test_a_field_inside_of_a_column_is_no_column(self, tmp_path):
        write(tmp_path / "0.parquet", week(0))
        nested = {
            "detail": ("STRUCT(score DOUBLE, deep STRUCT(flag BOOLEAN))", [{"score": 0.5, "deep": {"flag": True}}] * 10)
        }
        write(tmp_path / "1.parquet", {**nested, **without(week(0), "score")})
        with pytest.raises(InputRefused, match=r"column 'score' .* got the columns 'detail', 'id', 'ts', 'flag'"):
            FilesSource(tmp_path).census(panel(), WINDOW)

    def test_a_column_may_be_the_name_of_a_folder(self, tmp_path):
        for name in ("a", "b"):
            write(tmp_path / f"shop={name}" / "x.parquet", week(0))
        spec = panel(columns=Columns("id", "ts", segments=("shop",)))
        assert FilesSource(tmp_path).census(spec, WINDOW).profile.rows == 20

    def test_a_csv_file_may_have_a_title_above_its_columns(self, tmp_path):
        for name, table in (("0", week(0)), ("1", week(0, score="score_v2"))):
            path = write(tmp_path / f"{name}.csv", table)
            path.write_text("the export of a week\n" + path.read_text())
        with pytest.raises(InputRefused, match="is it 'score_v2' there"):
            FilesSource(tmp_path).census(panel(), WINDOW)

    def test_names_with_glob_characters_are_only_names(self, tmp_path):
        write(tmp_path / "it's [1]" / "a.parquet", week(0))
        path = write(tmp_path / "it's [1]" / "b*?.parquet", without(week(0), "score"))
        with pytest.raises(InputRefused) as caught:
            FilesSource(tmp_path).census(panel(), WINDOW)
        assert f"missing in '{path}'" in caught.value.what

    def test_a_time_in_text_is_read_as_ever(self, tmp_path):
        old = {**week(0, score="old"), "ts": ("VARCHAR", ["2026-01-05T02:00:00+00:00"] * 10)}
        write(tmp_path / "0.parquet", old)
        write(tmp_path / "1.parquet", {**week(1), "ts": ("VARCHAR", ["2026-01-12T02:00:00+00:00"] * 10)})
        assert FilesSource(tmp_path).census(panel(), NEXT).profile.rows == 10
        with pytest.raises(InputRefused, match=r"missing in '.*0\.parquet'"):
            FilesSource(tmp_path).census(panel(), WINDOW)


class TestLong:
    """In a long table a file needs the columns of those whose rows it has."""

    SPEC = panel(
        (ClassifierSpec("lr", "score", call="answer"), ClassifierSpec("trees", "score", cut_off=0.5, called="t1")),
        columns=Columns("id", "ts", classifier="model"),
    )

    @staticmethod
    def said(model):
        return {**week(0, flag="answer"), "model": ("VARCHAR", [model] * 10)}

    def test_a_column_of_another_classifier_is_no_matter(self, tmp_path):
        write(tmp_path / "lr.parquet", self.said("lr"))
        write(tmp_path / "trees.parquet", without(self.said("t1"), "answer"))
        assert FilesSource(tmp_path).census(self.SPEC, WINDOW).census.size == 10

    def test_a_column_of_its_own_refuses(self, tmp_path):
        write(tmp_path / "lr.parquet", self.said("lr"))
        write(tmp_path / "trees.parquet", without(self.said("t1"), "score"))
        with pytest.raises(InputRefused, match=r"column 'score' .* missing in '.*trees\.parquet'"):
            FilesSource(tmp_path).census(self.SPEC, WINDOW)

    def test_a_file_of_another_window_may_lack_the_column_that_says_who(self, tmp_path):
        write(tmp_path / "0.parquet", self.said("lr"))
        write(tmp_path / "1.parquet", without(week(1), "score"))
        assert FilesSource(tmp_path).census(self.SPEC, WINDOW).census.size == 10


def test_no_more_than_two_megabytes_are_read_of_a_first_line(tmp_path):
    file = tmp_path / "week.csv"
    file.write_bytes(b"x" * 3_000_000)
    assert len(first_line(file)) == 2_000_000
