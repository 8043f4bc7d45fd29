"""A single scan gives the census and draws the items that two scans do, or leaves the draw to a second scan."""

import os
from dataclasses import replace
from datetime import timedelta

import duckdb
import numpy as np
import pytest

from stratawatch.adapters.sources import kept_digests
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_reader import DuckDBWindowReader
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.adapters.sources.kept_digests import DigestBound, digest_bound
from stratawatch.adapters.sources.statements import Statements
from stratawatch.adapters.sources.stratum_quotas import quotas_of
from stratawatch.core.population import Atom
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.panel_spec import Columns, Window
from stratawatch.errors import InputRefused, Unreachable
from tests.support.predictions import golden_draw as golden
from tests.support.predictions.panels import START, WINDOW
from tests.support.predictions.tables import write, write_database
from tests.support.seed import random_seed

NUMBER = 6000
LETTERS = ("0", "1")


def table(number=NUMBER):
    made = golden.rows(number)
    return {name: (kind, [row[name] for row in made]) for name, kind in golden.TYPES.items()}


def source(folder, form, rows):
    if form == "table":
        return DuckDBTableSource(write_database(folder / "rows.duckdb", "rows", rows), "rows")
    return FilesSource(write(folder / f"rows.{form}", rows))


@pytest.fixture
def queries(monkeypatch):
    """The queries that DuckDB ran, by the first words of their text."""
    queries = []
    batches, single_scan = DuckDBEngine.batches, DuckDBWindowReader._single_scan

    def recorded_batches(self, sql):
        queries.append(sql.splitlines()[0].removeprefix("-- ").split(":")[0].split(",")[0])
        return batches(self, sql)

    def recorded_scan(self):
        columns = single_scan(self)
        queries.extend([] if columns is None else ["single_scan"])
        return columns

    monkeypatch.setattr(DuckDBEngine, "batches", recorded_batches)
    monkeypatch.setattr(DuckDBWindowReader, "_single_scan", recorded_scan)
    return queries


def small(monkeypatch, kept):
    """Make single scans from the first row on."""
    monkeypatch.setattr(kept_digests, "MIN_ROWS", 1)
    monkeypatch.setattr(kept_digests, "ROWS_KEPT", kept)


def strata(answer):
    """Two strata: everything nobody calls, and the rest; 12 and 30 items of them."""
    census = answer.census
    cells = zip(census.patterns, census.bins, census.counts, strict=True)
    atoms = [Atom(pattern, int(b), int(b), int(n), None, stratum=int("1" in pattern)) for pattern, b, n in cells]
    return atoms, [12, 30]


def statements_of(columns):
    return Statements(replace(golden.PANEL, columns=columns), "population", golden.TYPES)


Found = tuple[CensusResult, tuple[CandidateItem, ...]]


def together(one, spec, window=WINDOW):
    with one.reading(spec, window) as reading:
        answer = reading.census()
        return answer, reading.candidates(*strata(answer))


def apart(one, spec, window=WINDOW):
    answer = one.census(spec, window)
    return answer, one.candidates(spec, window, *strata(answer))


def same(first, second):
    counted, other = first[0], second[0]
    assert counted.profile == other.profile
    assert (counted.census.patterns, counted.bad_rows) == (other.census.patterns, other.bad_rows)
    for name in ("bins", "counts"):
        assert np.array_equal(getattr(counted.census, name), getattr(other.census, name))
    assert counted.census.segments.keys() == other.census.segments.keys()
    for segment, counts in counted.census.segments.items():
        assert np.array_equal(counts, other.census.segments[segment])
    assert first[1] == second[1]


