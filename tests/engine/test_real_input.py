"""Real files and the real input check under the engine: what is set aside, what is refused, what is tried again."""

import json
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from stratawatch.adapters.checks.great_expectations_check import GreatExpectationsCheck
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.idempotency_keys import item_key
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports import Ports
from stratawatch.errors import ConfigError
from tests.support.fakes import MONDAY, WEEK, FakeChannel, FakeQueue, ManualClock, spec
from tests.support.stores import empty_store

ROWS = """
SELECT 'i' || i AS id, TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE AS "at", 'text ' || i AS "text",
    CASE WHEN i % 3 = 0 THEN 'DE' ELSE 'FR' END AS country,
    {score} AS score_lr, ((i * 104729) % 10009) / 10009.0 AS score_rf
FROM range(4000) AS t(i)
"""
SCORE = "((i * 7919) % 10007) / 10007.0"
PANEL = spec(columns=Columns("id", "at", ("text",), ("country",)))


@pytest.fixture
def opened(tmp_path):
    """A function from the rows' score to an installation with one open cycle on them."""
    stores = []

    def make(score: str = SCORE, panel=PANEL):
        (tmp_path / "checks").mkdir(exist_ok=True)
        place = str(tmp_path / "rows.parquet")
        duckdb.sql(ROWS.format(score=score)).write_parquet(place)
        check = GreatExpectationsCheck(tmp_path / "docs", suites_folder=tmp_path / "checks")
        stores.append(empty_store(tmp_path / f"{len(stores)}.db"))
        sources = {panel.name: FilesSource(place, limits=DuckDBLimits(threads=1))}
        ports = Ports(stores[-1], ManualClock(), sources, check, FakeQueue({}), {"channel": FakeChannel()})
        (cycle,) = open_cycles(ports, {panel.name: panel})
        return ports, cycle

    yield make
    for store in stores:
        store.dispose()


def read(ports: Ports, cycle: int):
    with ports.store.begin() as tx:
        return tx.cycles.get(cycle), tx.cycles.quarantined(cycle)


def own_check(folder: Path, *expectations: dict) -> None:
    (folder / "checks").mkdir(exist_ok=True)
    document = {"frame": "candidates", "expectations": list(expectations)}
    (folder / "checks" / "own.json").write_text(json.dumps(document), encoding="utf-8")


