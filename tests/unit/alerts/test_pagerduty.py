"""PagerDuty's events, on a server that refuses what its documentation refuses."""

import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts.pagerduty import PagerDutyChannel
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.alert_services import PagerDutyBackend
from tests.support.notices import notice


@pytest.fixture
def pagerduty(tmp_path):
    backend = PagerDutyBackend(tmp_path)
    yield backend
    backend.close()


def test_a_page_opens_an_incident_that_its_end_resolves(pagerduty):
    channel = pagerduty.channel()
    channel.send(notice("a"))
    assert len(pagerduty.open) == 1
    (event,) = pagerduty.events
    assert event["payload"]["severity"] == "critical"
    assert event["payload"]["timestamp"] == "2026-02-23T03:00:00+00:00"
    assert event["payload"]["group"] == "spam"
    assert "component" not in event["payload"]
    channel.send(notice("b", severity="resolved"))
    assert pagerduty.open == set()


def test_an_acknowledgement_is_one_there_and_a_reminder_a_trigger(pagerduty):
    channel = pagerduty.channel()
    channel.send(notice("a"))
    channel.send(notice("b", severity="update", facts={"update": "acknowledged"}))
    channel.send(notice("c", severity="update", facts={"update": "reminder"}))
    assert [event["event_action"] for event in pagerduty.events] == ["trigger", "acknowledge", "trigger"]
    assert len({event["dedup_key"] for event in pagerduty.events}) == 1


def test_an_update_of_a_warning_wakes_nobody(pagerduty):
    channel = pagerduty.channel()
    channel.send(notice("a", severity="warning"))
    channel.send(notice("b", severity="update", facts={"update": "members", "began": "warning"}))
    channel.send(notice("c", severity="update", facts={"update": "reminder", "began": "page"}))
    assert [event["payload"]["severity"] for event in pagerduty.events] == ["warning", "warning", "critical"]


def test_a_process_that_died_before_it_kept_what_it_sent_opens_no_second_incident(pagerduty, tmp_path):
    pagerduty.channel().send(notice())
    (tmp_path / ".stratawatch" / "sent-pagerduty").unlink()
    pagerduty.channel().send(notice())
    assert len(pagerduty.open) == 1


def test_long_texts_are_cut_before_they_are_refused_for_good(pagerduty):
    long = notice(subject="s" * 3000, body="b\n" * 100_000, dedup_key="k" * 3000, facts={"classifier": "c" * 3000})
    pagerduty.channel().send(long)
    (event,) = pagerduty.events
    assert event["payload"]["summary"].endswith(" ...")
    assert len(event["payload"]["component"]) == 200


def test_a_refusal_says_what_to_look_at_and_no_key(pagerduty):
    with pytest.raises(StratawatchError, match=r"HTTP 400.*routing_key has 32 characters.*Events API v2") as refused:
        pagerduty.channel(key="hunter2").send(notice())
    assert "hunter2" not in str(refused.value)
    assert not pagerduty.channel().send(notice()).duplicate


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_refusal_of_the_moment_is_tried_again(pagerduty, status):
    pagerduty.service.broken = status, "later"
    with pytest.raises(Unreachable, match=f"HTTP {status}"):
        pagerduty.channel().send(notice())
    pagerduty.service.broken = None
    assert not pagerduty.channel().send(notice()).duplicate


def test_another_host_is_reached_encrypted_only():
    with pytest.raises(ConfigError, match="unencrypted"):
        PagerDutyChannel(SecretStr("k"), "http://events.example.org/v2/enqueue")