class TestSingleScan:
    @pytest.mark.parametrize("form", ["parquet", "table"])
    def test_one_scan_counts_and_draws_as_two_do(self, tmp_path, monkeypatch, queries, form):
        one = source(tmp_path, form, table())
        expected = apart(one, golden.PANEL)
        queries.clear()
        small(monkeypatch, 1200)
        same(together(one, golden.PANEL), expected)
        assert len(expected[1]) == 42
        assert queries == [
            "single_scan",
            "Ranges of times and scores from the table of a single scan",
            "Some rows that the census left out",
            "The candidates from the table of a single scan",
        ]

    def test_numbers_of_a_window_are_drawn_by_as_two_do(self, tmp_path, monkeypatch, queries):
        one, spec = source(tmp_path, "parquet", table()), replace(golden.PANEL, random_numbers="by window")
        expected = apart(one, spec)
        assert expected[1] != apart(one, golden.PANEL)[1]
        small(monkeypatch, 1200)
        queries.clear()
        same(together(one, spec), expected)
        assert queries[-1] == "The candidates from the table of a single scan"

    def test_ids_and_scores_alone_need_no_look_at_the_window_again(self, tmp_path, monkeypatch):
        spec = replace(golden.PANEL, columns=Columns("id", "ts"))
        one = source(tmp_path, "parquet", table())
        expected = apart(one, spec)
        small(monkeypatch, 1200)
        same(together(one, spec), expected)
        texts = [
            statements_of(columns).single_scan_candidates(WINDOW) for columns in (spec.columns, golden.PANEL.columns)
        ]
        assert ["FROM population" in text for text in texts] == [False, True]

    def test_what_was_not_kept_is_fetched_by_a_scan_of_its_own(self, tmp_path, monkeypatch, queries):
        one = source(tmp_path, "parquet", table())
        expected = apart(one, golden.PANEL)
        queries.clear()
        small(monkeypatch, 40)
        same(together(one, golden.PANEL), expected)
        assert queries[0] == "single_scan"
        assert queries[-1] == "The candidates"

    def test_every_share_that_is_kept_gives_the_same(self, tmp_path, monkeypatch):
        one = source(tmp_path, "parquet", table())
        expected = apart(one, golden.PANEL)
        for kept in (1, 60, 90, 150, 300, 1000, NUMBER):
            small(monkeypatch, kept)
            same(together(one, golden.PANEL), expected)

    def test_ids_that_occur_twice_are_looked_at_in_full(self, tmp_path, monkeypatch, queries):
        rows = {name: (kind, list(values)) for name, (kind, values) in table().items()}
        first = source(tmp_path / "once", "parquet", rows)
        twice = [item.item for item in apart(first, golden.PANEL)[1]][::7]
        for number, name in enumerate(twice):  # the copy says something else, or what nobody can read
            place = rows["id"][1].index(name)
            other = {"margin": None} if number % 2 else {"p_lr": 1.5}
            for column, (_, values) in rows.items():
                values.append(other[column] if column in other else values[place])
        one = source(tmp_path / "twice", "parquet", rows)
        expected = apart(one, golden.PANEL)
        queries.clear()
        small(monkeypatch, 1200)
        same(together(one, golden.PANEL), expected)
        assert sum(item.copies == 2 for item in expected[1]) >= 5
        assert "The candidates" in queries

    def test_only_rows_of_the_window_are_kept_and_counted_as_copies(self, tmp_path, monkeypatch):
        rows = {name: (kind, list(values) * 2) for name, (kind, values) in table().items()}
        week = timedelta(days=7)
        rows["ts"][1][NUMBER:] = [at + week for at in rows["ts"][1][NUMBER:]]
        one = source(tmp_path, "parquet", rows)
        expected = apart(one, golden.PANEL)
        small(monkeypatch, 1200)
        found = together(one, golden.PANEL)
        same(found, expected)
        assert {item.copies for item in found[1]} == {1}

    @pytest.mark.parametrize("case", ["csv", "latest", "small"])
    def test_two_scans_where_one_is_no_use(self, tmp_path, monkeypatch, queries, case):
        one = source(tmp_path, "csv" if case == "csv" else "parquet", table())
        if case != "small":
            small(monkeypatch, 1200)
        spec = replace(golden.PANEL, duplicates="latest") if case == "latest" else golden.PANEL
        together(one, spec)
        assert "single_scan" not in queries

    def test_a_census_alone_keeps_nothing(self, tmp_path, monkeypatch, queries):
        small(monkeypatch, 1200)
        source(tmp_path, "parquet", table()).census(golden.PANEL, WINDOW)
        assert "single_scan" not in queries

    def test_the_footers_tell_how_many_rows_a_window_may_have(self, tmp_path):
        folder = tmp_path / "pa'rts [1]"
        for week in range(3):
            rows = {name: (kind, list(values)) for name, (kind, values) in table(500).items()}
            rows["ts"] = ("TIMESTAMP", [at + timedelta(days=7 * week) for at in rows["ts"][1]])
            write(folder / f"{week}.parquet", rows)
        with FilesSource(folder)._open(golden.PANEL) as opened:
            for days, expected in ((7, 500), (8, 1000), (21, 1500)):
                assert opened.rows_to_scan(Window(START, START + timedelta(days=days))) == expected
            assert opened.rows_to_scan(Window(START - timedelta(days=9), START - timedelta(days=2))) == 0

    @pytest.mark.parametrize("form", ["parquet", "table"])
    def test_rows_without_a_time_are_read_in_every_window(self, tmp_path, form):
        rows = {name: (kind, list(values)) for name, (kind, values) in table(900).items()}
        rows["ts"][1][::3] = [None] * 300
        later = Window(START + timedelta(days=70), START + timedelta(days=77))
        with source(tmp_path, form, rows)._open(golden.PANEL) as opened:
            assert isinstance(opened, DuckDBEngine)
            assert (opened.rows_to_scan(WINDOW), opened.rows_to_scan(later)) == (900, 300)

    @pytest.mark.parametrize("step", ["single_scan", "single_scan_census"])
    def test_too_little_memory_for_one_scan_leaves_it_to_two(self, tmp_path, monkeypatch, step):
        one = source(tmp_path, "parquet", table())
        expected = apart(one, golden.PANEL)
        small(monkeypatch, 1200)

        def heavy(*_):
            raise duckdb.OutOfMemoryException("could not allocate")

        monkeypatch.setattr(Statements, step, heavy)
        same(together(one, golden.PANEL), expected)
        with one._open(golden.PANEL) as opened:
            assert isinstance(opened, DuckDBEngine)
            assert DuckDBWindowReader(golden.PANEL, WINDOW, opened)._single_scan() is None
            kept = "SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = 'stratawatch_single_scan'"
            assert opened.connection.execute(kept).fetchall() == [(0,)], "what is kept takes the memory that two need"

    def test_a_view_may_read_a_table_named_as_ours(self, tmp_path, monkeypatch):
        path = write_database(tmp_path / "rows.duckdb", "single_scan", table())
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE rows AS SELECT * FROM single_scan")
            connection.execute("CREATE VIEW viewed AS SELECT * FROM single_scan")
        small(monkeypatch, 1200)
        expected = together(DuckDBTableSource(path, "rows"), golden.PANEL)
        one = DuckDBTableSource(path, "viewed")
        same(together(one, golden.PANEL), expected)
        with one._open(golden.PANEL) as opened:
            assert opened.rows_to_scan(WINDOW) is None  # a view is not run to learn its size

    def test_another_window_is_counted_in_the_same_look(self, tmp_path):
        path = write_database(tmp_path / "rows.duckdb", "rows", table(700))
        with DuckDBTableSource(path, "rows").reading(golden.PANEL, Window(START - timedelta(days=7), START)) as reading:
            assert (reading.census().census.size, reading.rows(WINDOW)) == (0, 700)

    def test_a_database_that_is_another_one_at_the_end_is_read_again(self, tmp_path):
        path = write_database(tmp_path / "rows.duckdb", "rows", table(700))

        def read():
            with DuckDBTableSource(path, "rows").reading(golden.PANEL, WINDOW) as reading:
                reading.census()
                os.utime(path, (1, 1))

        with pytest.raises(Unreachable, match="was written to while it was read"):
            read()


