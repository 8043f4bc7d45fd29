"""Small files that decompress to a lot are refused, or read in bounded memory, before they fill it."""

import gzip
import zipfile
from dataclasses import replace

import pytest

from stratawatch.adapters.sources import labelled_files, sql_source
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits
from stratawatch.adapters.sources.labelled_files import LabelledFiles
from stratawatch.engine.model.panel_spec import Columns
from stratawatch.errors import InputRefused, Unreachable
from tests.support.predictions.backends import whole
from tests.support.predictions.panels import START, WINDOW, panel

MEGABYTE = 1 << 20
HEADER = b"id,ts,score,flag,label,text\n"
PANEL = panel(columns=Columns("id", "ts", payload=("text",)))


def rows(number, text="x"):
    when = START.replace(tzinfo=None)
    return b"".join(f"i{k},{when},0.5,1,yes,{text}\n".encode() for k in range(number))


@pytest.fixture
def packed(tmp_path):
    """A file of few bytes that holds many."""

    def write(*parts, ending="csv.gz"):
        path = tmp_path / f"week.{ending}"
        if ending == "parquet":
            import duckdb

            with duckdb.connect() as connection:
                (query,) = parts
                connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
        else:
            with gzip.open(path, "wb", 9) as file:
                file.writelines(parts)
        return path

    return write


PARQUET = f"""
SELECT 'i' || i AS id, TIMESTAMP '{START:%Y-%m-%d}' AS ts, .5 AS score, TRUE AS flag, 'yes' AS label,
       REPEAT('x', 30000) AS text FROM RANGE(300) AS r(i)
"""


def test_a_line_that_never_ends_is_refused_after_two_megabytes_of_it(packed):
    path = packed(HEADER, *[b"x" * MEGABYTE] * 32)
    assert path.stat().st_size < MEGABYTE // 10
    for read in (lambda: FilesSource(path).census(PANEL, WINDOW), lambda: LabelledFiles(str(path)).read(PANEL)):
        with pytest.raises(InputRefused, match="longer than two million bytes"):
            read()


@pytest.mark.parametrize("ending", ["csv.gz", "parquet"])
class TestPayload:
    def test_that_decompresses_to_more_than_is_kept_is_refused_before_all_of_it_is_read(
        self, packed, monkeypatch, ending
    ):
        path = packed(PARQUET, ending=ending) if ending == "parquet" else packed(HEADER, rows(300, "x" * 30_000))
        assert path.stat().st_size < MEGABYTE
        monkeypatch.setattr(sql_source, "MOST_TEXT", 4 * MEGABYTE)
        fetched = []
        made = sql_source._candidate
        monkeypatch.setattr(sql_source, "_candidate", lambda *given: fetched.append(1) or made(*given))
        with pytest.raises(InputRefused, match="hold more text than is kept; expected at most 4,194,304 characters"):
            FilesSource(path).candidates(PANEL, WINDOW, whole("1", 300), [300])
        assert len(fetched) <= 192

    def test_that_fits_is_read(self, packed, ending):
        path = packed(PARQUET, ending=ending) if ending == "parquet" else packed(HEADER, rows(300, "x" * 1000))
        assert len(FilesSource(path).candidates(PANEL, WINDOW, whole("1", 300), [300])) == 300


class TestLabelledFiles:
    def test_with_more_rows_than_are_read_are_refused_before_they_are(self, packed, monkeypatch):
        monkeypatch.setattr(labelled_files, "MOST_ROWS", 299)
        with pytest.raises(InputRefused, match="holds more labelled predictions than are read at once"):
            LabelledFiles(str(packed(HEADER, rows(300)))).read(PANEL)

    def test_with_more_text_than_is_read_are_refused_before_they_are(self, packed, monkeypatch):
        monkeypatch.setattr(labelled_files, "MOST_TEXT", MEGABYTE)
        long = replace(PANEL, columns=Columns("text", "ts"))
        with pytest.raises(InputRefused, match="and 1,048,576 bytes of items and segments"):
            LabelledFiles(str(packed(PARQUET, ending="parquet"))).read(long)

    def test_that_fit_are_read(self, packed):
        assert LabelledFiles(str(packed(HEADER, rows(300)))).read(PANEL).truth.sum() == 300


def test_what_decompresses_to_more_than_duckdb_may_use_is_a_sentence(packed):
    query = PARQUET.replace("30000", "50000000").replace("RANGE(300)", "RANGE(4)")
    path = packed(query, ending="parquet")
    assert path.stat().st_size < MEGABYTE
    source = FilesSource(path, limits=DuckDBLimits(memory_limit="100MB", threads=1))
    with pytest.raises(Unreachable, match="needs more memory than DuckDB may use"):
        source.candidates(PANEL, WINDOW, whole("1", 4), [4])


def test_an_archive_is_not_opened_whatever_it_is_called(tmp_path):
    for name in ("week.parquet", "week.csv.gz"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("week.csv", b"x" * MEGABYTE)
        with pytest.raises((Unreachable, InputRefused)):
            FilesSource(tmp_path / name).census(PANEL, WINDOW)
