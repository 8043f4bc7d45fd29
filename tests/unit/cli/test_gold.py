"""`labels gold` and what other commands say of gold items, from an empty folder to the report."""

import json
import re

import pytest

from tests.unit.cli.conftest import NOW, Installation

LINES = [{"item": f"known-{i}", "value": "yes" if i % 2 else "no", "text": f"text {i}"} for i in range(1, 41)]


def gold_file(home, lines=LINES, name="gold.jsonl"):
    path = home.folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A cycle with gold items that was judged; texts below 1,002 are labelled by their number's score."""
    home = Installation(tmp_path_factory.mktemp("gold"))
    home.configure(("budget = 60", "budget = 90\ngold_share = 0.5"))
    home.predict()
    home.run("init")
    home.run("labels", "gold", gold_file(home), "--why", "for the trial")
    home.run("open", "--now", NOW)
    home.run("advance", "--now", NOW)
    for hour in (8, 9, 10):
        home.answer()
        home.run("advance", "--now", f"2026-01-12T{hour:02}:00:00+00:00")
    return home


class TestAFile:
    def test_is_kept_once_and_noted_in_the_audit_log(self, played):
        found = played.json("labels", "gold", gold_file(played))
        assert found["brought"] == {"panel": "spam", "changed": 0, "removed": 0}
        (panel,) = found["panels"]
        assert panel["items"] == {"yes": 20, "no": 20}
        (entry,) = played.json("audit")["entries"]
        assert (entry["action"], entry["why"]) == ("gold items", "for the trial")
        assert entry["subject"] == "40 gold items kept and 0 removed for spam"

    def test_of_csv_says_the_same(self, fresh):
        path = fresh.folder / "gold.csv"
        path.write_text("item,value,text\nk1,0,one\nk2,FALSE,two\nk1,no,one\n")
        found = fresh.json("labels", "gold", str(path))
        assert found["brought"]["changed"] == 2
        assert found["panels"][0]["items"] == {"yes": 0, "no": 2}
        path.write_text("item,value\nk1,retract\n")
        assert fresh.json("labels", "gold", str(path))["brought"]["removed"] == 1

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            (
                {"item": "a", "value": "skip", "text": "a"},
                "'value' of a is none of yes, no, true, false, 1, 0, retract",
            ),
            ({"item": "a", "value": "yes"}, "no 'text', which labellers are shown of other items"),
            ({"value": "yes", "text": "a"}, "item"),
            (
                {"item": "a", "value": "perhaps", "text": "a"},
                "'value' of a is none of yes, no, true, false, 1, 0, retract",
            ),
            ({"item": "a", "text": "a"}, "has no 'value'"),
            ({"item": "", "value": "yes", "text": "a"}, "'item' is empty"),
            ({"item": "known-7", "value": "no", "text": "a"}, "known-7 is no here and yes in a line before"),
            ({"item": "known-7", "value": "retract"}, "known-7 is retract here and yes in a line before"),
        ],
    )
    def test_with_a_bad_line_is_not_kept_at_all(self, fresh, line, reason):
        err = fresh.run("labels", "gold", gold_file(fresh, [*LINES, line]), code=2).stderr
        assert "line 41: " in err
        assert reason in err
        assert fresh.json("labels", "gold")["panels"][0]["items"] == {"yes": 0, "no": 0}

    def test_that_is_empty_says_which_columns_it_should_have(self, fresh):
        path = fresh.folder / "gold.csv"
        path.write_text("")
        err = fresh.run("labels", "gold", str(path), code=2).stderr
        assert "no column 'item'; expected a first line item,value,text; got an empty file" in err


class TestWhatIsShown:
    def test_labels_gold_has_the_answers_of_all_and_of_each(self, played):
        (panel,) = played.json("labels", "gold")["panels"]
        assert panel["asked"] == panel["positives"] + panel["negatives"] > 15
        (ann,) = panel["annotators"]
        assert (ann["name"], ann["said_yes"], ann["said_no"]) == ("ann", panel["said_yes"], panel["said_no"])
        value, low, high = panel["specificity"]
        assert low <= value <= high
        assert value == pytest.approx(panel["said_no"] / panel["negatives"])
        out = played.run("labels", "gold").stdout
        assert "spam: 40 gold items, 20 yes and 20 no; 50 are asked for every 100 others" in out
        assert f"{value:.1%} ({low:.1%} to {high:.1%})" in out

    def test_estimates_have_corrected_values_beside_the_others(self, played):
        found = played.json("estimates")
        (errors,) = found["label_errors"]
        assert errors["sentence"].startswith("Errors of labels: ")
        whole = [row for row in found["estimates"] if row["undefined"] is None]
        assert whole
        for row in whole:
            assert row["uncorrected_reason"] or row["corrected_low"] <= row["corrected"] <= row["corrected_high"]
        assert any(row["corrected"] is not None and row["corrected"] != row["value"] for row in whole)
        played.columns = 160
        out = played.run("estimates").stdout
        assert "without label errors" in out
        assert "Errors of labels: " in out

    @pytest.mark.parametrize("columns", [40, 100])
    def test_it_fits_the_terminal(self, played, columns):
        played.columns = columns
        for command in (["estimates"], ["labels", "gold"], ["labels", "agreement"]):
            lines = played.run(*command).stdout.splitlines()
            assert max(map(len, lines)) <= columns, command

    def test_plan_and_check_say_what_it_takes(self, played):
        played.columns = 160
        (found,) = played.json("plan", "--now", NOW)["outlooks"]
        assert found["budget"] == 60
        assert found["gold"] == {"gold_share": 0.5, "budget": 90, "gold_items": 30}
        assert "Gold: of a budget of 90 labels at most 30 gold items" in played.run("plan", "--now", NOW).stdout
        facts = played.json("check", "--now", NOW)["found"]
        assert facts["store"]["gold items of spam"] == "20 yes, 20 no"
        assert facts["configuration"]["gold of spam"].startswith("50 for every 100 others")

    def test_the_report_has_a_section(self, played):
        played.run("report", "--now", NOW)
        page = next((played.folder / "reports").rglob("latest.html")).read_text()
        assert "<h2>Errors of labels</h2>" in page
        section = page.split("<h2>Errors of labels</h2>")[1].split("</section>")[0]
        assert re.search(r"Precision of lr</th><td class=\"num\" data-label=\"By the labels\">\d", section)

    def test_without_gold_nothing_of_it_is_said(self, judged):
        found = judged.json("estimates")
        assert found["label_errors"] == []
        assert {row["corrected"] for row in found["estimates"]} == {None}
        assert "label errors" not in judged.run("estimates").stdout


def test_check_says_that_nobody_brought_any(fresh):
    fresh.configure(("budget = 60", "budget = 90\ngold_share = 0.1"))
    found = fresh.json("check", "--now", NOW)["found"]["store"]["gold items of spam"]
    assert found.startswith("none yet, so nobody is asked for any: `stratawatch labels gold FILE`")


def test_several_panels_need_a_name(fresh):
    text = fresh.config.read_text()
    panel = text[text.index("[panels.spam]") :].replace("panels.spam", "panels.eggs")
    fresh.config.write_text(text + "\n" + panel)
    assert "say which panel" in fresh.run("labels", "gold", gold_file(fresh), code=2).stderr
