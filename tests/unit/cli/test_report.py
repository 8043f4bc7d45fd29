"""`report --send`: word of the report for the channels that ask for it."""

from pathlib import Path

NOW = "2026-01-12T10:00:00+00:00"
READER = '\n[[alerts]]\nkind = "webhook"\nname = "team"\nurl = "${env:TEAM_HOOK}"\nreports = true\n'


def test_without_a_channel_it_says_what_to_configure(fresh):
    result = fresh.run("report", "--send", code=2)
    assert "no channel gets reports; expected `reports = true` in an [[alerts]]" in result.stderr


def test_it_is_written_for_the_next_advance_once_a_week(fresh):
    fresh.configure(more=READER)
    assert fresh.json("report", "--now", NOW)["to_tell"] == {}
    assert fresh.json("report", "--send")["to_tell"] == {"spam": ["team"]}
    again = fresh.run("report", "--send").stdout
    assert "nothing to send: every channel with reports = true was told this week" in again
    (waiting,) = fresh.json("alerts", "list", "--undelivered")["notifications"]
    assert (waiting["channel"], waiting["severity"], waiting["state"]) == ("team", "report", "pending")
    assert "report for 'team'" in fresh.run("alerts", "list", "--undelivered").stdout


def test_another_moments_week_is_not_taken(fresh):
    """Its channels would miss the report of that week when it comes."""
    fresh.configure(more=READER)
    result = fresh.run("report", "--send", "--now", "2027-01-12T10:00:00+00:00", code=2)
    assert "--now is another moment; expected either --send or --now" in result.stderr
    assert fresh.json("alerts", "list", "--undelivered")["notifications"] == []


def test_before_anything_is_judged_the_command_says_so(fresh, judged):
    out = fresh.run("report", "--now", NOW).stdout
    assert out.startswith("wrote ")
    assert "Nothing is judged yet, so it has no estimates." in out
    assert fresh.json("report", "--now", NOW)["nothing_judged"] is True
    assert "Nothing is judged" not in judged.run("report", "--now", NOW).stdout
    assert judged.json("report", "--now", NOW)["nothing_judged"] is False


class TestPictures:
    def test_are_drawn_on_demand_and_said(self, judged):
        plain = judged.json("report", "--now", NOW)
        assert plain["pictures"] == {"spam": []}
        drawn = judged.json("report", "--png", "--now", NOW)["pictures"]["spam"]
        assert Path(drawn[0]).name == "overview.png"
        assert {Path(one).name for one in drawn[1:]} == {"classifier-lr.png", "classifier-rf.png"}
        assert all(Path(one).is_file() for one in drawn)
        assert "drew 3 pictures in " in judged.run("report", "--png", "--now", NOW).stdout
        assert "drew" not in judged.run("report", "--now", NOW).stdout

    def test_are_drawn_where_the_configuration_says_so(self, fresh):
        said = 'folder = "reports"'
        fresh.config.write_text(fresh.config.read_text().replace(said, f"{said}\npng = true"))
        assert fresh.json("report", "--now", NOW)["pictures"] == {"spam": []}  # nothing is judged
