"""The same seed and inputs give the same draw everywhere: plain Python, DuckDB, PostgreSQL."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlglot

from stratawatch.adapters.sources.ceilings import wanted_of
from stratawatch.adapters.sources.census_answer import CensusCounts
from stratawatch.adapters.sources.duckdb_files import DuckDBSource
from stratawatch.core.population import Census
from tests.contracts.sources import golden_world as world
from tests.contracts.sources import reference
from tests.contracts.sources.panels import WINDOW
from tests.contracts.sources.tables import write

GOLDEN = json.loads((world.FOLDER / "draw.json").read_text(encoding="utf-8"))


def counts_of(census: Census) -> dict[tuple[str, int], int]:
    return {
        (pattern, int(bin_)): int(n)
        for pattern, bin_, n in zip(census.patterns, census.bins, census.counts, strict=True)
    }


@pytest.fixture(scope="module")
def postgres(postgres_server: str) -> Iterator[Any]:
    """A connection to PostgreSQL with the golden items and the table of what is wanted."""
    cut, wanted = world.atoms()
    kinds = {"VARCHAR": "text", "TIMESTAMP": "timestamp", "DOUBLE": "double precision", "BOOLEAN": "boolean"}
    names = {name: '"' + name.replace('"', '""') + '"' for name in world.TYPES}
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        columns = ", ".join(f"{names[name]} {kinds[kind]}" for name, kind in world.TYPES.items())
        connection.execute(f"CREATE TEMP TABLE population ({columns})")
        with connection.cursor().copy("COPY population FROM STDIN") as copy:
            for row in world.rows():
                copy.write_row(list(row.values()))
        connection.execute(
            "CREATE TEMP TABLE stratawatch_wanted "
            '(said_1 int, bin int, atom int, stratum int, number int, ceiling text COLLATE "C")'
        )
        with connection.cursor().copy("COPY stratawatch_wanted FROM STDIN") as copy:
            for line in zip(*wanted_of(cut, wanted, range(len(cut)), 1.0).columns.values(), strict=True):
                copy.write_row(line)
        yield connection


class TestGoldenDraw:
    def test_it_is_large_enough_to_notice_a_difference(self) -> None:
        assert len(GOLDEN) > 20
        assert sum(map(len, GOLDEN.values())) > 120
        assert any(name.endswith("-1--1") for name in GOLDEN), "items without any score must be among them"

    def test_plain_python_draws_the_golden_ids(self) -> None:
        assert world.expected_draw() == GOLDEN

    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    def test_duckdb_draws_the_golden_ids(self, tmp_path: Path, ending: str) -> None:
        cut, wanted = world.atoms()
        source = DuckDBSource(write(tmp_path / f"rows.{ending}", world.table()))
        items = source.candidates(world.PANEL, WINDOW, cut, wanted)
        drawn = [[one.item for one in items if one.atom == index] for index, _ in enumerate(cut)]
        assert world.named(cut, drawn) == GOLDEN

    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_threads_do_not_change_the_draw(self, tmp_path: Path, threads: int) -> None:
        cut, wanted = world.atoms()
        path = write(tmp_path / "rows.parquet", world.table())
        items = DuckDBSource(path, threads=threads).candidates(world.PANEL, WINDOW, cut, wanted)
        assert items == DuckDBSource(path).candidates(world.PANEL, WINDOW, cut, wanted)

    @pytest.mark.postgres
    def test_postgresql_draws_the_golden_ids(self, postgres: Any) -> None:
        cut, _ = world.atoms()
        rows = postgres.execute(world.statements("postgres").candidates(WINDOW)).fetchall()
        drawn = [[row[0] for row in rows if row[1] == index] for index, _ in enumerate(cut)]
        assert world.named(cut, drawn) == GOLDEN

    @pytest.mark.postgres
    def test_postgresql_counts_the_same_census(self, postgres: Any, tmp_path: Path) -> None:
        counts = CensusCounts(world.PANEL, world.TYPES)
        counts.add(postgres.execute(world.statements("postgres").census(WINDOW)).fetchall())
        answer = DuckDBSource(write(tmp_path / "rows.parquet", world.table())).census(world.PANEL, WINDOW)
        sound, bad = reference.readings(world.PANEL, WINDOW, world.rows())
        assert counts_of(counts.census()) == counts_of(answer.census) == reference.census(sound)
        assert counts.profile() == answer.profile
        assert answer.profile.bad_rows == bad == 10
        segments = counts.census().segments
        assert {key: list(value) for key, value in segments.items()} == {
            key: list(value) for key, value in answer.census.segments.items()
        }


class TestGoldenText:
    @pytest.mark.parametrize("name", sorted(world.texts()))
    def test_the_rendered_text_is_the_golden_one(self, name: str) -> None:
        assert world.texts()[name] == (world.FOLDER / name).read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", sorted(world.texts()))
    def test_the_text_parses_in_its_dialect(self, name: str) -> None:
        _, dialect, _ = name.split(".")
        (statement,) = sqlglot.parse(world.texts()[name], dialect=dialect)
        assert statement is not None
        assert statement.key == "select"

    def test_an_id_is_never_coalesced_into_the_hash(self) -> None:
        text = world.texts()["candidates.postgres.sql"]
        assert "MD5('it''s golden' || ':' || item)" in text
        assert 'COLLATE "C"' in text
