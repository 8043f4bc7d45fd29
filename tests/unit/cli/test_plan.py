"""`plan`: how many labels are needed, and what a cycle would ask; in narrow terminals and as a picture too."""

import os
import re

import pytest

from stratawatch.cli.goal_needs_text import all_goals_text
from stratawatch.cli.planned_items import width_text
from stratawatch.formatting import percent
from tests.unit.cli.conftest import NOW, ROWS

NEEDS = {
    "labels_for_all_goals": 300,
    "labels_if_scores_say_nothing": 800,
    "budget_for_all_goals": None,
    "budget": 500,
    "has_scores": True,
}


class TestOutlook:
    def test_it_says_what_goals_need_and_what_budgets_buy(self, fresh):
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        assert (found["panel"], found["items"], found["budget"], found["from"]) == ("spam", 2000, 60, "scores")
        goals = {(goal["classifier"], goal["metric"]): goal for goal in found["goals"]}
        assert set(goals) == {("lr", "precision"), ("rf", "precision")}
        assert all(goal["margin"] == 0.1 and goal["labels_alone"] > 60 for goal in goals.values())
        assert 60 < found["labels_for_all_goals"] <= found["labels_if_scores_say_nothing"] <= 2000
        assert [step["labels"] for step in found["curve"]] == [60, 100, 200, 300, 500, 1000, 2000]
        assert all(0 < row["half_width"] < 0.5 for row in found["curve"][0]["half_widths"])

    def test_people_see_whether_the_budget_suffices(self, fresh):
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        least, most = found["labels_for_all_goals"], found["labels_if_scores_say_nothing"]
        assert 61 < least < most < 1900
        for budget, verdict in ((60, "does not suffice"), (least, "lies between the two"), (1900, "suffices")):
            fresh.configure(("budget = 60", f"budget = {budget}"))
            out = " ".join(fresh.run("plan", "--now", NOW).stdout.split())
            assert "Predicted from scores alone." in out
            needed = fresh.json("plan", "--now", NOW)["outlooks"][0]["labels_for_all_goals"]
            said = f"need {needed:,} labels if scores are right, and about {most:,} if they say nothing"
            assert f"{said}; the budget of {budget:,} {verdict}." in out

    @pytest.mark.parametrize(
        ("has_scores", "said"),
        [
            (True, "if scores are right, and about 800 if they say nothing; "),
            (False, "if calls are as usual, and about 800 if half of what is called is wrong and as many positives "),
        ],
    )
    def test_without_scores_it_speaks_of_calls(self, has_scores, said):
        sentence = all_goals_text({**NEEDS, "has_scores": has_scores})
        assert sentence.startswith(f"All goals together need 300 labels {said}")
        assert sentence.endswith("; the budget of 500 lies between the two.")

    @pytest.mark.parametrize(
        ("budget", "verdict"),
        [(699, "does not suffice"), (700, "suffices by the better guess"), (900, "suffices by the better guess")],
    )
    def test_a_budget_that_something_else_shares_has_to_be_larger(self, budget, verdict):
        shared = {"budget_for_all_goals": 700, "budget_shared_with": ["false_omission_rate"], "budget": budget}
        assert all_goals_text({**NEEDS, **shared}) == (
            "All goals together need 300 labels if scores are right, and about 800 if they say nothing. A budget is shared"
            f" out for false omission rate too, and should be 700 for that; the budget of {budget} {verdict}."
        )

    def test_what_all_goals_need_holds_on_the_whole_screen(self, fresh):
        """Without other goals than the usual ones, a part of a budget goes to the false-omission rate."""
        usual = [
            (
                'metric = "precision"\nmargin = 0.1',
                'metric = "precision"\nmargin = 0.03\n\n[[panels.spam.goals]]\nmetric = "recall"\nmargin = 0.05',
            )
        ]
        fresh.configure(*usual)
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        assert found["budget_shared_with"] == ["false_omission_rate"]
        needed = found["budget_for_all_goals"]
        assert found["labels_for_all_goals"] <= needed <= found["items"]
        for budget, holds in ((needed, True), (round(needed / 1.03), None), (round(needed / 1.1), False)):
            fresh.configure(*usual, ("budget = 60", f"budget = {budget}"))
            (planned,) = fresh.json("plan", "--now", NOW)["outlooks"]
            held = all(goal["half_width"] <= goal["margin"] for goal in planned["goals"])
            assert held == (holds if holds is not None else planned["budget_for_all_goals"] <= budget)

    def test_a_panel_with_goals_of_its_own_shares_its_budget_with_nothing(self, fresh):
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        assert (found["budget_shared_with"], found["budget_for_all_goals"]) == ([], None)

    def test_a_panel_that_stops_at_its_goals_is_told_where(self, fresh):
        fresh.configure(("budget = 60", 'budget = 900\nstop_rule = "goals"'), ("margin = 0.1", "margin = 0.2"))
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        labels = found["stop"]["labels"]
        assert 200 <= labels == found["labels_for_all_goals"] < 900
        out = " ".join(fresh.run("plan", "--now", NOW).stdout.split())
        assert f'With stop_rule = "goals" such a cycle would stop near {labels} labels, with these intervals.' in out
        assert "Without earlier labels it begins with a small round." in out
        assert f"with {labels} labels" in out
        fresh.configure(("budget = 60", "budget = 900"), ("margin = 0.1", "margin = 0.2"))
        assert "such a cycle would stop" not in fresh.run("plan", "--now", NOW).stdout
        assert fresh.json("plan", "--now", NOW)["outlooks"][0]["stop"] is None

    def test_or_that_its_budget_stops_it_first(self, fresh):
        fresh.configure(("budget = 60", 'budget = 60\nstop_rule = "goals"'))
        out = " ".join(fresh.run("plan", "--now", NOW).stdout.split())
        assert "does not suffice. With stop_rule" in out
        assert "such a cycle would stop at its budget of 60 labels" in out

    def test_a_panel_with_second_votes_is_told_what_its_budget_pays_for(self, fresh):
        fresh.configure(("budget = 60", 'budget = 60\nsecond_votes = "called_negative_yes"'))
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        assert found["second_votes"] == {"rule": "called_negative_yes", "budget": 60, "votes_an_item": 1.0}
        out = " ".join(fresh.run("plan", "--now", NOW).stdout.split())
        assert "an item takes 1.00 votes, so that a budget of 60 votes pays for 60 items." in out
        told = fresh.json("check", "--now", NOW)["found"]["configuration"]["second votes of spam"]
        assert told.startswith("called_negative_yes; second and third votes count in the budget")

    def test_narrow_terminals_lose_nothing(self, fresh):
        fresh.columns = 40
        lines = fresh.run("plan", "--now", NOW).stdout.splitlines()
        assert max(map(len, lines)) <= 40
        assert sum(line.startswith("  2,000: ") for line in lines) == 2
        everything = fresh.run("plan", "--all", "--now", NOW).stdout.splitlines()
        assert sum(line.startswith("  2,000: ") for line in everything) == 6

    def test_budgets_stand_in_a_line_for_each_classifier_where_a_goal_asks(self, fresh):
        lines = fresh.run("plan", "--now", NOW).stdout.splitlines()
        first = lines.index("Intervals of precision to expect, as ± by the number of labels")
        assert lines[first + 1].split() == ["labels", "60", "100", "200", "300", "500", "1,000", "2,000"]
        cells = [line.split() for line in lines[first + 2 : first + 4]]
        assert [(row[0], sum("%" in one for one in row), row[-1]) for row in cells] == [
            ("lr", 6, "exact"),
            ("rf", 6, "exact"),
        ]
        assert not any("Intervals of recall" in line for line in lines)

    def test_what_is_left_out_is_named(self, fresh):
        out = " ".join(fresh.run("plan", "--now", NOW).stdout.split())
        assert "No goal asks for recall, false omission rate; --all shows every metric" in out
        everything = fresh.run("plan", "--all", "--now", NOW).stdout
        assert everything.count("Intervals of") == 3
        assert "No goal asks" not in everything
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        assert {row["metric"] for row in found["curve"][0]["half_widths"]} == {
            "precision",
            "recall",
            "false_omission_rate",
        }

    def test_a_panel_without_goals_is_shown_those_that_are_usual(self, fresh):
        text = fresh.config.read_text()
        start = text.index("[[panels.spam.goals]]")
        end = text.index("[", start + len("[[panels.spam.goals]]"))
        fresh.config.write_text(text[:start] + text[end:])
        out = fresh.run("plan", "--now", NOW).stdout
        assert [line.split()[2] for line in out.splitlines() if "Intervals of" in line] == ["precision", "recall"]

    def test_past_labels_are_counted(self, judged):
        one_fewer = f"LIMIT (SELECT count(*) - 1 FROM ({ROWS}))"  # the same rows again would be refused as a replay
        judged.predict(f'SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at") FROM ({ROWS}) {one_fewer}')
        out = judged.run("plan", "--now", "2026-01-19T06:00:00+00:00").stdout
        assert "Predicted from scores alone; 60 past labels are too few." in " ".join(out.split())

    def test_the_method_says_what_the_plan_counts_on(self, fresh):
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        out = fresh.run("plan", "--method", "--now", NOW).stdout
        counted = out[out.index("How this was counted") :]
        for goal in found["goals"]:
            name = f"{goal['classifier']} {goal['metric']}"
            assert re.search(rf"^{name} +±{percent(goal['half_width'])} ", counted, re.MULTILINE)

    def test_it_writes_nothing(self, fresh):
        before = {path for path in fresh.folder.rglob("*") if "stratawatch.db-" not in path.name}
        fresh.run("plan", "--now", NOW)
        assert {path for path in fresh.folder.rglob("*") if "stratawatch.db-" not in path.name} == before
        assert fresh.json("cycles") == {"cycles": []}

    @pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
    def test_without_a_complete_window_it_says_so(self, fresh, arguments):
        err = fresh.run("plan", *arguments, "--now", "2026-01-06T00:00:00+00:00", code=2).stderr
        assert "panel 'spam' has no complete window yet; the first is [2026-01-05 00:00, 2026-01-12 00:00)" in err

    @pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
    def test_a_window_without_rows_is_told(self, fresh, arguments):
        err = fresh.run("plan", *arguments, "--now", "2026-02-20T00:00:00+00:00", code=2).stderr
        assert "panel 'spam' has no predictions in its newest window [2026-02-09 00:00, 2026-02-16 00:00)" in err
        assert "`stratawatch plan --now 2026-01-12T00:00:00+00:00` plans it" in err

    @pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
    def test_input_that_a_cycle_would_refuse_is_told(self, fresh, arguments):
        bad = "CASE WHEN random() < .3 THEN 'inf'::DOUBLE ELSE score_lr END"
        fresh.predict(f"SELECT * REPLACE ({bad} AS score_lr) FROM ({ROWS})")
        err = fresh.run("plan", *arguments, "--now", NOW, code=2).stderr
        assert "would be refused; expected at most 1.00% of rows that cannot be used" in " ".join(err.split())


