"""`alerts`: what was sent and what was not, again, and a test of a channel."""

import pytest

from stratawatch.wiring import build
from tests.contracts.alerts.conftest import WebhookBackend
from tests.support.notices import notice
from tests.unit.cli.conftest import NOW

HOOK = """
[[alerts]]
kind = "webhook"
name = "ops"
url = "${env:HOOK}"
timeout = "30s"
"""


@pytest.fixture
def receiver():
    backend = WebhookBackend()
    yield backend
    backend.close()


@pytest.fixture
def paging(judged, receiver):
    """An installation that has judged a breach when it had no channel, and now has a webhook."""
    judged.configure(more=HOOK)
    judged.environment["HOOK"] = receiver.url
    return judged


def at(hour: int) -> str:
    return f"2026-01-12T{hour}:00:00+00:00"


class TestList:
    def test_shows_what_was_sent(self, paging):
        paging.run("advance", "--now", at(10))
        page, _ = paging.json("alerts", "list")["notifications"]
        assert (page["severity"], page["state"], page["channel"], page["attempts"]) == ("page", "sent", "ops", 0)
        assert page["sent_at"] == "2026-01-12T10:00:00+00:00"
        assert "page for 'ops': sent" in paging.run("alerts", "list").stdout
        assert paging.json("alerts", "list", "--undelivered") == {"notifications": []}
        assert "No notification waits." in paging.run("alerts", "list", "--undelivered").stdout

    def test_shows_why_one_waits_and_until_when(self, paging, receiver):
        receiver.status = 503
        paging.run("advance", "--now", at(10), code=2)
        page, _ = paging.json("alerts", "list", "--undelivered")["notifications"]
        assert (page["state"], page["attempts"], page["next_at"]) == ("pending", 1, "2026-01-12T10:01:00+00:00")
        out = paging.run("alerts", "list").stdout
        assert "page for 'ops': waiting, 1 failed attempt, next try 2026-01-12 10:01" in out
        assert "HTTP 503" in out
        assert "s3cr3t" not in out

    def test_of_an_empty_store_is_empty(self, fresh):
        assert fresh.json("alerts", "list") == {"incidents": [], "silences": [], "notifications": []}
        assert "Nothing was ever to be told." in fresh.run("alerts", "list").stdout


def test_a_channel_without_its_secret_keeps_no_other_from_sending(judged):
    judged.configure(more='[[alerts]]\nkind = "console"\n' + HOOK)
    for hour in (10, 11):
        done = judged.run("advance", "--now", at(hour), code=2)
        assert "the channel 'ops' cannot be used: the environment variable HOOK is not set" in done.stderr
    rows = judged.json("alerts", "list")["notifications"]
    assert {row["channel"]: row["state"] for row in rows} == {"console": "sent", "ops": "pending"}
    waiting = judged.run("alerts", "list", "--undelivered").stdout
    assert "not tried, as the channel cannot be used: the environment variable HOOK" in " ".join(waiting.split())


class TestResend:
    def test_makes_all_due_that_failed(self, paging, receiver):
        receiver.status = 503
        paging.run("advance", "--now", at(10), code=2)
        receiver.status = 202
        paging.run("advance", "--now", at(10))
        assert receiver.requests == []
        assert "2 notifications will be sent at the next advance" in paging.run("alerts", "resend", "--failed").stdout
        paging.run("advance")
        assert len(receiver.requests) == 2
        assert paging.json("alerts", "resend", "--failed") == {"notifications": []}

    def test_sends_one_again_under_its_key(self, paging, receiver):
        paging.run("advance", "--now", at(10))
        page, _ = paging.json("alerts", "list")["notifications"]
        assert paging.json("alerts", "resend", str(page["id"])) == {"notifications": [page["id"]]}
        paging.run("advance")
        assert len(receiver.requests) == 2  # the receiver noticed it by its key
        assert [one["state"] for one in paging.json("alerts", "list")["notifications"]] == ["sent", "sent"]

    @pytest.mark.parametrize("arguments", [[], ["1", "--failed"]])
    def test_wants_a_number_or_failed(self, judged, arguments):
        assert "either a number or --failed" in judged.run("alerts", "resend", *arguments, code=2).stderr

    def test_of_what_is_not_there_says_so(self, judged):
        assert "there is no notification 999" in judged.run("alerts", "resend", "999", code=2).stderr


