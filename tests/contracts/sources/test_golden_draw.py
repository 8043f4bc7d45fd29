"""The same seed and inputs give the same draw everywhere: plain Python, DuckDB, PostgreSQL."""

import re
from functools import cache

import psycopg
import pytest
import sqlglot
from sqlglot import exp

from stratawatch.adapters.sources.census_result import CensusCounts
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits
from stratawatch.adapters.sources.stratum_quotas import quotas_of
from tests.support.predictions import golden_draw as golden
from tests.support.predictions import reference
from tests.support.predictions.panels import WINDOW
from tests.support.predictions.tables import write


def counts_of(census):
    return {
        (pattern, int(bin_)): int(n)
        for pattern, bin_, n in zip(census.patterns, census.bins, census.counts, strict=True)
    }


@pytest.fixture(scope="module")
def postgres(postgres_server):
    """A connection to PostgreSQL with the golden items and the table of quotas."""
    cut, quotas = golden.atoms()
    kinds = {"VARCHAR": "text", "TIMESTAMP": "timestamp", "DOUBLE": "double precision", "BOOLEAN": "boolean"}
    names = {name: '"' + name.replace('"', '""') + '"' for name in golden.TYPES}
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        columns = ", ".join(f"{names[name]} {kinds[kind]}" for name, kind in golden.TYPES.items())
        connection.execute(f"CREATE TEMP TABLE population ({columns})")
        with connection.cursor().copy("COPY population FROM STDIN") as copy:
            for row in golden.rows():
                copy.write_row(list(row.values()))
        connection.execute(
            "CREATE TEMP TABLE stratawatch_quotas "
            '(calls_1 int, bin int, atom int, stratum int, quota int, max_digest text COLLATE "C")'
        )
        with connection.cursor().copy("COPY stratawatch_quotas FROM STDIN") as copy:
            for line in zip(*quotas_of(cut, quotas, range(len(cut)), 1.0).columns.values(), strict=True):
                copy.write_row(line)
        yield connection


class TestGoldenDraw:
    def test_it_is_large_enough_to_notice_a_difference(self):
        assert len(golden.DRAW) > 20
        assert sum(map(len, golden.DRAW.values())) > 120
        assert any(name.endswith("-1--1") for name in golden.DRAW), "items without any score must be among them"

    def test_plain_python_draws_the_golden_ids(self):
        assert golden.expected_draw() == golden.DRAW

    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    def test_duckdb_draws_the_golden_ids(self, tmp_path, ending):
        cut, quotas = golden.atoms()
        source = FilesSource(write(tmp_path / f"rows.{ending}", golden.table()))
        items = source.candidates(golden.PANEL, WINDOW, cut, quotas)
        drawn = [[one.item for one in items if one.atom == index] for index, _ in enumerate(cut)]
        assert golden.named(cut, drawn) == golden.DRAW

    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_threads_do_not_change_the_draw(self, tmp_path, threads):
        cut, quotas = golden.atoms()
        path = write(tmp_path / "rows.parquet", golden.table())
        items = FilesSource(path, limits=DuckDBLimits(threads=threads)).candidates(golden.PANEL, WINDOW, cut, quotas)
        assert items == FilesSource(path).candidates(golden.PANEL, WINDOW, cut, quotas)

    @pytest.mark.postgres
    def test_postgresql_draws_the_golden_ids(self, postgres):
        cut, _ = golden.atoms()
        rows = postgres.execute(golden.statements("postgres").candidates(WINDOW)).fetchall()
        drawn = [[row[0] for row in rows if row[1] == index] for index, _ in enumerate(cut)]
        assert golden.named(cut, drawn) == golden.DRAW

    @pytest.mark.postgres
    def test_postgresql_counts_the_same_census(self, postgres, tmp_path):
        counts = CensusCounts(golden.PANEL, golden.TYPES)
        counts.add(postgres.execute(golden.statements("postgres").census(WINDOW)).fetchall())
        answer = FilesSource(write(tmp_path / "rows.parquet", golden.table())).census(golden.PANEL, WINDOW)
        sound, bad = reference.readings(golden.PANEL, WINDOW, golden.rows())
        assert counts_of(counts.census()) == counts_of(answer.census) == reference.census(sound)
        assert counts.profile() == answer.profile
        assert answer.profile.bad_rows == bad == 10
        segments = counts.census().segments
        assert {key: list(value) for key, value in segments.items()} == {
            key: list(value) for key, value in answer.census.segments.items()
        }