class TestPoison:
    def test_one_row_in_a_hundred_is_set_aside_and_counted(self, opened):
        ports, cycle = opened(f"CASE WHEN i % 100 = 7 THEN 'inf'::DOUBLE ELSE {SCORE} END")
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        found, aside = read(ports, cycle)
        assert (found.profile.rows, found.profile.bad_rows) == (4000, 40)
        assert {row.reason for row in aside} == {"the score of 'lr' in 'score_lr' is not a probability in [0, 1]"}
        with ports.store.begin() as tx:
            assert sum(atom.size for atom in tx.cycles.atoms(cycle)) == 3960

    def test_five_in_a_hundred_refuse_the_window(self, opened):
        ports, cycle = opened(f"CASE WHEN i % 20 = 7 THEN 'inf'::DOUBLE ELSE {SCORE} END")
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        found, aside = read(ports, cycle)
        assert found.reason.startswith("200 of 4,000 rows (5.00%) cannot be used, more than the 1.00%")
        assert found.reason.endswith("200 with an unreadable score of 'lr'"), "values are not sent about"
        assert (found.profile.rows, found.profile.bad_rows) == (4000, 200)
        assert aside

    def test_five_in_a_hundred_are_set_aside_where_the_panel_allows_it(self, opened):
        lenient = spec(columns=PANEL.columns, max_bad_row_share=0.05)
        ports, cycle = opened(f"CASE WHEN i % 20 = 7 THEN 'inf'::DOUBLE ELSE {SCORE} END", lenient)
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN

    @pytest.mark.parametrize("missing", ["NULL", "'nan'::DOUBLE"])
    def test_scores_that_are_missing_refuse_it_with_column_and_number(self, opened, missing):
        ports, cycle = opened(f"CASE WHEN i % 20 = 7 THEN {missing} ELSE {SCORE} END")
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        found, _ = read(ports, cycle)
        assert found.reason.startswith("200 of 4,000 rows (5.00%) have no score of 'lr' in column 'score_lr'")
        assert found.profile.bad_rows == 0

    @pytest.mark.parametrize("missing", ["NULL", "'nan'::DOUBLE"])
    def test_missing_scores_are_a_silence_where_the_panel_allows_them(self, opened, missing):
        lenient = spec(columns=PANEL.columns, max_missing_score_share=0.5)
        ports, cycle = opened(f"CASE WHEN i % 2 = 0 THEN {SCORE} ELSE {missing} END", lenient)
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        found, _ = read(ports, cycle)
        assert found.profile.bad_rows == 0
        assert found.profile.columns["lr"]["nulls"] == 2000

    @pytest.mark.parametrize("missing", ["NULL", "'nan'::DOUBLE"])
    def test_missing_calls_are_a_silence(self, opened, missing):
        by_column = spec(columns=PANEL.columns, classifiers=(ClassifierSpec("lr", None, call="score_lr"),))
        ports, cycle = opened(f"CASE WHEN i % 20 = 7 THEN {missing} ELSE i % 2 END", by_column)
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        found, _ = read(ports, cycle)
        assert (found.profile.bad_rows, found.profile.columns["lr"]["nulls"]) == (0, 200)

    @pytest.mark.parametrize(
        ("score", "words"),
        [
            (f"100 * {SCORE}", "which looks like percentages: divide by 100, or send probabilities"),
            (f"20 * ({SCORE} - 0.5)", 'which looks like logits or margins: set score_kind = "margin"'),
        ],
    )
    def test_a_score_on_another_scale_is_refused_by_name(self, opened, score, words):
        ports, cycle = opened(score)
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        found, _ = read(ports, cycle)
        assert words in found.reason

    def test_a_frozen_score_is_told_and_judged_all_the_same(self, opened):
        ports, cycle = opened("0.25")
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        found, _ = read(ports, cycle)
        assert "all 4,000 scores of 'lr' are 0.25; does it still read its features?" in found.profile.warnings

    def test_a_classifier_that_says_nothing_is_told(self, opened):
        ports, cycle = opened("NULL::DOUBLE", spec(columns=PANEL.columns, max_missing_score_share=1.0))
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        found, _ = read(ports, cycle)
        assert [one for one in found.profile.warnings if "no call" in one] == [
            "classifier 'lr' made no call on any of 4,000 rows; does it run, and is this the column of its calls?"
        ]

    def test_a_renamed_column_is_refused_with_the_nearest_name(self, opened):
        renamed = (ClassifierSpec("lr", "score_l", cut_off=0.5), PANEL.classifiers[1])
        ports, cycle = opened(SCORE, spec(columns=PANEL.columns, classifiers=renamed))
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        found, _ = read(ports, cycle)
        assert "did you mean 'score_lr'" in found.reason


class TestIds:
    def test_that_differ_only_in_case_or_blanks_are_items_of_their_own(self, opened, tmp_path):
        """Real files, the real check for duplicates, a real store: four spellings of each id, and none is a copy."""
        ports, cycle = opened()
        spelled = """
            CASE i % 4 WHEN 0 THEN 'item' || i WHEN 1 THEN 'ITEM' || (i - 1) WHEN 2 THEN 'item' || (i - 2) || ' '
            ELSE ' item' || (i - 3) END AS id
        """
        query = ROWS.format(score=SCORE).replace("'i' || i AS id", spelled)
        duckdb.sql(query).write_parquet(str(tmp_path / "rows.parquet"))
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        with ports.store.begin() as tx:
            pool = tx.cycles.candidates(cycle)
        ids = [one.item for one in pool]
        assert len(set(ids)) == len(ids) == len({item_key("spam", one, "is it") for one in ids})
        assert {one.copies for one in pool} == {1}
        assert len({one.strip().lower() for one in ids}) < len(ids)  # some spellings of one id are among them