def below(share):
    return int(np.ceil(2**16 * share))


class TestSegments:
    @pytest.mark.parametrize(("values", "refused"), [(1000, False), (1001, True)])
    def test_a_column_of_too_many_values_is_refused_before_its_groups_are_fetched(
        self, tmp_path, monkeypatch, queries, values, *, refused
    ):
        rows = {**table(), "body": ("VARCHAR", [f"text {i // 3 % values}" for i in range(NUMBER)])}
        one = source(tmp_path, "parquet", rows)
        spec = replace(golden.PANEL, columns=Columns("id", "ts", segments=("lang", "body")))
        if refused:
            small(monkeypatch, 100)
            with one.reading(spec, WINDOW) as reading, pytest.raises(InputRefused, match="'body' has too many values"):
                reading.census()
        else:
            expected = apart(one, spec)
            small(monkeypatch, 1200)
            same(together(one, spec), expected)
            assert len(expected[0].census.segments) == values + 2
        assert ("single_scan" in queries) is not refused


class TestKeptDigests:
    @pytest.mark.parametrize("seed", [1, 2, random_seed("enough")], ids=["1", "2", "drawn"])
    def test_what_covers_the_greatest_digests_has_every_digest_below_them(self, seed):
        rng = np.random.default_rng(seed)
        digests = [digest("seed", str(i)) for i in range(3000)]
        outcomes = set()
        for _ in range(200):
            sizes = rng.integers(50, 5000, 4)
            atoms = [Atom(LETTERS[i % 2], i, i, int(size), None, stratum=i) for i, size in enumerate(sizes)]
            greatest = quotas_of(atoms, [int(n) for n in rng.integers(1, 30, 4)], range(4), 1.0).max_digests
            kept = DigestBound(below(rng.random()))
            covers = kept.cover(greatest)
            outcomes.add(covers)
            short = [one for limit in greatest for one in digests if one < limit and int(one[:4], 16) >= kept.below]
            assert not (covers and short), f"seed {seed}"
        assert outcomes == {True, False}

    def test_shares_shrink_with_the_population(self):
        shares = [digest_bound(n) for n in (10**6, 10**7, 10**8, 10**12)]
        assert shares[0] is None
        assert [one.below for one in shares[1:] if one] == [1967, 197, 1]