class TestGoldenText:
    @pytest.mark.parametrize("name", golden.GOLDEN_FILES)
    def test_the_rendered_text_is_the_golden_one(self, name):
        assert golden.kept_text(name) == (golden.FOLDER / name).read_text(encoding="utf-8")

    def test_no_other_text_is_kept(self):
        assert {path.name for path in golden.FOLDER.glob("*.sql")} == set(golden.GOLDEN_FILES)

    def test_an_id_is_never_coalesced_into_the_hash(self):
        text = golden.text("candidates.postgres.sql")
        assert "MD5('it''s golden' || ':' || item)" in text
        assert 'COLLATE "C"' in text


class TestEveryQueryInEveryDialect:
    @pytest.mark.parametrize("name", sorted(golden.QUERIES))
    def test_it_is_one_select_that_parses_and_means_the_same_when_written_again(self, name):
        """What a dialect of sqlglot's does not know, it would keep as text, or lose."""
        statement = parsed(name)
        assert statement.key == "select"
        assert not list(statement.find_all(exp.Command))
        dialect = name.split(".")[1]
        assert sqlglot.parse_one(statement.sql(dialect=dialect), dialect=dialect) == statement

    @pytest.mark.parametrize("name", sorted(golden.QUERIES))
    def test_names_of_the_source_are_quoted_and_all_others_need_no_quotes(self, name):
        identifiers = list(parsed(name).find_all(exp.Identifier))
        assert {one.name for one in identifiers if one.quoted} - {"C"} == NAMES[name.split(".", maxsplit=1)[0]]
        assert all(re.fullmatch(r"[a-z][a-z_0-9]*", one.name, re.IGNORECASE) for one in identifiers if not one.quoted)

    @pytest.mark.parametrize("name", sorted(name for name in golden.QUERIES if "candidates" in name))
    def test_an_item_is_drawn_by_the_hexadecimal_md5_of_seed_and_id(self, name):
        dialect = name.split(".")[1]
        seed = "'it''s golden'" if dialect in ("duckdb", "postgres", "trino") else r"'it\'s golden'"
        text = " ".join(golden.text(name).split())
        assert re.search(HASH.get(dialect, r"MD5\({} \|\| ':' \|\| [a-z_.]+\)").format(re.escape(seed)), text)

    @pytest.mark.parametrize("name", sorted(name for name in golden.QUERIES if "bad_rows" in name))
    def test_bad_rows_come_in_the_order_of_their_ids_hashes(self, name):
        order = parsed(name).args["order"]
        assert [one.name for md5 in order.find_all(exp.MD5, exp.MD5Digest) for one in md5.find_all(exp.Column)] == [
            "item"
        ]

    def test_trino_hashes_the_bytes_of_ids_and_not_their_text(self):
        assert "MD5(TO_UTF8(CAST(item AS VARCHAR)))" in golden.text("bad_rows.trino.sql")


HASH = {
    "bigquery": r"TO_HEX\(MD5\({} \|\| ':' \|\| item\)\)",
    "trino": r"LOWER\( ?TO_HEX\( ?MD5\( ?TO_UTF8\( ?CONCAT\(CAST\({} AS VARCHAR\), CAST\(':' AS VARCHAR\), CAST\(item AS",
}
"""Where MD5 gives bytes; the other dialects' MD5 gives hexadecimal text in small letters."""


@cache
def parsed(name):
    (statement,) = sqlglot.parse(golden.text(name), dialect=name.split(".")[1])
    assert statement is not None
    return statement


READ = {*golden.TYPES} - {"author", "body"}
PIVOTED = {*golden.LONG_TYPES, "call of 1", "score of 1", "score of 2", "rows of the item"} - {"body"}
NAMES = {
    "census": READ,
    "bad_rows": READ,
    "items_by_id": READ,
    "long_items_by_id": PIVOTED,
    "shown_by_id": {*golden.TYPES},
    "long_shown_by_id": {*PIVOTED, "body"},
    "candidates": {*golden.TYPES},
    "latest_census": {*READ, "loaded"},
    "latest_candidates": {*golden.TYPES, "loaded"},
    "latest_row_count": {"ts", "loaded"},
    "long_census": PIVOTED,
    "long_candidates": {*PIVOTED, "body"},
    "single_scan": READ,
    "single_scan_census": set[str](),
    "single_scan_ranges": set[str](),
    "single_scan_candidates": {"id", "ts", "lang", "author", "body"},
}
"""The quoted names of each query: the source's columns, and of a long table the columns that its rows are pivoted to."""