class TestTest:
    def test_sends_a_warning_and_its_end_each_time(self, paging, receiver):
        for _ in range(2):
            assert "took a warning and its end" in paging.run("alerts", "test", "ops").stdout
        assert [body["event"] for _, body in receiver.requests] == ["trigger", "resolve"] * 2
        assert "TEST" in receiver.requests[0][1]["subject"]
        assert paging.json("alerts", "list")["notifications"] == []

    def test_says_what_is_wrong(self, paging, receiver):
        receiver.status = 401
        assert "HTTP 401" in paging.run("alerts", "test", "ops", code=2).stderr

    def test_of_an_unknown_channel_names_those_that_there_are(self, paging):
        assert (
            "there is no channel 'opps'; expected ops; did you mean 'ops'?"
            in paging.run("alerts", "test", "opps", code=2).stderr
        )


class TestHeartbeat:
    CONFIG = '\n[heartbeat]\nurl = "${env:BEAT}"\ntimeout = "1s"\n'

    def test_is_asked_after_a_good_advance_only(self, fresh, watcher):
        fresh.configure(more=self.CONFIG)
        fresh.environment["BEAT"] = watcher.url
        fresh.run("open", "--now", at(10))
        fresh.run("advance", "--now", at(10))
        assert watcher.asked == ["GET /beat/s3cr3t"]
        fresh.run("open", "--now", "2026-01-20T06:00:00+00:00")
        (fresh.folder / "predictions" / "week.parquet").unlink()
        fresh.run("advance", "--now", "2026-01-20T06:00:00+00:00", code=2)
        assert len(watcher.asked) == 1

    def test_that_fails_is_a_trouble_and_the_advance_is_good(self, fresh, watcher):
        fresh.configure(more=self.CONFIG)
        fresh.environment["BEAT"] = watcher.url
        watcher.status = 500
        done = fresh.run("advance", "--now", at(10), code=2)
        assert "heartbeat: the heartbeat did not take what was sent" in done.stderr
        assert "s3cr3t" not in done.stderr + done.stdout
        last = fresh.json("status")["last_advance"]
        assert last["finished_at"] == last["good_at"]
        assert len(last["troubles"]) == 1

    def test_is_looked_at_by_check_and_not_asked(self, fresh, watcher):
        fresh.configure(more=self.CONFIG)
        assert "heartbeat.url" in fresh.run("check", "--now", NOW, code=1).stdout
        fresh.environment["BEAT"] = "ftp://s3cr3t/"
        assert "the url of the heartbeat is not a web address" in fresh.run("check", "--now", NOW, code=1).stdout
        fresh.environment["BEAT"] = watcher.url
        assert "is asked after every good advance" in fresh.run("check", "--now", NOW).stdout
        assert watcher.asked == []


class TestAnUnsetSecret:
    def test_is_the_trouble_of_its_channel_and_the_others_send(self, fresh):
        hook = '\n[[alerts]]\nkind = "webhook"\nname = "ops"\nurl = "${env:OPS_HOOK}"\n'
        fresh.configure(more='\n[[alerts]]\nkind = "console"\n' + hook)
        with build(fresh.config).ports.store.begin() as tx:
            for channel in ("console", "ops"):
                tx.outbox.add(notice(f"n-{channel}", channel=channel))
            tx.commit()
        done = fresh.run("advance", code=2)
        assert "notify: the channel 'ops' cannot be used: the environment variable OPS_HOOK is not set" in done.stderr
        assert "sent: 1 notification" in done.stdout
        status = fresh.json("status")
        assert "the channel 'ops' cannot be used" in status["last_advance"]["troubles"][0]
        (waiting,) = status["undelivered"]
        assert waiting["last_error"].startswith("not tried, as the channel cannot be used: the environment variable")
        fresh.environment = {"OPS_HOOK": "http://127.0.0.1:9/none"}
        assert "cannot be used" not in fresh.run("advance", code=2).stderr
