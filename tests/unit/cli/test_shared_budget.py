"""`check`, `open`, `status` and `report` with a budget that panels share, in the words that people read."""

import pytest

from tests.unit.cli.conftest import NOW

SHARED = ("[[panels.spam.goals]]", '[budget]\nlabels = 45\nper = "week"\n\n[[panels.spam.goals]]')


@pytest.fixture
def sharing(fresh):
    """An installation whose panel would ask for 60 labels and shares 45."""
    fresh.configure(SHARED)
    return fresh


def test_check_says_who_shares_it(sharing):
    found = sharing.json("check", "--now", NOW)["found"]
    assert found["configuration"]["shared budget"] == "45 labels a week; a cycle of spam from 10 to 60, priority 0"
    assert "shared budget" not in found["store"]


def test_status_and_check_say_what_became_of_it(sharing):
    assert sharing.json("status")["shared_budget"] is None
    sharing.run("open", "--now", NOW)
    kept = "45 labels for windows that end from 2026-01-12 to before 2026-01-19: 0 spent, 45 reserved, 0 left"
    out = " ".join(sharing.run("status").stdout.split())
    assert f"Shared budget: {kept} spam, window until 2026-01-12: 45 labels, 0 asked: its floor of 10" in out
    assert sharing.json("check", "--now", NOW)["found"]["store"]["shared budget"] == kept
    sharing.run("advance", "--now", NOW)
    shared = sharing.json("status")["shared_budget"]
    assert shared["spent"] + shared["reserved"] == 45
    assert shared["spent"] > 0


def test_nobody_hears_of_it_without_its_section(fresh):
    fresh.run("open", "--now", NOW)
    assert "shared_budget" not in fresh.json("status")
    assert "hared budget" not in fresh.run("status").stdout + fresh.run("check", "--now", NOW).stdout


def test_a_panel_whose_past_windows_are_asked_about_keeps_its_floor(sharing):
    sharing.run("open", "--now", NOW)
    text = sharing.config.read_text()
    other = text[text.index("[panels.spam]") :].replace('[budget]\nlabels = 45\nper = "week"\n', "")
    sharing.config.write_text(text + other.replace("spam", "scam"))
    sharing.run("open", "--now", "2026-02-09T06:00:00+00:00", code=2)
    shared = sharing.json("status")["shared_budget"]
    assert {one["panel"]: one["reserved"] for one in shared["windows"]}["scam"] >= 10
    assert all(one["share"] <= 35 for one in shared["windows"] if one["panel"] == "spam")
