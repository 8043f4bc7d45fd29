"""Baselines on the command line: measured from a file or from windows, listed, and used by the next judgement."""

import re

import duckdb
import pytest

from tests.unit.cli.conftest import NOW

LABELS = """
SELECT 'old-' || i AS id,
       CASE WHEN i % 5 = 0 THEN 'no' ELSE 'yes' END AS label,
       0.9 AS score_lr, 0.4 AS score_rf, i < 400 AS pred_lr, 'DE' AS country
FROM range(500) AS t(i)
"""
LIMIT = 'metric = "precision"\nfloor = 0.97\nclassifiers = ["lr"]'
CUT_OFF = ("cut_off = 0.6", "cut_off = 0.5")
DROP = 'metric = "precision"\nmax_drop = 0.1\nof = ["lr"]'


@pytest.fixture
def home(fresh):
    """Labelled predictions beside an empty store; lr has precision .8 in them and calls 400 of 500 yes."""
    fresh.configure((LIMIT, DROP))
    duckdb.sql(LABELS).write_parquet(str(fresh.folder / "labels.parquet"))
    return fresh


@pytest.fixture
def in_folder(home, monkeypatch):
    monkeypatch.chdir(home.folder)
    return home


class TestMeasure:
    FILE = ("baseline", "measure", "spam", "--file", "labels.parquet", "--now", "2026-01-12T06:00:00+00:00")

    def test_from_a_file_keeps_every_metric_once(self, in_folder):
        found = in_folder.json(*self.FILE)
        values = {(row["classifier"], row["metric"]): row["value"] for row in found["baselines"]}
        assert values["lr", "precision"] == pytest.approx(0.8)
        assert values["rf", "false_omission_rate"] == pytest.approx(0.8)
        assert {(row["new"], row["n"], row["counted"]) for row in found["baselines"]} == {(True, 500, "items")}
        assert {row["valid_from"] for row in found["baselines"]} == {"2026-01-05T00:00:00+00:00"}
        assert [(row["classifier"], row["metric"]) for row in found["undefined"]] == [("rf", "precision")]
        again = in_folder.json(*self.FILE[:-1], "2026-03-01T06:00:00+00:00")
        assert {row["new"] for row in again["baselines"]} == {False}

    def test_says_it_to_people_within_eighty_columns(self, in_folder):
        in_folder.columns = 80
        text = in_folder.run(*self.FILE).stdout
        assert max(map(len, text.splitlines())) <= 80
        assert " ".join(text.split()).startswith(
            "7 new baselines, 0 measured before; from labelled predictions labels.parq"
        )
        assert "In force for windows from 2026-01-05 00:00 until further notice" in text
        assert re.search(r"^lr precision +80\.0% \(75\.8 to 83\.6\) +500 items$", text, re.MULTILINE)
        assert "None of rf precision: no labelled item is called positive" in text
        again = in_folder.run(*self.FILE).stdout
        assert again.startswith("0 new baselines, 7 measured before")
        assert again.count("500 items  of 2026-01-12") == 7

    def test_says_which_rows_of_the_file_do_not_count(self, in_folder):
        some = LABELS.replace("'no' ELSE 'yes'", "NULL ELSE 'yes'")
        duckdb.sql(some).write_parquet(str(in_folder.folder / "labels.parquet"))
        notes = ["100 of 500 rows have no label and are left out", "all 400 labels say yes; is it the right column?"]
        assert in_folder.json(*self.FILE)["notes"] == notes
        assert all(f"Note: {note}\n" in in_folder.run(*self.FILE).stdout for note in notes)

    def test_what_was_measured_before_and_not_last_is_kept_anew(self, in_folder):
        only = ("--of", "rf")
        assert {row["in_force"] for row in in_folder.json(*self.FILE, *only)["baselines"]} == {True}
        duckdb.sql(LABELS.replace("i % 5", "i % 4")).write_parquet(str(in_folder.folder / "labels.parquet"))
        in_folder.run(*self.FILE[:-1], "2026-01-13T06:00:00+00:00", *only)
        duckdb.sql(LABELS).write_parquet(str(in_folder.folder / "labels.parquet"))
        again = in_folder.run(*self.FILE[:-1], "2026-01-14T06:00:00+00:00", *only).stdout
        assert "3 new baselines, 0 measured before" in again
        assert "Not in force" not in again
        assert {row["in_force"] for row in in_folder.json(*self.FILE, *only)["baselines"]} == {True}

    def test_of_what_a_later_measurement_keeps_out_of_force_says_so(self, in_folder):
        only = ("--of", "rf")
        in_folder.run(*self.FILE[:-1], "2026-01-14T06:00:00+00:00", *only)
        duckdb.sql(LABELS.replace("i % 5", "i % 4")).write_parquet(str(in_folder.folder / "labels.parquet"))
        before = in_folder.run(*self.FILE[:-1], "2026-01-13T06:00:00+00:00", *only).stdout
        assert "Not in force, as what was measured later is: rf" in before

    def test_takes_dates_and_one_classifier(self, in_folder):
        dates = ("--from", "2026-02-01T00:00:00+00:00", "--until", "2026-03-01T00:00:00+00:00")
        found = in_folder.json(*self.FILE, "--of", "lr", *dates)
        assert {row["classifier"] for row in found["baselines"]} == {"lr"}
        assert {(row["valid_from"], row["valid_until"]) for row in found["baselines"]} == {(dates[1], dates[3])}

    def test_takes_labels_that_were_drawn_apart(self, in_folder):
        found = in_folder.json(*self.FILE, "--of", "lr", "--called", "1200", "--passed", "98000")
        recall = next(row for row in found["baselines"] if row["metric"] == "recall")
        assert recall["value"] == pytest.approx(960 / (960 + 78_400))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("spam",), "panel 'spam' has too few judged windows for a baseline; expected at least 4; got 0"),
            (("spma",), "there is no panel 'spma'; expected spam; did you mean 'spam'?"),
            (("spam", "--label", "human"), "a column of labels is one of labelled predictions; expected a file"),
            (("spam", "--called", "9", "--passed", "90"), "of labelled predictions; expected a file beside them"),
            (("spam", "--file", "labels.parquet", "--windows", "8"), "from windows or from labelled predictions;"),
            (
                ("spam", "--file", "labels.parquet", "--of", "lr", "--called", "400.5", "--passed", "100"),
                "expected a whole number, at least 1 and at least the 400 that have a label; got 400.5",
            ),
            (("spam", "--file", "none.csv"), "no Parquet or CSV file matches"),
            (("spam", "--file", "../labels.parquet"), "leads out of the folder of the configuration"),
            (("spam", "--file", "labels.parquet", "--label", "truth"), "column 'truth' (the label) is missing"),
            (("spam", "--file", "labels.parquet", "--of", "svm"), "has no classifier 'svm'; expected lr, rf"),
            (("spam", "--file", "labels.parquet", "--from", "today"), "--from is not a moment"),
            (("spam", "--file", "labels.parquet", "--called", "9"), "two numbers"),
        ],
    )
    def test_what_cannot_be_is_one_sentence(self, in_folder, arguments, message):
        said = in_folder.run("baseline", "measure", *arguments, code=2).stderr
        assert message in said
        assert said.count("\n") == 1


