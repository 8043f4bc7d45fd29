"""Sources that change while they are read: it fails in a sentence, and reading again gives the draw it would have given."""

import os
from datetime import timedelta
from functools import partial

import pytest

from stratawatch.adapters.sources import duckdb_files
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.errors import InputRefused, Unreachable
from tests.support.predictions.meanwhile import once_while_read
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write, write_database, write_postgres

SIZE = 400
ATOMS = [Atom("0", NO_BIN, 1023, SIZE, None)]


def rows(first, number):
    return {
        "id": ("VARCHAR", [f"i{k}" for k in range(first, first + number)]),
        "ts": ("TIMESTAMP", [START.replace(tzinfo=None) + timedelta(hours=1)] * number),
        "score": ("DOUBLE", [0.25] * number),
        "flag": ("VARCHAR", ["0"] * number),
    }


def draw(source):
    return [one.item for one in source.candidates(panel(), WINDOW, ATOMS, [30])]


@pytest.fixture
def while_read(monkeypatch):
    """Do something once, when the files are open and before their rows are asked for."""
    return partial(once_while_read, monkeypatch, DuckDBEngine)


@pytest.fixture
def once_read(monkeypatch):
    """Do something once, when the rows were asked for and are there."""
    return partial(once_while_read, monkeypatch, DuckDBEngine, after=True)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("asked", ["census", "candidates"])
class TestFiles:
    @staticmethod
    def ask(source, asked):
        if asked == "census":
            source.census(panel(), WINDOW)
        else:
            draw(source)

    @pytest.fixture
    def part(self, tmp_path, ending):
        write(tmp_path / f"a.{ending}", rows(0, SIZE // 2))
        return write(tmp_path / f"b.{ending}", rows(SIZE // 2, SIZE // 2))

    def test_one_that_vanishes(self, part, asked, while_read):
        source, whole = FilesSource(part.parent), part.read_bytes()
        before = draw(source)
        while_read(part.unlink)
        with pytest.raises(Unreachable) as caught:
            self.ask(source, asked)
        assert "\n" not in str(caught.value)
        part.write_bytes(whole)
        assert draw(source) == before

    def test_one_that_vanishes_when_its_rows_were_read(self, part, asked, once_read):
        """What others could not check any more is not kept."""
        source = FilesSource(part.parent)
        once_read(part.unlink)
        with pytest.raises(Unreachable, match="vanished while it was read"):
            self.ask(source, asked)

    def test_one_that_is_half_written(self, part, asked, while_read):
        source, whole = FilesSource(part.parent), part.read_bytes()
        before = draw(source)
        while_read(lambda: part.write_bytes(whole[: len(whole) * 2 // 3]))
        with pytest.raises(Unreachable):
            self.ask(source, asked)
        part.write_bytes(whole)
        assert draw(source) == before

    def test_one_that_is_replaced_by_another(self, part, asked, ending, while_read):
        source = FilesSource(part.parent)

        def replace():
            write(part.with_name(f"new.{ending}"), rows(SIZE, 100)).replace(part)

        while_read(replace)
        with pytest.raises(Unreachable, match="was written to while it was read"):
            self.ask(source, asked)

    def test_a_new_file_beside_them_disturbs_nobody(self, part, asked, ending, while_read):
        source = FilesSource(part.parent)
        before = draw(source)
        while_read(lambda: write(part.with_name(f"c.{ending}"), rows(SIZE, 10)))
        self.ask(source, asked)
        part.with_name(f"c.{ending}").unlink()
        assert draw(source) == before


class TestHalfAHeader:
    """A file that is cut between the look at it and the look into it lacks columns: that is no fault of the export."""

    def test_is_unreachable_and_refuses_nothing(self, tmp_path, monkeypatch):
        path = write(tmp_path / "a.csv", rows(0, SIZE))
        whole, look = path.read_bytes(), duckdb_files.column_types

        def cut(*asked):
            path.write_bytes(whole[:5])
            return look(*asked)

        monkeypatch.setattr(duckdb_files, "column_types", cut)
        with pytest.raises(Unreachable, match="was written to while it was read"):
            FilesSource(path).census(panel(), WINDOW)

    def test_of_a_file_that_is_gone_is_unreachable_too(self, tmp_path, monkeypatch):
        paths, look = [write(tmp_path / f"{name}.csv", rows(0, SIZE)) for name in "ab"], duckdb_files.column_types

        def lose(*asked):
            found = look(*asked)
            paths[1].unlink()
            return found

        monkeypatch.setattr(duckdb_files, "column_types", lose)
        with pytest.raises(Unreachable, match="it is looked for again at the next advance"):
            FilesSource(tmp_path).census(panel(), WINDOW)

    def test_stays_a_refusal_where_the_file_is_what_it_was(self, tmp_path):
        path = write(tmp_path / "a.csv", rows(0, SIZE))
        path.write_bytes(path.read_bytes()[:5])
        with pytest.raises(InputRefused, match="is missing in the source"):
            FilesSource(path).census(panel(), WINDOW)


class TestLogThatGrows:
    def test_a_csv_may_grow_while_it_is_read(self, tmp_path, while_read):
        path = write(tmp_path / "a.csv", rows(0, SIZE))

        def grow():
            with path.open("a") as file:
                file.write("later,2026-02-01 00:00:00,0.5,0\n")
            os.utime(path, (2e9, 2e9))

        while_read(grow)
        assert len(draw(FilesSource(path))) == 30

    def test_half_a_line_that_is_whole_by_now_refuses_nothing(self, tmp_path, while_read):
        """What cannot be read may have been half of it; only a file that is what it was is refused for its lines."""
        path = write(tmp_path / "a.csv", rows(0, SIZE))

        def grow():
            with path.open("a") as file:
                file.write("later,2026-02-01\n")

        while_read(grow)
        source = FilesSource(path)
        with pytest.raises(Unreachable, match="was written to while it was read"):
            draw(source)
        with pytest.raises(InputRefused, match=r"line 402 of .* does not fit its header"):
            draw(source)


class TestDatabases:
    def test_a_duckdb_file_that_is_not_there_or_is_torn(self, tmp_path):
        path = write_database(tmp_path / "rows.duckdb", "rows", rows(0, SIZE))
        whole, source = path.read_bytes(), DuckDBTableSource(path, "rows")
        before = draw(source)
        path.write_bytes(whole[: len(whole) // 3])
        with pytest.raises(Unreachable) as caught:
            draw(source)
        assert "\n" not in str(caught.value)
        path.unlink()
        with pytest.raises(Unreachable, match="cannot be looked at"):
            draw(source)
        path.write_bytes(whole)
        assert draw(source) == before

    @pytest.mark.postgres
    def test_what_others_write_meanwhile_is_not_seen(self, postgres_server):
        """The census and its bad rows are of one snapshot, and so are the pool and its copies."""
        import psycopg

        source = PostgresSource(postgres_server, write_postgres(postgres_server, "rows", rows(0, SIZE)))
        with source._open(panel()) as opened:
            census = opened.statements.census(WINDOW)
            before = list(opened.batches(census))
            with psycopg.connect(postgres_server, autocommit=True) as other:
                other.execute("DELETE FROM rows")
            assert list(opened.batches(census)) == before
        assert source.census(panel(), WINDOW).census.size == 0
