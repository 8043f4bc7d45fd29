"""The whole loop by commands: open, advance, plan, and what they say."""

from tests.unit.cli.conftest import NOW, ROWS


class TestOpen:
    def test_it_opens_every_window_that_is_over_once(self, fresh):
        assert fresh.json("open", "--now", "2026-01-20T00:00:00+00:00") == {
            "opened": [
                {
                    "id": 1,
                    "panel": "spam",
                    "window_start": "2026-01-05T00:00:00+00:00",
                    "window_end": "2026-01-12T00:00:00+00:00",
                },
                {
                    "id": 2,
                    "panel": "spam",
                    "window_start": "2026-01-12T00:00:00+00:00",
                    "window_end": "2026-01-19T00:00:00+00:00",
                },
            ]
        }
        assert fresh.json("open", "--now", "2026-01-20T00:00:00+00:00") == {"opened": []}

    def test_it_says_so_when_nothing_is_due(self, fresh):
        out = fresh.run("open", "--now", "2026-01-06T00:00:00+00:00").stdout
        assert out == "No window is over that has no cycle yet.\n"

    def test_a_moment_without_its_offset_is_refused(self, fresh):
        err = fresh.run("open", "--now", "2026-01-20", code=2).stderr
        assert "stratawatch: --now is not a moment with its offset from UTC; got 2026-01-20; write" in err


class TestAdvance:
    def test_it_freezes_plans_and_sends(self, fresh):
        fresh.run("open", "--now", NOW)
        done = fresh.json("advance", "--now", NOW)
        assert done["steps"] == {"settle": 0, "freeze": 1, "plan": 1, "dispatch": 1, "judge": 0}
        assert done["troubles"] == []
        assert [path.name for path in (fresh.folder / "queue" / "out").iterdir()] == ["spam-p00000-r1-b1.jsonl"]

    def test_a_trouble_is_told_and_counts_as_a_failure(self, fresh):
        fresh.run("open", "--now", NOW)
        (fresh.folder / "predictions" / "week.parquet").unlink()
        failed = fresh.run("advance", "--now", NOW, code=2)
        assert "stratawatch: freeze 1: no Parquet or CSV file matches" in failed.stderr

    def test_a_second_one_at_the_same_time_does_nothing(self, fresh):
        from stratawatch.engine.lease import hold
        from stratawatch.wiring import build

        with hold(build(fresh.config).ports, "advance"):
            done = fresh.json("advance")
        assert "another process holds the lease" in done["held"]


class TestPlan:
    def test_it_shows_strata_labels_and_expected_half_widths(self, fresh):
        (plan,) = fresh.json("plan", "--dry-run", "--now", NOW)["plans"]
        assert (plan["panel"], plan["items"], plan["labels"], plan["budget"]) == ("spam", 2000, 60, 60)
        assert plan["past_labels"] == 0
        assert sum(stratum["items"] for stratum in plan["strata"]) == 2000
        assert sum(stratum["labels"] for stratum in plan["strata"]) == 60
        assert sum(atom["items"] for stratum in plan["strata"] for atom in stratum["atoms"]) == 2000
        expected = {(row["classifier"], row["metric"]): row for row in plan["expected"]}
        assert expected["lr", "precision"]["margin"] == 0.1
        assert 0 < expected["lr", "precision"]["half_width"] < 0.5

    def test_it_writes_nothing(self, fresh):
        before = sorted(fresh.folder.rglob("*"))
        fresh.run("plan", "--dry-run", "spam", "--now", NOW)
        assert [
            path
            for path in sorted(fresh.folder.rglob("*"))
            if path not in before and "stratawatch.db-" not in path.name
        ] == []
        assert fresh.json("cycles") == {"cycles": []}

    def test_people_see_patterns_and_what_is_too_wide(self, fresh):
        out = fresh.run("plan", "--dry-run", "--now", NOW).stdout
        assert "60 labels of a budget of 60" in out
        assert "a pattern is what lr, rf say, in this order" in out
        assert "wider than the margin" in out

    def test_without_dry_run_it_says_what_plans_for_real(self, fresh):
        assert "add --dry-run; `stratawatch advance` plans and sends" in fresh.run("plan", code=2).stderr

    def test_an_unknown_panel_is_told_with_the_one_that_was_meant(self, fresh):
        err = fresh.run("plan", "--dry-run", "spm", code=2).stderr
        assert err == "stratawatch: there is no panel 'spm'; did you mean 'spam'?\n"

    def test_a_panel_without_a_complete_window_is_told(self, fresh):
        err = fresh.run("plan", "--dry-run", "--now", "2026-01-06T00:00:00+00:00", code=2).stderr
        assert "panel 'spam' has no complete window yet; the first is [2026-01-05 00:00, 2026-01-12 00:00)" in err

    def test_input_that_a_cycle_would_refuse_is_told(self, fresh):
        fresh.predict("SELECT * REPLACE (CASE WHEN random() < .3 THEN 'inf'::DOUBLE ELSE score_lr END AS score_lr) "
                      f"FROM ({ROWS})")  # fmt: skip
        err = fresh.run("plan", "--dry-run", "--now", NOW, code=2).stderr
        assert "would be refused; expected at most 1.00% of rows that cannot be used" in " ".join(err.split())

    def test_items_that_come_twice_are_told(self, fresh):
        fresh.predict(f"({ROWS}) UNION ALL ({ROWS})")
        err = fresh.run("plan", "--dry-run", "--now", NOW, code=2).stderr
        assert "expected every item once" in " ".join(err.split())

    def test_a_window_without_rows_is_told(self, fresh):
        err = fresh.run("plan", "--dry-run", "--now", "2026-02-20T00:00:00+00:00", code=2).stderr
        assert "panel 'spam' has no predictions in its newest window [2026-02-09 00:00, 2026-02-16 00:00)" in err


class TestReport:
    def test_it_writes_the_page_and_says_where(self, judged):
        path = judged.json("report", "--now", NOW)["path"]
        assert path.endswith("reports/spam/2026-01-12.html")
        assert "<html" in (judged.folder / "reports/spam/2026-01-12.html").read_text().lower()