class TestDocs:
    def test_of_a_frozen_window_are_the_pages_that_were_written(self, opened, tmp_path):
        ports, cycle = opened()
        freeze_cycle(ports, cycle)
        found, _ = read(ports, cycle)
        assert found.docs == "spam/20260105T000000Z/candidates.html"
        assert "The candidates, row by row: panel spam" in (tmp_path / "docs" / found.docs).read_text(encoding="utf-8")

    def test_of_a_window_that_the_profile_refused_are_those_of_the_profile(self, opened, tmp_path):
        ports, cycle = opened(f"CASE WHEN i % 20 = 7 THEN 'inf'::DOUBLE ELSE {SCORE} END")
        freeze_cycle(ports, cycle)
        found, _ = read(ports, cycle)
        assert found.docs == "spam/20260105T000000Z/profile.html"
        assert "200 of 4,000 rows (5.00%)" in (tmp_path / "docs" / found.docs).read_text(encoding="utf-8")


class TestOwnExpectations:
    def test_refuse_the_window_and_name_the_rows(self, opened, tmp_path):
        ports, cycle = opened()
        own_check(
            tmp_path,
            {"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "segment country", "value_set": ["FR"]}},
        )
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        found, aside = read(ports, cycle)
        assert "[checks/own.json, expectation 1]" in found.reason
        assert "(first: 'i" in found.reason
        assert {row.reason for row in aside} == {"it breaks checks/own.json, expectation 1"}
        assert found.docs is not None
        assert (tmp_path / "docs" / found.docs).is_file()

    def test_that_fail_beside_the_one_that_refuses_stand_with_the_cycle(self, opened, tmp_path):
        """Of the profile and of the candidates; the sentence of the refusal is not repeated."""
        ports, cycle = opened()
        known = {"type": "expect_column_values_to_be_in_set"}
        own_check(
            tmp_path,
            {**known, "kwargs": {"column": "segment country", "value_set": ["FR"]}, "sentence": "strange countries"},
            {**known, "kwargs": {"column": "bin", "value_set": [1]}, "severity": "warning", "sentence": "strange bins"},
        )
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        found, _ = read(ports, cycle)
        assert found.reason.startswith("strange countries [checks/own.json, expectation 1]")
        (warning,) = found.profile.warnings
        assert warning.startswith("strange bins [checks/own.json, expectation 2]")

    def test_that_fail_inside_the_library_are_tried_again_with_a_bound(self, opened, tmp_path, monkeypatch):
        """Great Expectations cannot compare text with a number, and reports that as success=False."""
        monkeypatch.setattr("stratawatch.engine.cycle.freeze_cycle.MOST_READS", 3)
        ports, cycle = opened()
        own_check(
            tmp_path, {"type": "expect_column_values_to_be_between", "kwargs": {"column": "item", "min_value": 3}}
        )
        for attempt in (1, 2):
            with pytest.raises(ConfigError, match="that says nothing about the data; mend it"):
                freeze_cycle(ports, cycle)
            found, aside = read(ports, cycle)
            assert (found.state, found.failures, aside) == (CycleState.OPEN, attempt, ())
        assert freeze_cycle(ports, cycle) == CycleState.REFUSED
        assert read(ports, cycle)[0].reason.startswith("not read after 3 attempts: checks/own.json, expectation 1")

    def test_that_are_mended_let_the_same_window_pass_with_the_same_draw(self, opened, tmp_path):
        ports, cycle = opened()
        freeze_cycle(ports, cycle)
        own_check(tmp_path, {"type": "expect_column_to_exit", "kwargs": {}})
        again, second = opened()
        for _ in range(2):
            with suppress(ConfigError):
                freeze_cycle(again, second)
        assert read(again, second)[0].last_error.startswith("checks/own.json, expectation 1 has the unknown type")
        (tmp_path / "checks" / "own.json").unlink()
        assert freeze_cycle(again, second) == CycleState.FROZEN
        pools = []
        for one, number in ((ports, cycle), (again, second)):
            with one.store.begin() as tx:
                pools.append(tx.cycles.candidates(number))
        assert pools[0] == pools[1]


class TestLateRows:
    def weeks(self, tmp_path: Path, panel) -> tuple[Ports, ManualClock]:
        """Two weeks of rows in a folder, and an empty store."""
        (tmp_path / "in").mkdir()
        for week in (0, 1):
            self.add(tmp_path, f"week{week}", week, 3000)
        clock = ManualClock()
        source = FilesSource(tmp_path / "in", limits=DuckDBLimits(threads=1))
        check = GreatExpectationsCheck(tmp_path / "docs")
        store = empty_store(tmp_path / "late.db")
        return Ports(store, clock, {panel.name: source}, check, FakeQueue({}), {"channel": FakeChannel()}), clock

    @staticmethod
    def add(folder: Path, name: str, week: int, rows: int, arrival: str = '"at"') -> None:
        moved = f'"at" + INTERVAL ({week}) WEEK'
        query = ROWS.format(score=SCORE).replace("range(4000)", f"range({rows})")
        renamed = f"SELECT * REPLACE ('{name}-' || id AS id, {moved} AS \"at\") FROM ({query})"
        duckdb.sql(f"SELECT *, {arrival} AS loaded FROM ({renamed})").write_parquet(
            str(folder / "in" / f"{name}.parquet")
        )

    def freeze_next(self, ports: Ports, clock: ManualClock, panel, week: int):
        clock.moment = MONDAY + (week + 1) * WEEK
        (cycle,) = open_cycles(ports, {panel.name: panel})
        assert freeze_cycle(ports, cycle) == CycleState.FROZEN
        return read(ports, cycle)[0].profile

    def test_without_a_time_of_arrival_are_counted_and_told(self, tmp_path):
        ports, clock = self.weeks(tmp_path, PANEL)
        try:
            assert self.freeze_next(ports, clock, PANEL, 0).rows == 3000
            self.add(tmp_path, "late", 0, 25)
            second = self.freeze_next(ports, clock, PANEL, 1)
        finally:
            ports.store.dispose()
        assert (second.rows, second.missed) == (3000, 25)
        assert any("25 rows of the window before" in one for one in second.warnings)

    def test_of_a_refused_window_are_not_missed_rows_because_it_can_be_reopened(self, tmp_path):
        strict = spec(columns=PANEL.columns, max_bad_row_share=0.0)
        ports, clock = self.weeks(tmp_path, strict)
        try:
            self.add(tmp_path, "bad", 0, 1)
            query = f"SELECT * REPLACE (1.5 AS score_lr) FROM '{tmp_path}/in/bad.parquet'"
            duckdb.sql(query).write_parquet(str(tmp_path / "in" / "worse.parquet"))
            clock.moment = MONDAY + WEEK
            (cycle,) = open_cycles(ports, {strict.name: strict})
            assert freeze_cycle(ports, cycle) == CycleState.REFUSED
            self.add(tmp_path, "late", 0, 25)
            second = self.freeze_next(ports, clock, strict, 1)
        finally:
            ports.store.dispose()
        assert (second.rows, second.missed, second.warnings) == (3000, None, ())

    def test_with_one_belong_to_the_next_window(self, tmp_path):
        panel = spec(columns=Columns("id", "at", ("text",), ("country",), ingested="loaded"))
        ports, clock = self.weeks(tmp_path, panel)
        try:
            assert self.freeze_next(ports, clock, panel, 0).rows == 3000
            self.add(tmp_path, "late", 0, 25, arrival="TIMESTAMP '2026-01-13 12:00:00'")
            second = self.freeze_next(ports, clock, panel, 1)
        finally:
            ports.store.dispose()
        assert (second.rows, second.late, second.missed) == (3025, 25, None)
        assert second.warnings == ()
