"""`estimates --together`: the newest windows as one, and their change."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.support.played_windows import play
from tests.unit.cli.conftest import ROWS, Installation

REPLAY = """
[panels.spam.drift]
replay = "warn"
"""


@pytest.fixture(scope="module")
def weeks(tmp_path_factory) -> Installation:
    """Three judged weeks of which the second has the items of the first again, and the third others."""
    home = Installation(tmp_path_factory.mktemp("weeks"))
    home.configure(more=REPLAY)
    again = f"""SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at") FROM ({ROWS})"""
    others = f"""SELECT * REPLACE ('new-' || id AS id, "at" + INTERVAL 14 DAY AS "at") FROM ({ROWS})"""
    home.predict(f"{ROWS} UNION ALL {again} UNION ALL {others}")
    home.run("init")
    for day in ("12", "19", "26"):
        play(home, day)
    return home


def row_of(rows, classifier="lr", metric="precision"):
    return next(row for row in rows if (row["classifier"], row["metric"], row["segment"]) == (classifier, metric, None))


class TestTogether:
    def test_windows_are_narrower_than_one(self, weeks):
        one, three = (row_of(weeks.json("estimates", "--together", n)["together"]) for n in ("1", "3"))
        assert three["half_width"] < one["half_width"]
        assert three["low"] <= three["value"] <= three["high"]
        assert (three["windows"], three["windows_before"]) == (3, 0)
        assert (three["since"][:10], three["until"][:10]) == ("2026-01-05", "2026-01-26")
        assert one["since"][:10] == "2026-01-19"

    def test_one_window_is_its_estimate(self, weeks):
        for row in weeks.json("estimates", "--together", "1")["together"]:
            alone = row_of(weeks.json("estimates")["estimates"], row["classifier"], row["metric"])
            for name in ("value", "low", "high"):
                assert row[name] == pytest.approx(alone[name])

    def test_are_as_many_as_there_are(self, weeks):
        assert row_of(weeks.json("estimates", "--together", "13")["together"])["windows"] == 3

    def test_segments_are_shown_on_demand(self, weeks):
        rows = weeks.json("estimates", "--together", "2", "--segments")["together"]
        assert {row["segment"] for row in rows} == {None, "country=DE", "country=FR"}

    def test_text_says_which_windows(self, weeks):
        out = weeks.run("estimates", "--together", "2", "--metric", "recall").stdout
        assert out.startswith("spam: 2 windows together, 2026-01-12 to 2026-01-26\n")
        assert "lr recall" in out
        assert "precision" not in out
        assert "they know which labels several windows share" in out

    @pytest.mark.parametrize("columns", [40, 60, 100])
    def test_it_fits_the_terminal(self, weeks, columns):
        narrow = Installation(weeks.folder, columns)
        assert max(map(len, narrow.run("estimates", "--together", "2", "--change").stdout.splitlines())) <= columns


class TestChange:
    def test_is_from_one_window_to_the_next(self, weeks):
        alone, two = (
            {(row["classifier"], row["metric"]): row for row in weeks.json("estimates", *options)[key]}
            for options, key in ((("--history",), "estimates"), (("--together", "1", "--change"), "together"))
        )
        history = weeks.json("estimates", "--history")["estimates"]
        for (classifier, metric), row in two.items():
            values = {
                one["period"]: one["value"]
                for one in history
                if (one["classifier"], one["metric"], one["segment"]) == (classifier, metric, None)
            }
            assert row["value"] == pytest.approx(values[2] - values[1])
            assert row["low"] <= row["value"] <= row["high"]
        assert alone.keys() == two.keys()

    def test_text_says_from_what(self, weeks):
        out = weeks.run("estimates", "--together", "2", "--change").stdout
        assert "spam: 2 windows together, 2026-01-12 to 2026-01-26; change from 1 window" in out
        sign = "[+−±]"
        assert re.search(rf"^lr precision +{sign}[\d.]+ pts \({sign}[\d.]+ to {sign}[\d.]+\) +\d", out, re.MULTILINE)

    def test_needs_a_window_before(self, judged):
        said = judged.run("estimates", "--together", "1", "--change", code=2).stderr
        assert "panel 'spam' has no window before the newest 1 to compare with" in said


class TestOptions:
    def test_change_needs_together(self, judged):
        assert "--change needs --together" in judged.run("estimates", "--change", code=2).stderr

    @pytest.mark.parametrize("other", [("--history",), ("--classifier", "lr", "--minus", "rf")])
    def test_together_is_of_the_newest_windows(self, judged, other):
        said = judged.run("estimates", "--together", "2", *other, code=2).stderr
        assert "--together is of the newest windows" in said

    def test_nothing_yet_points_to_status(self, fresh):
        assert "`stratawatch status` says what" in fresh.run("estimates", "--together", "4").stdout
        assert fresh.json("estimates", "--together", "4") == {"together": []}

    def test_a_panel_that_has_none_is_named_beside_the_others(self, weeks, tmp_path):
        home = Installation(Path(shutil.copytree(weeks.folder, tmp_path / "two")))
        text = home.config.read_text()
        home.config.write_text(text + "\n" + text[text.index("[panels.spam]") :].replace("spam", "scam"))
        play(home, "26", "--newest", "1")
        shown = home.run("estimates", "--together", "1", "--change")
        assert "spam: 1 window together, 2026-01-19 to 2026-01-26; change from 1 window" in shown.stdout
        assert "scam" not in shown.stdout
        assert "scam: panel 'scam' has no window before the newest 1 to compare with" in shown.stderr
        neither = home.run("estimates", "--together", "3", "--change", code=2).stderr
        assert all(f"{name}: panel '{name}' has no window before" in neither for name in ("spam", "scam"))
        assert (
            "panel 'scam' has no" in home.run("estimates", "--together", "1", "--change", "-p", "scam", code=2).stderr
        )

    def test_windows_whose_labels_cannot_be_pooled_are_told(self, judged):
        judged.configure(("budget = 60", 'budget = 60\ndesign = "srs"'), more=REPLAY)
        judged.predict(f"""SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at") FROM ({ROWS})""")
        play(judged, "19")
        said = judged.run("estimates", "--together", "2", code=2).stderr
        assert "the labels of the window from 2026-01-12 cannot be counted together with others" in said