class TestPicture:
    @pytest.mark.parametrize("name", ["curve.svg", "curve.png"])
    def test_it_is_written_where_it_was_asked_for(self, fresh, name):
        out = fresh.run("plan", "spam", "--now", NOW, "--out", str(fresh.folder / name)).stdout
        assert f"wrote {fresh.folder / name}" in out.replace("\n", "")
        assert (fresh.folder / name).stat().st_size > 5_000

    def test_json_stays_alone_on_standard_output(self, fresh):
        assert fresh.json("plan", "--now", NOW, "--out", str(fresh.folder / "curve.svg"))["outlooks"]
        assert (fresh.folder / "curve.svg").exists()

    def test_another_kind_of_file_is_refused(self, fresh):
        err = fresh.run("plan", "--now", NOW, "--out", "curve.gif", code=2).stderr
        assert "curve.gif cannot be drawn; expected a name that ends in .svg or .png" in err

    def test_a_place_that_cannot_be_written_is_told(self, fresh):
        (fresh.folder / "file").write_text("")
        err = fresh.run("plan", "--now", NOW, "--out", str(fresh.folder / "file" / "curve.svg"), code=2).stderr
        assert "cannot be written" in err

    @pytest.mark.parametrize("name", ["pipe.svg", "link.svg"])
    def test_a_pipe_or_device_is_never_replaced_nor_a_link_to_one(self, fresh, name):
        os.mkfifo(fresh.folder / "pipe.svg")
        (fresh.folder / "link.svg").symlink_to("pipe.svg")
        err = fresh.run("plan", "--now", NOW, "--out", str(fresh.folder / name), code=2).stderr
        assert "cannot be written; got what is there is a folder, device or pipe" in err
        assert (fresh.folder / "pipe.svg").is_fifo()
        assert (fresh.folder / "link.svg").is_symlink()

    def test_one_panel_is_drawn_at_a_time(self, fresh):
        text = fresh.config.read_text()
        fresh.config.write_text(text + text[text.index("[panels.spam]") :].replace("panels.spam", "panels.ham"))
        err = fresh.run("plan", "--now", NOW, "--out", "curve.svg", code=2).stderr
        assert "--out draws one panel's curve; expected one panel: spam, ham" in err
        fresh.run("plan", "ham", "--now", NOW, "--out", str(fresh.folder / "curve.svg"))

    def test_a_dry_run_has_no_curve(self, fresh):
        assert "expected no --dry-run beside it" in fresh.run("plan", "--dry-run", "--out", "c.svg", code=2).stderr


