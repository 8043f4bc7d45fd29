"""`mistakes`: the labelled items that a classifier got wrong."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest

from stratawatch.adapters.store import open_store
from stratawatch.cli.csv_cells import write_csv
from stratawatch.cli.labelled_rows import score_columns
from stratawatch.engine.labels.labelled_items import ScoreRange
from stratawatch.engine.model.panel_spec import ClassifierSpec
from tests.unit.cli.conftest import ROWS

LR = ("mistakes", "spam", "--classifier", "lr")


def number(row) -> int:
    return int(row["item"].removeprefix("item-"))


@pytest.fixture
def shouting(fresh):
    """An installation whose messages begin as formulas do, judged."""
    fresh.predict(ROWS.replace("'text ' || i", "'=cmd ' || i"))
    fresh.run("open", "--now", "2026-01-12T06:00:00+00:00")
    for hour in (6, 8, 9):
        fresh.run("advance", "--now", f"2026-01-12T{hour:02}:00:00+00:00")
        fresh.answer()
    return fresh


def purge(home):
    store = open_store(f"sqlite:///{home.folder / 'stratawatch.db'}")
    with store.begin() as tx:
        tx.retention.drop_payload(1)
        tx.commit()
    store.dispose()


class TestJson:
    def test_has_every_mistake_with_what_is_known_of_it(self, judged):
        """High scores are spam at odd numbers only, and low ones never are: `_label` of conftest."""
        found = judged.json(*LR)
        labels = {row["item"]: row for row in judged.json("labels", "export")["labels"]}
        wrong = {item for item, row in labels.items() if (row["calls"]["lr"] == "called") != (row["value"] == "yes")}
        assert wrong == {row["item"] for row in found["mistakes"]}
        assert wrong
        for row in found["mistakes"]:
            assert (row["side"], row["label"], number(row) % 2) == ("called", "no", 0)
            assert row["score_low"] <= row["score"] <= row["score_high"]
            assert row["payload"] == {"text": f"text {number(row)}"}
            assert row["annotators"] == "ann"
            assert row["labelled_at"] == "2026-01-12T07:00:00+00:00"
            assert row["answers"] == [{"annotator": "ann", "value": "no", "at": row["labelled_at"]}]
            known = labels[row["item"]]
            assert {name: row[name] for name in ("stratum", "weight", "cycle")} == {
                name: known[name] for name in ("stratum", "weight", "cycle")
            }
        weights = [row["weight"] for row in found["mistakes"]]
        assert weights == sorted(weights, reverse=True)
        (window,) = found["windows"]
        assert window["called"]["wrong"] == len(wrong)
        assert window["called"]["labelled"] + window["passed"]["labelled"] == 60
        assert window["passed"]["wrong"] == 0

    def test_who_said_so_are_those_whose_word_became_the_label(self, judged):
        item = judged.json(*LR)["mistakes"][0]["item"]
        path = judged.folder / "more.jsonl"
        said = [{"item": item, "value": value, "annotator": name} for name, value in (("bob", "no"), ("cid", "yes"))]
        path.write_text("".join(json.dumps(line) + "\n" for line in said))
        judged.run("labels", "import", str(path))
        (row,) = [row for row in judged.json(*LR)["mistakes"] if row["item"] == item]
        assert (row["label"], row["annotators"]) == ("no", "ann, bob")
        assert {(answer["annotator"], answer["value"]) for answer in row["answers"]} == {
            ("ann", "no"),
            ("bob", "no"),
            ("cid", "yes"),
        }

    def test_a_side_and_a_segment_narrow_it(self, judged):
        every = judged.json(*LR)["mistakes"]
        assert judged.json(*LR, "--side", "called")["mistakes"] == every
        assert judged.json(*LR, "--side", "passed")["mistakes"] == []
        german = judged.json(*LR, "--segment", "country=DE")
        assert german["mistakes"] == [row for row in every if number(row) % 3 == 0]
        assert german["windows"][0]["called"]["wrong"] == len(german["mistakes"]) < len(every)

    def test_a_window_is_named_by_a_day_in_it(self, judged):
        assert judged.json(*LR, "--window", "2026-01-07") == judged.json(*LR)
        err = judged.run(*LR, "--window", "2026-02-07", code=2).stderr
        assert "nothing was drawn from window [2026-02-02 00:00, 2026-02-09 00:00) +00:00 of panel 'spam'" in err

    def test_what_was_purged_is_read_again_from_the_source(self, judged):
        before = judged.json(*LR)
        purge(judged)
        assert {*judged.json("labels", "export")["labels"][0]["payload"]} == set()
        assert judged.json(*LR) == before
        judged.predict(ROWS.replace("range(2000)", "range(1)"))
        gone = judged.json(*LR)["mistakes"]
        assert {(row["payload_gap"], *row["payload"]) for row in gone} == {
            ("purged from the store, and the source has it no more as it was drawn",)
        }
        assert "What people saw of" in judged.run(*LR).stdout


class TestText:
    def test_says_what_was_labelled_and_lists_the_heaviest(self, judged):
        judged.columns = 160
        out = " ".join(judged.run(*LR).stdout.split())
        assert "spam, window 2026-01-05 to 2026-01-12: lr called" in out
        assert "called no: ann 2026-01-12 07:00" in out
        first = judged.json(*LR)["mistakes"][0]
        assert f"{first['stratum']} {first['payload']['text']}" in out

    def test_long_lists_are_cut_with_the_number_of_the_rest(self, judged, monkeypatch):
        total = len(judged.json(*LR)["mistakes"])
        monkeypatch.setattr("stratawatch.cli.mistakes.SHOWN", 2)
        out = judged.run(*LR).stdout
        assert f"{total - 2} more with --all, --json or --csv" in out
        assert out.count("no: ann") == 2
        assert judged.run(*LR, "--all").stdout.count("no: ann") == total

    def test_before_anything_is_judged_it_says_so(self, fresh):
        fresh.run("open", "--now", "2026-01-12T06:00:00+00:00")
        assert "Nothing of that is labelled" in fresh.run(*LR).stdout
        assert fresh.json(*LR) == {"panel": "spam", "classifier": "lr", "windows": [], "mistakes": []}

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (
                ("mistakes", "spma", "--classifier", "lr"),
                "there is no panel 'spma'; expected spam; did you mean 'spam'?",
            ),
            (("mistakes", "spam", "--classifier", "rl"), "there is no classifier 'rl'"),
            ((*LR, "--side", "pased"), "there is no side 'pased'; expected called, passed; did you mean 'passed'?"),
            ((*LR, "--segment", "country=ED"), "there is no segment 'country=ED'"),
            ((*LR, "--json", "--csv"), "--json and --csv do not go together"),
            ((*LR, "--window", "2026-01-07", "--newest", "2"), "--window and --newest do not go together"),
        ],
    )
    def test_a_wrong_name_is_told_with_the_right_ones(self, judged, words, sentence):
        assert sentence in judged.run(*words, code=2).stderr

    def test_control_characters_of_a_payload_cannot_repaint_the_terminal(self, shouting):
        shouting.predict(ROWS.replace("'text ' || i", "chr(27) || '[2J' || i"))
        purge(shouting)
        assert "\033" not in shouting.run(*LR).stdout


class TestCsv:
    def test_a_spreadsheet_calculates_nothing_of_it(self, shouting):
        rows = list(csv.DictReader(io.StringIO(shouting.run(*LR, "--csv").stdout, newline="")))
        found = shouting.json(*LR)["mistakes"]
        assert [row["item"] for row in rows] == [row["item"] for row in found]
        assert {row["payload.text"][:6] for row in rows} == {"'=cmd "}
        assert [float(row["weight"]) for row in rows] == [row["weight"] for row in found]
        assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())

    def test_rows_of_other_columns_stand_below_one_line_of_names(self):
        written, at = io.StringIO(newline=""), datetime(2026, 1, 5, tzinfo=UTC)
        write_csv(
            written,
            [
                {"item": "-1", "payload": {"=a": "@b", "n": -1.5}, "gone": None, "at": at},
                {"item": "x", "payload": {"c": {"d": True}}, "answers": ["é", 2], "is": False},
            ],
        )
        assert list(csv.DictReader(io.StringIO(written.getvalue(), newline=""))) == [
            {"item": "'-1", "payload.=a": "'@b", "payload.n": "-1.5", "gone": "", "at": at.isoformat()}
            | dict.fromkeys(("payload.c", "answers", "is"), ""),
            {"item": "x", "payload.c": '{"d": true}', "answers": '["é", 2]', "is": "false"}
            | dict.fromkeys(("payload.=a", "payload.n", "gone", "at"), ""),
        ]

    def test_no_rows_are_nothing(self):
        written = io.StringIO()
        write_csv(written, [])
        assert written.getvalue() == ""


class TestScores:
    def test_stand_on_the_classifiers_own_scale(self):
        margin = ClassifierSpec("svm", "score", "margin")
        assert score_columns(ClassifierSpec("lr", "score"), ScoreRange(0.5, 0.53125)) == {
            "score": 0.515625,
            "score_low": 0.5,
            "score_high": 0.53125,
        }
        assert score_columns(margin, ScoreRange(0.5, 0.75)) == {
            "score": 0.510826,
            "score_low": 0.0,
            "score_high": 1.09861,
        }

    def test_the_outermost_margins_have_no_end_and_what_was_not_scored_has_nothing(self):
        margin = ClassifierSpec("svm", "score", "margin")
        assert score_columns(margin, ScoreRange(0.0, 0.5))["score_low"] is None
        assert score_columns(margin, ScoreRange(0.5, 1.0))["score_high"] is None
        assert set(score_columns(margin, None).values()) == {None}


def test_a_panel_without_an_opened_window_is_not_unknown(fresh):
    said = fresh.run("mistakes", "spam", "--classifier", "lr", code=2).stderr
    assert said == (
        "stratawatch: no window of panel 'spam' was opened yet; `stratawatch open` opens those that are over\n"
    )
    assert "there is no panel 'scam'" in fresh.run("mistakes", "scam", "--classifier", "lr", code=2).stderr
