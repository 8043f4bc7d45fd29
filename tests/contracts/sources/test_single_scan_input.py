"""A single scan leaves ids as they are, and files that change fail it as they fail two scans."""

import pytest

from stratawatch.adapters.sources import kept_digests
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.errors import Unreachable
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

SIZE = 400
WHOLE = [Atom("0", NO_BIN, 1023, SIZE, None)]
SPELLINGS = ("item{}", "ITEM{}", "item{} ", " item{}")


def rows(spelled, number=SIZE):
    return {
        "id": ("VARCHAR", [spelled(k) for k in range(number)]),
        "ts": ("TIMESTAMP", [START.replace(tzinfo=None)] * number),
        "score": ("DOUBLE", [0.25] * number),
        "flag": ("VARCHAR", ["0"] * number),
    }


@pytest.fixture(autouse=True)
def _from_the_first_row_on(monkeypatch):
    for name, value in (("MIN_ROWS", 1), ("ROWS_KEPT", SIZE)):
        monkeypatch.setattr(kept_digests, name, value)


def test_ids_that_differ_only_in_case_or_blanks_are_drawn_as_by_two_scans(tmp_path, monkeypatch):
    source = FilesSource(write(tmp_path / "a.parquet", rows(lambda k: SPELLINGS[k % 4].format(k // 4))))
    expected = source.candidates(panel(), WINDOW, WHOLE, [200])
    with source.reading(panel(), WINDOW) as reading:
        assert reading.census().census.size == SIZE
        batches, queries = DuckDBEngine.batches, []
        monkeypatch.setattr(DuckDBEngine, "batches", lambda self, sql: queries.append(sql) or batches(self, sql))
        found = reading.candidates(WHOLE, [200])
    assert found == expected
    (sql,) = queries  # ids taken for copies of one another would be looked at by a second scan
    assert sql.startswith("-- The candidates from the table of a single scan")
    assert {one.copies for one in found} == {1}
    assert len({one.item.strip().lower() for one in found}) < len(found) == 200


@pytest.mark.parametrize("when", ["before the census", "between", "at the end"])
@pytest.mark.parametrize("happens", ["vanishes", "is cut", "is replaced"])
def test_a_file_that_changes_fails_the_reading_and_the_next_draws_the_same(tmp_path, when, happens):
    write(tmp_path / "in" / "a.parquet", rows(lambda k: f"a{k}", SIZE // 2))
    part = write(tmp_path / "in" / "b.parquet", rows(lambda k: f"b{k}", SIZE // 2))
    source, whole = FilesSource(part.parent), part.read_bytes()
    expected = source.candidates(panel(), WINDOW, WHOLE, [30])
    change = {
        "vanishes": part.unlink,
        "is cut": lambda: part.write_bytes(whole[: len(whole) // 2]),
        "is replaced": lambda: write(tmp_path / "new.parquet", rows(lambda k: f"c{k}", 100)).replace(part),
    }[happens]
    happened = {when: change}

    def read():
        with source.reading(panel(), WINDOW) as reading:
            happened.pop("before the census", bool)()
            reading.census()
            happened.pop("between", bool)()
            found = reading.candidates(WHOLE, [30])
            happened.pop("at the end", bool)()
            return found

    with pytest.raises(Unreachable) as caught:
        read()
    assert "\n" not in str(caught.value)
    part.write_bytes(whole)
    assert read() == expected