class TestDryRun:
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

    def test_people_see_who_says_yes_and_what_is_too_wide(self, fresh):
        out = fresh.run("plan", "--dry-run", "--now", NOW).stdout
        assert "60 labels of a budget of 60" in out
        assert "wider than the margin" in out
        rows = [line for line in out.splitlines() if re.match(r"(nobody|lr|rf|all)( or \w+)* +[\d,]+ +\d+$", line)]
        items, labels = (sum(int(row.split()[place].replace(",", "")) for row in rows) for place in (-2, -1))
        assert (items, labels) == (2000, 60)

    def test_strata_stand_behind_the_method(self, fresh):
        (plan,) = fresh.json("plan", "--dry-run", "--now", NOW)["plans"]
        out = fresh.run("plan", "--dry-run", "--method", "--now", NOW).stdout
        assert "a pattern is what lr, rf say, in this order" in out
        for row in plan["strata"]:
            assert re.search(rf"^{row['patterns']} .*{row['items']:,} +{row['labels']:,}$", out, re.MULTILINE)
        assert f"Method: {plan['method']}" in out

    def test_an_unknown_panel_is_told_with_the_one_that_was_meant(self, fresh):
        err = fresh.run("plan", "--dry-run", "spm", code=2).stderr
        assert err == "stratawatch: there is no panel 'spm'; expected spam; did you mean 'spam'?\n"

    def test_items_that_come_twice_are_told(self, fresh):
        fresh.predict(f"({ROWS}) UNION ALL ({ROWS})")
        err = fresh.run("plan", "--dry-run", "--now", NOW, code=2).stderr
        assert "candidate items appear more than once in the window" in " ".join(err.split())


class TestHalfWidthsNearNothing:
    @pytest.mark.parametrize(
        ("low", "high", "cell"),
        [
            (0.0, 0.0, "every item is labelled"),
            (0.0, 1e-9, "every item is labelled"),
            (0.0002, 0.0009, "below 0.10%"),
            (0.0, 0.02, "±2.00% at most"),
            (0.01, 0.02, "±1.00% to 2.00%"),
        ],
    )
    def test_are_said_in_words(self, low, high, cell):
        assert width_text({"half_width": high, "half_width_low": low, "half_width_high": high}) == cell

    def test_as_in_a_plan_that_labels_all_items(self, fresh):
        fresh.configure(("budget = 60", "budget = 2000"))
        out = fresh.run("plan", "--now", NOW).stdout
        assert "lr precision" in out
        assert out.count("every item is labelled") == 2
        assert "labels it would be so: every item is labelled" in " ".join(out.split())
        assert "±0%" not in out
        (found,) = fresh.json("plan", "--now", NOW)["outlooks"]
        assert {goal["half_width_high"] for goal in found["goals"]} == {0.0}
