"""A window that was refused: `check`, `advance` and `status` say which, and the command that opens it again."""

import shlex

import pytest

from tests.support.played_windows import play
from tests.unit.cli.conftest import NOW, ROWS, Installation

COMMAND = 'stratawatch cycles reopen 1 --why "..."'
REFUSED = "! cycle 1 of panel 'spam', window 2026-01-05 to 2026-01-12, is refused"


@pytest.fixture
def refused(fresh) -> Installation:
    """Its first window was refused, as it had no rows; the rows are there now."""
    fresh.predict(f"SELECT * FROM ({ROWS}) WHERE FALSE")
    fresh.run("open", "--now", NOW)
    fresh.run("advance", "--now", NOW, code=1)
    fresh.predict()
    return fresh


def words(text: str) -> str:
    return " ".join(text.split())


class TestOnceItsInputIsMended:
    @pytest.mark.parametrize("command", [("check", "--now", NOW), ("advance", "--now", NOW), ("status",)])
    def test_each_command_says_which_and_what_to_type(self, refused, command):
        out = refused.run(*command).stdout
        assert REFUSED in words(out)
        assert f"  once its input is mended: {COMMAND}\n" in out
        (row,) = refused.json(*command)["refused"]
        assert row == {
            "cycle": 1,
            "panel": "spam",
            "window_start": "2026-01-05T00:00:00+00:00",
            "window_end": "2026-01-12T00:00:00+00:00",
            "reason": "the window [2026-01-05 00:00, 2026-01-12 00:00) +00:00 has no rows",
            "command": COMMAND,
        }

    def test_check_does_not_say_that_everything_is_in_order(self, refused):
        assert refused.run("check", "--now", NOW).stdout.endswith("Everything else is in order.\n")

    def test_the_command_works_as_it_is_printed(self, refused):
        refused.run(*shlex.split(COMMAND)[1:])
        assert refused.json("advance", "--now", NOW)["asked"][0]["cycle"] == 1
        for command in (("check", "--now", NOW), ("advance", "--now", NOW), ("status",)):
            assert refused.json(*command)["refused"] == []
        assert refused.run("check", "--now", NOW).stdout.endswith("Everything is in order.\n")

    def test_a_paged_channel_hears_the_command(self, fresh):
        fresh.configure(more='\n[[alerts]]\nkind = "console"\n')
        fresh.predict(f"SELECT * FROM ({ROWS}) WHERE FALSE")
        fresh.run("open", "--now", NOW)
        said = fresh.run("advance", "--now", NOW, code=1)
        assert f"Do: mend the input (`stratawatch check`), then `{COMMAND}`" in words(said.stderr)

    def test_other_panels_advance_says_nothing_of_it(self, refused):
        text = refused.config.read_text()
        refused.config.write_text(text + "\n" + text[text.index("[panels.spam]") :].replace("spam", "scam"))
        assert refused.json("advance", "--now", NOW, "--panel", "scam")["refused"] == []


def test_one_that_a_judged_window_followed_is_over(refused):
    refused.predict(f"""SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at") FROM ({ROWS})""")
    play(refused, "19")
    assert [one["state"] for one in refused.json("cycles")["cycles"]] == ["refused", "judged"]
    assert refused.json("advance", "--now", "2026-01-19T10:00:00+00:00")["refused"] == []
    assert refused.json("status")["refused"] == []


def test_of_many_the_newest_are_told(fresh):
    fresh.predict(f"SELECT * FROM ({ROWS}) WHERE FALSE")
    fresh.run("open", "--all", "--now", "2026-02-09T06:00:00+00:00")
    fresh.run("advance", "--now", "2026-02-09T06:00:00+00:00", code=1)
    out = words(fresh.run("status").stdout)
    assert "! 2 older windows of panel 'spam' are refused: `stratawatch cycles --state refused`" in out
    assert out.count("is refused") == 3


def test_a_cause_is_told_once_for_all_its_metrics(refused):
    out = words(refused.run("status").stdout)
    reason = "the window was refused: the window [2026-01-05 00:00, 2026-01-12 00:00) +00:00 has no rows"
    metrics = "2 metrics (precision of lr; false omission rate of rf)"
    assert f"? {metrics}: {reason}" in out
    assert f"? BLIND: {metrics} (spam), since 2026-01-12 06:00 {reason}" in out
    assert out.count(reason) == 2
    assert len(refused.json("status")["incidents"]) == 2


def test_a_rerun_of_an_older_window_is_told(judged):
    judged.predict(f"""SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at") FROM ({ROWS}) WHERE id NOT LIKE '%7'""")
    play(judged, "19")
    later = "2026-01-19T10:00:00+00:00"
    new = judged.json("cycles", "rerun", "1", "--why", "scores corrected", "--now", later)["cycle"]
    judged.run("advance", "--now", later, code=1)
    for command in (("advance", "--now", later), ("status",), ("check", "--now", later)):
        assert [row["cycle"] for row in judged.json(*command)["refused"]] == [new]


def test_of_a_panel_that_is_paused_nothing_is_told(refused):
    refused.configure(("budget = 60", "budget = 60\npaused = true"))
    for command in (("check", "--now", NOW), ("advance", "--now", NOW), ("status",)):
        assert refused.json(*command)["refused"] == []