RF = """[panels.spam.classifiers.rf]
score = "score_rf"
cut_off = 0.6
"""
LIMIT_OF_RF = """
[[panels.spam.limits]]
metric = "false_omission_rate"
ceiling = 0.3
classifiers = ["rf"]
"""


class TestAfterAClassifierCameAndAnotherLeft:
    @pytest.fixture(scope="class")
    @staticmethod
    def changed_panel(tmp_path_factory) -> Installation:
        """Three judged weeks; from the second on `new` is there in place of `rf`."""
        home = Installation(tmp_path_factory.mktemp("changed"))
        home.configure(more=REPLAY)
        several = (
            f"""SELECT * REPLACE ('{week}-' || id AS id, "at" + INTERVAL {7 * week} DAY AS "at") FROM ({ROWS})"""
            for week in range(3)
        )
        home.predict(" UNION ALL ".join(several))
        home.run("init")
        play(home, "12")
        home.configure((RF, RF.replace("rf]", "new]").replace("0.6", "0.7")), (LIMIT_OF_RF, ""), more=REPLAY)
        for day in ("19", "26"):
            play(home, day)
        return home

    def test_the_windows_of_each_one_are_pooled(self, changed_panel):
        rows = changed_panel.json("estimates", "--together", "3")["together"]
        lr, new = row_of(rows), row_of(rows, "new")
        assert (lr["windows"], new["windows"]) == (3, 2)
        assert {row["classifier"] for row in rows} == {"lr", "new"}
        assert (lr["since"][:10], new["since"][:10]) == ("2026-01-05", "2026-01-12")
        assert lr["half_width"] < row_of(changed_panel.json("estimates", "--together", "2")["together"])["half_width"]
        used = [row for row in changed_panel.json("estimates", "--history")["estimates"] if row["classifier"] == "lr"]
        assert lr["labels_used"] == sum(row["labels_used"] for row in used if row["metric"] == "precision")

    def test_why_there_are_fewer_is_said(self, changed_panel):
        rows = changed_panel.json("estimates", "--together", "3")["together"]
        assert row_of(rows)["why_fewer"] is None
        assert row_of(rows, "new")["why_fewer"] == "the window from 2026-01-05 was without new"
        out = changed_panel.run("estimates", "--together", "3").stdout
        assert "spam, lr: 3 windows together, 2026-01-05 to 2026-01-26\n" in out
        assert "spam, new: 2 windows together, 2026-01-12 to 2026-01-26\n" in out
        assert "  not more, as the window from 2026-01-05 was without new\n" in out

    def test_the_change_is_of_those_with_windows_before(self, changed_panel):
        shown = changed_panel.run("estimates", "--together", "2", "--change")
        assert "spam: 2 windows together, 2026-01-12 to 2026-01-26; change from 1 window" in shown.stdout
        assert "there is no window before to compare new with; the window from 2026-01-05 was without" in shown.stderr
        rows = changed_panel.json("estimates", "--together", "2", "--change")["together"]
        assert {row["classifier"] for row in rows} == {"lr"}

    def test_another_rule_of_saying_yes_is_another_classifier(self, changed_panel, tmp_path):
        home = Installation(Path(shutil.copytree(changed_panel.folder, tmp_path / "rule")))
        home.config.write_text(home.config.read_text().replace("cut_off = 0.7", "cut_off = 0.8"))
        home.predict(f"""SELECT * REPLACE ('x' || id AS id, "at" + INTERVAL 21 DAY AS "at") FROM ({ROWS})""")
        home.run("open", "--now", "2026-02-02T06:00:00+00:00")
        for hour in ("06", "08", "09"):
            home.run("advance", "--now", f"2026-02-02T{hour}:00:00+00:00")
            home.answer()
            for reply in (home.folder / "queue" / "in").glob("*-p00003-*"):
                reply.write_text(reply.read_text().replace("2026-01-12T07", "2026-02-02T07"))
        rows = home.json("estimates", "--together", "4")["together"]
        assert (row_of(rows)["windows"], row_of(rows, "new")["windows"]) == (4, 1)
        assert row_of(rows, "new")["why_fewer"] == (
            "the window from 2026-01-19 had new say yes by another rule: score_rf >= 0.7, "
            "and 2 older windows are left out too"
        )


def test_a_window_that_is_not_judged_lies_among_those_that_are(weeks, tmp_path):
    home = Installation(Path(shutil.copytree(weeks.folder, tmp_path / "gap")))
    with sqlite3.connect(home.folder / "stratawatch.db") as store:
        store.execute("UPDATE cycles SET state = 'refused' WHERE id = 2")
    out = home.run("estimates", "--together", "2").stdout
    assert out.startswith("spam: 2 of 3 windows together, 2026-01-05 to 2026-01-26\n")
    row = row_of(home.json("estimates", "--together", "2")["together"])
    assert (row["windows"], row["windows_in_span"]) == (2, 3)


def test_too_few_judged_windows_are_a_reason(weeks):
    rows = weeks.json("estimates", "--together", "13")["together"]
    assert {row["why_fewer"] for row in rows} == {"only 3 windows are judged"}
