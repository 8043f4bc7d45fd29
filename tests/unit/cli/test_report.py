"""`report --send`: word of the report for the channels that ask for it."""

NOW = "2026-01-12T10:00:00+00:00"
READER = '\n[[alerts]]\nkind = "webhook"\nname = "team"\nurl = "${env:TEAM_HOOK}"\nreports = true\n'


def test_without_a_channel_it_says_what_to_configure(fresh):
    result = fresh.run("report", "--send", "--now", NOW, code=2)
    assert "no channel gets reports; expected `reports = true` in an [[alerts]]" in result.stderr


def test_it_is_written_for_the_next_advance_once_a_week(fresh):
    fresh.configure(more=READER)
    assert fresh.json("report", "--now", NOW)["to_send_to"] == {}
    assert fresh.json("report", "--send", "--now", NOW)["to_send_to"] == {"spam": ["team"]}
    again = fresh.run("report", "--send", "--now", NOW).stdout
    assert "nothing to send: every channel with reports = true was told this week" in again
    (waiting,) = fresh.json("alerts", "list", "--undelivered")["notifications"]
    assert (waiting["channel"], waiting["severity"], waiting["state"]) == ("team", "update", "pending")
