"""`check` on the input: expectations of the user's own, and how the newest window differs from the judged ones."""

import json
from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from stratawatch.engine.ports.clock import SystemClock
from tests.unit.cli.conftest import CONFIG, NOW, ROWS

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
RULE = {"type": "expect_column_values_to_be_between", "kwargs": {"column": "rows", "min_value": 1}}


def sentences(document) -> str:
    return " ".join(problem["problem"] for problem in document["problems"])


def own_suite(home, **changes) -> None:
    (home.folder / "checks").mkdir()
    document = {"frame": "profile", "expectations": [RULE]} | changes
    (home.folder / "checks" / "mine.json").write_text(json.dumps(document), encoding="utf-8")


class TestOwnExpectations:
    def test_are_told_with_their_file(self, fresh):
        own_suite(fresh, panels=["spam"])
        assert fresh.json("check", "--now", NOW)["found"]["checks"] == {"checks/mine.json": "1 on the profile of spam"}

    def test_that_nobody_wrote_are_none(self, fresh):
        assert fresh.json("check", "--now", NOW)["found"]["checks"] == {"expectations": "the program's own"}

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"panels": ["spma"]}, "checks/mine.json is for the panel 'spma'; expected spam"),
            ({"expectations": [RULE | {"type": "expect_rows"}]}, "expectation 1 has the unknown type 'expect_rows'"),
            ({"expectations": [RULE | {"kwargs": {"column": "row", "min_value": 1}}]}, "did you mean 'rows'"),
            ({"expectations": [RULE | {"kwargs": {"column": "rows", "most": 1}}]}, "most: extra fields not permitted"),
        ],
    )
    def test_that_are_wrong_are_a_problem(self, fresh, changes, sentence):
        own_suite(fresh, **changes)
        assert sentence in sentences(fresh.json("check", "--now", NOW, code=1))

    def test_are_each_a_problem_of_their_own(self, fresh):
        own_suite(fresh, expectations=[RULE | {"type": "expect_rows"}, RULE | {"severity": "low"}])
        problems = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert [problem["problem"].split(";")[0] for problem in problems] == [
            "checks/mine.json, expectation 1 has the unknown type 'expect_rows'",
            "'severity' of checks/mine.json, expectation 2 is not known",
        ]

    def test_may_lie_elsewhere_but_not_outside(self, fresh):
        fresh.configure(('folder = "reports"\n', 'folder = "reports"\n\n[checks]\nfolder = "../checks"\n'))
        assert "'folder' leads out of the folder of the configuration" in sentences(
            fresh.json("check", "--now", NOW, code=1)
        )


class TestDrift:
    @pytest.fixture
    def this_week(self, judged):
        """The judged installation; its newest complete window is given rows like those of the judged one."""
        start = MONDAY + (datetime.now(UTC) - MONDAY) // timedelta(days=7) * timedelta(days=7) - timedelta(days=7)

        def predict(rows: int, settings: str = "") -> None:
            judged.config.write_text(CONFIG + settings, encoding="utf-8")
            moved = ROWS.replace("range(2000)", f"range({rows})")
            days = (start - MONDAY).days
            judged.predict(f'SELECT * REPLACE ("at" + INTERVAL ({days}) DAY AS "at") FROM ({moved})')

        return predict

    def test_of_the_newest_window_is_told(self, judged, this_week):
        this_week(5000)
        facts = judged.json("check")["found"]["source of spam"]
        assert "the window has 5,000 rows, the window before 2,000" in facts["drift"]

    def test_that_would_refuse_it_is_a_problem(self, judged, this_week):
        this_week(5000, '\n[panels.spam.drift]\nvolume = "refuse"\n')
        assert "the window has 5,000 rows, the window before 2,000" in sentences(judged.json("check", code=1))

    def test_rows_that_came_after_the_window_before_was_read_are_counted(self, judged, monkeypatch):
        """The newest window is the one after the judged, which gets seven rows more; `check` reads the clock."""
        monkeypatch.setattr(SystemClock, "now", lambda _: MONDAY + timedelta(days=14, hours=6))
        folder = judged.folder / "predictions"
        next_week = f'SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at", id || \'+\' AS id) FROM ({ROWS})'
        duckdb.sql(next_week + " LIMIT 1990").write_parquet(str(folder / "next.parquet"))
        assert "drift" not in judged.json("check")["found"]["source of spam"]
        duckdb.sql(ROWS.replace("range(2000)", "range(7)")).write_parquet(str(folder / "late.parquet"))
        facts = judged.json("check")["found"]["source of spam"]
        assert "7 rows of the window before came after it was read and are counted in none" in facts["drift"]

    def test_a_replayed_window_is_a_problem(self, judged, this_week):
        this_week(2000)
        told = sentences(judged.json("check", code=1))
        assert "every count of the window is that of the window 2026-01-05 to 2026-01-12" in told
