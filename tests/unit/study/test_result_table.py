import re
from dataclasses import dataclass

import pandas as pd

from stratawatch.study.result_table import ResultTable, text_table


@dataclass(frozen=True)
class Said:
    name: str
    number: int | None

    @property
    def in_words(self) -> str:
        return "" if self.number is None else f"{self.name} is <{self.number}>"


@dataclass(frozen=True)
class Line:
    name: str
    number: float | None
    count: int
    parts: tuple[str, ...] = ()


ROWS = ResultTable([Line("a", 0.12345, 1234, ("x", "y")), Line("b", None, 5)])


class TestRows:
    def test_are_a_sequence(self):
        assert len(ROWS) == 2
        assert ROWS[0].name == "a"
        assert [line.name for line in ROWS] == ["a", "b"]
        assert isinstance(ROWS[:1], ResultTable)
        assert ROWS[:1] == ResultTable([ROWS[0]])
        assert ResultTable([ROWS[0]]) != ROWS
        assert hash(ROWS) == hash(ResultTable(list(ROWS)))

    def test_show_themselves_as_a_table(self):
        assert repr(ROWS) == "name  number  count  parts\na      0.123  1,234  x, y\nb                 5"
        assert repr(ResultTable([])) == "no rows"

    def test_large_numbers_are_shown_whole(self):
        assert "12,346" in repr(ResultTable([Line("a", 12345.6, 1)]))

    def test_long_lists_are_cut_short(self):
        assert "a, b, c and 2 more" in repr(ResultTable([Line("n", 1.0, 1, tuple("abcde"))]))

    def test_turn_into_a_frame_where_the_unknown_is_missing(self):
        frame = ROWS.to_frame()
        assert list(frame.columns) == ["name", "number", "count", "parts"]
        assert frame["number"].isna().tolist() == [False, True]
        assert isinstance(frame, pd.DataFrame)

    def test_numbers_are_floats_in_a_frame_even_where_nothing_is_known(self):
        frames = [ResultTable([Line("a", number, 1)]).to_frame() for number in (None, 0.5)]
        assert [frame["number"].dtype for frame in frames] == ["float64", "float64"]
        assert (frames[0]["number"] - frames[1]["number"]).isna().all()
        assert (frames[1]["number"] > frames[0]["number"]).tolist() == [False]

    def test_a_table_without_rows_is_a_frame_without_rows(self):
        assert ResultTable([]).to_frame().empty

    def test_are_a_table_in_a_notebook(self):
        assert ROWS._repr_html_().count("<tr") == 3

    def test_the_caption_is_the_first_row_that_tells_something(self):
        text = ResultTable([Said("a", None), Said("b", 2), Said("c", 3)])._repr_html_()
        assert re.search(r"<caption [^>]*>(.*?)</caption>", text)[1] == "Read a row as: b is &lt;2&gt;."

    def test_without_such_a_row_there_is_no_caption(self):
        assert "<caption" not in ResultTable([Said("a", None)])._repr_html_()
        assert "<caption" not in ROWS._repr_html_()


class TestTextTable:
    def test_a_column_that_says_nothing_is_left_out(self):
        assert text_table(["a", "b"], [["1", ""], ["2", ""]]) == "a\n1\n2"

    def test_minus_signs_and_commas_are_numbers(self):
        assert text_table(["n"], [["-1.5"], ["1,000"]]) == "    n\n -1.5\n1,000"
