"""`open` on a past start says what it would ask for, and opens what it is told to."""

from threading import Event

import pytest

from tests.unit.cli.conftest import NOW, ROWS

LATER = "2026-02-09T06:00:00+00:00"


def test_several_past_windows_of_a_new_panel_are_asked_about(fresh):
    told = fresh.run("open", "--now", LATER, code=2).stderr
    assert "5 windows of panel 'spam' are over: up to 300 labels" in told
    assert "--all, or --newest N" in told
    assert fresh.json("cycles")["cycles"] == []


@pytest.mark.parametrize(("words", "starts"), [(["--all"], [5, 12, 19, 26, 33]), (["--newest", "2"], [26, 33])])
def test_they_are_opened_as_one_says_and_nobody_is_asked_again(fresh, words, starts):
    opened = fresh.json("open", "--now", LATER, *words)["opened"]
    days = [int(one["window_start"][8:10]) + 31 * (one["window_start"][6] == "2") for one in opened]
    assert days == starts
    assert fresh.json("open", "--now", LATER)["opened"] == []
    (next_one,) = fresh.json("open", "--now", "2026-02-16T06:00:00+00:00")["opened"]
    assert next_one["window_start"].startswith("2026-02-09")


def test_one_past_window_is_simply_opened(fresh):
    assert len(fresh.json("open", "--now", "2026-01-12T06:00:00+00:00")["opened"]) == 1


def test_a_panel_that_begins_does_not_hold_up_another(judged):
    text = judged.config.read_text()
    panel = text[text.index("[panels.spam]") :].replace("spam", "scam")
    judged.config.write_text(f"{text}\n{panel}")
    document = judged.run("open", "--now", LATER, "--json", code=2)
    assert '"panel": "spam"' in document.stdout.partition('"undecided"')[0]
    assert "5 windows of panel 'scam' are over" in document.stderr


def test_all_and_newest_contradict_each_other(fresh):
    assert "do not go together" in fresh.run("open", "--all", "--newest", "1", code=2).stderr


def test_the_newest_skips_no_window_of_a_panel_that_has_begun(judged):
    text = judged.config.read_text()
    judged.config.write_text(text + "\n" + text[text.index("[panels.spam]") :].replace("spam", "scam"))
    opened = judged.json("open", "--now", LATER, "--newest", "1")["opened"]
    starts = {name: [one["window_start"][:10] for one in opened if one["panel"] == name] for name in ("spam", "scam")}
    assert starts == {"spam": ["2026-01-12", "2026-01-19", "2026-01-26", "2026-02-02"], "scam": ["2026-02-02"]}


class TestWhatTheWindowWillBeRefusedFor:
    def test_missing_columns_are_told_and_the_window_opens(self, fresh):
        fresh.predict(f"SELECT * EXCLUDE (country) RENAME (score_lr AS scroe_lr) FROM ({ROWS})")
        opened = fresh.run("open", "--now", NOW)
        out = " ".join(opened.stdout.split())
        assert "opened cycle 1: spam, 2026-01-05 to 2026-01-12 ! the window of cycle 1 will be refused:" in out
        assert all(f"column '{name}' (" in out for name in ("score_lr", "country"))
        assert 'stratawatch cycles reopen 1 --why "..."' in out
        (move,) = fresh.json("advance", "--now", NOW, code=1)["moved"]
        assert move["to"] == "refused"

    def test_no_rows_are_told(self, fresh):
        fresh.predict(f"SELECT * FROM ({ROWS}) WHERE FALSE")
        (found,) = fresh.json("open", "--now", NOW)["faults"]
        assert (found["cycle"], found["faults"]) == (1, ["it has no rows"])

    def test_a_window_that_is_fit_says_nothing(self, fresh):
        assert fresh.run("open", "--now", NOW).stdout == "opened cycle 1: spam, 2026-01-05 to 2026-01-12\n"

    def test_a_source_that_hangs_holds_nothing_up(self, fresh, monkeypatch):
        from stratawatch.engine.input import first_faults

        answers = Event()
        monkeypatch.setattr(first_faults, "_faults", lambda *_: answers.wait(60) and ("it came late",))
        monkeypatch.setattr(first_faults, "LONGEST_LOOKS", 0.2)
        document = fresh.json("open", "--now", NOW)
        assert not answers.is_set()
        answers.set()
        assert (len(document["opened"]), document["faults"]) == (1, [])

    def test_a_source_that_is_away_is_left_to_the_freeze(self, fresh):
        (fresh.folder / "predictions" / "week.parquet").unlink()
        document = fresh.json("open", "--now", NOW)
        assert (len(document["opened"]), document["faults"]) == (1, [])