class TestList:
    def test_marks_what_is_in_force(self, in_folder):
        in_folder.run(*TestMeasure.FILE, "--of", "lr")
        in_folder.run(*TestMeasure.FILE, "--of", "lr", "--from", "2026-02-01T00:00:00+00:00")
        january = in_folder.json("baseline", "list", "spam", "--now", "2026-01-20T00:00:00+00:00")["baselines"]
        assert [row["in_force"] for row in january] == [True] * 4 + [False] * 4
        text = in_folder.run("baseline", "list", "spam", "--now", "2026-02-20T00:00:00+00:00").stdout
        assert [line.rstrip().endswith("yes") for line in text.splitlines()[1:9]] == [False] * 4 + [True] * 4

    def test_what_is_measured_later_is_not_in_force_yet(self, in_folder):
        in_folder.run(*TestMeasure.FILE, "--of", "lr")
        rows = in_folder.json("baseline", "list", "spam", "--now", "2026-01-11T00:00:00+00:00")["baselines"]
        assert {row["in_force"] for row in rows} == {False}

    def test_of_another_cut_off_is_not_in_force(self, in_folder):
        in_folder.run(*TestMeasure.FILE, "--of", "rf")
        in_folder.configure((LIMIT, DROP), CUT_OFF)
        rows = in_folder.json("baseline", "list", "spam", "--now", "2026-01-20T00:00:00+00:00")["baselines"]
        assert {(row["call"], row["cut_off"], row["in_force"]) for row in rows} == {("score_rf >= 0.6", 0.6, False)}

    def test_without_any_says_how_to_get_one(self, home):
        assert "`stratawatch baseline measure spam` measures one" in " ".join(
            home.run("baseline", "list", "spam").stdout.split()
        )


class TestCheck:
    def test_says_which_limits_are_blind_without_one(self, in_folder):
        found = in_folder.json("check", "--now", NOW)["found"]["store"]["baselines of spam"]
        assert found.startswith(
            "1 of 1 metrics with a max_drop have none in force and are BLIND; `stratawatch baseline"
        )
        in_folder.run(*TestMeasure.FILE)
        assert (
            in_folder.json("check", "--now", NOW)["found"]["store"]["baselines of spam"]
            == "in force for all 1 metrics with a max_drop"
        )

    def test_says_where_each_window_is_judged_by_itself(self, in_folder):
        in_folder.run(*TestMeasure.FILE, "--of", "lr", "--called", "1000", "--passed", "9000")
        found = in_folder.json("check", "--now", NOW)["found"]["store"]["baselines of spam"]
        assert "in force for all 1 metrics with a max_drop; 1 of these without labels that add up" in found

    def test_says_where_one_is_of_another_cut_off(self, in_folder):
        in_folder.run(*TestMeasure.FILE)
        in_folder.configure((LIMIT, DROP.replace("lr", "rf").replace("precision", "accuracy")), CUT_OFF)
        assert in_folder.json("check", "--now", NOW)["found"]["store"]["baselines of spam"].startswith(
            "1 of 1 metrics with a max_drop have none in force and are BLIND, 1 as what was measured is of another rule"
        )

    def test_says_nothing_where_no_limit_needs_one(self, fresh):
        assert "baselines of spam" not in fresh.json("check", "--now", NOW)["found"]["store"]


class TestJudgement:
    def test_is_made_against_it(self, in_folder):
        in_folder.run(*TestMeasure.FILE)
        in_folder.run("open", "--now", "2026-01-12T06:00:00+00:00")
        for hour in (6, 8, 9):
            in_folder.run("advance", "--now", f"2026-01-12T{hour:02}:00:00+00:00")
            in_folder.answer()
        (stream,) = [row for row in in_folder.json("status")["streams"] if row["metric"] == "precision"]
        assert stream["state"] == "BREACH"
        assert "against the baseline of 2026-01-12, a fall of 10 is allowed: proven to be more" in stream["reason"]
