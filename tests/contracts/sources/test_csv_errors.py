"""CSV files that are not what they should be: the line, the fault, and what to do about it."""

import gzip

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.labelled_files import LabelledFiles
from stratawatch.errors import InputRefused, Unreachable
from tests.support.predictions.panels import WINDOW, panel

HEADER = "id,ts,score,flag\n"
ROWS = [f"i{k},2026-01-05 00:00:00,0.5,0\n" for k in range(30_000)]
EARLY, LATE = 10, 29_000
"""Rows that DuckDB looks at before it reads, and others."""


def export(number, row):
    """An export in which this row has another text; it is in line `number + 2`."""
    return HEADER + "".join([*ROWS[:number], row, *ROWS[number + 1 :]])


def refused(path, kind=InputRefused):
    with pytest.raises(kind) as caught:
        FilesSource(path).census(panel(), WINDOW)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.fixture
def path(tmp_path):
    return tmp_path / "week.csv"


@pytest.mark.parametrize("number", [EARLY, LATE])
class TestLines:
    @pytest.mark.parametrize(("row", "got"), [("i,2026-01-05,0.5,0,x\n", "5"), ("i,2026-01-05\n", "2")])
    def test_another_number_of_values(self, path, number, row, got):
        path.write_text(export(number, row))
        trouble = refused(path)
        assert trouble.what == f"line {number + 2:,} of '{path}' does not fit its header"
        assert (trouble.expected, trouble.got) == ("4 values", got)
        assert trouble.hint == "quote values that hold the delimiter or a line end, or mend that line"

    def test_bytes_that_are_no_utf_8(self, path, number):
        path.write_bytes(export(number, "iä,2026-01-05,0.5,0\n").encode("latin1"))
        trouble = refused(path)
        assert trouble.what == f"line {number + 2:,} of '{path}' is not UTF-8 text"
        assert trouble.hint == "export it in UTF-8"

    def test_a_quote_in_the_wrong_place(self, path, number):
        path.write_text(export(number, '"i"x,2026-01-05,0.5,0\n'))
        trouble = refused(path)
        assert str(path) in trouble.what
        assert "quote" in str(trouble)

    def test_words_of_the_program_inside_of_a_line_mean_nothing(self, path, number):
        path.write_text(export(number, "not utf-8,Maximum line size,unterminated quote,0,1\n"))
        assert refused(path).what == f"line {number + 2:,} of '{path}' does not fit its header"


class TestWhole:
    def test_a_line_without_an_end_may_still_be_written(self, path):
        for cut in ("c,2026-01-05 00", '"c,2026'):
            path.write_text(HEADER + "".join(ROWS) + cut)
            trouble = refused(path, Unreachable)
            assert trouble.what.startswith("line 30,002 of ")
            assert trouble.hint.startswith("if it is still being written, it is read again at the next advance; else ")

    def test_half_a_letter_at_the_end_may_still_be_written(self, path):
        path.write_bytes((HEADER + "".join(ROWS) + "ä").encode()[:-1])
        assert "still being written" in refused(path, Unreachable).hint

    def test_another_encoding_is_not_half_a_letter(self, path):
        path.write_bytes((export(EARLY, "iä,2026-01-05,0.5,0\n") + "i,2026-01-05,0.5,0").encode("latin1"))
        assert refused(path).hint == "export it in UTF-8"

    def test_a_line_of_megabytes_is_told(self, path):
        path.write_text(export(LATE, f"i,2026-01-05,{'9' * 2_500_000},0\n"))
        assert refused(path).what == f"line {LATE + 2:,} of '{path}' is longer than two million bytes"

    def test_utf_16_is_told(self, path):
        path.write_bytes(export(EARLY, ROWS[EARLY]).encode("utf-16"))
        assert refused(path).what == f"line 1 of '{path}' is not UTF-8 text"

    def test_the_file_of_a_folder_is_named(self, tmp_path):
        (tmp_path / "a.csv").write_text(HEADER + ROWS[0])
        (tmp_path / "b.csv").write_text(HEADER + "x,y\n")
        assert refused(tmp_path).what == f"line 2 of '{tmp_path / 'b.csv'}' does not fit its header"

    @pytest.mark.parametrize("ending", ["tsv", "csv.gz"])
    def test_tabs_and_compression_are_no_hindrance(self, tmp_path, ending):
        path, content = tmp_path / f"a.{ending}", export(EARLY, "x,y\n")
        path.write_bytes(gzip.compress(content.encode()) if ending == "csv.gz" else content.replace(",", "\t").encode())
        assert refused(path).what == f"line 12 of '{path}' does not fit its header"

    def test_half_a_compressed_file_may_still_be_written(self, tmp_path):
        path, whole = tmp_path / "a.csv.gz", gzip.compress(export(EARLY, ROWS[EARLY]).encode())
        path.write_bytes(whole[: len(whole) // 2])
        assert "still being written" in refused(path, Unreachable).hint

    def test_labelled_files_are_told_alike(self, path):
        path.write_text("id,score,flag,label\na,0.5,0\n")
        with pytest.raises(InputRefused, match=r"line 2 of .* does not fit its header; expected 4 values; got 3"):
            LabelledFiles(str(path)).read(panel())


class TestOtherTrouble:
    def test_half_a_parquet_file_may_still_be_written(self, tmp_path):
        (tmp_path / "a.parquet").write_bytes(b"PAR1" * 100 + b"half")
        assert "still being written" in refused(tmp_path, Unreachable).hint

    def test_a_file_that_is_gone_is_not_being_written(self, tmp_path, monkeypatch):
        from stratawatch.adapters.sources import duckdb_files

        (tmp_path / "a.csv").write_text(HEADER + ROWS[0])
        listed = duckdb_files.find_files(str(tmp_path))
        (tmp_path / "a.csv").unlink()
        monkeypatch.setattr(duckdb_files, "find_files", lambda *_: listed)
        assert refused(tmp_path, Unreachable).hint == "it is looked for again at the next advance"
