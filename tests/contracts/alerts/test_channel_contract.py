"""What the engine relies on, whatever the channel is."""

from datetime import timedelta
from html import unescape

import pytest
from pydantic import ValidationError

from stratawatch.adapters.alerts import REGISTRY, ChannelSettings
from tests.contracts.alerts.conftest import BACKENDS
from tests.support.notices import notice


def test_every_registered_channel_is_under_contract():
    assert set(BACKENDS) == set(REGISTRY)


@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_a_send_has_a_time_limit_unless_said_otherwise_and_no_channel_is_a_fallback(kind):
    fields = ChannelSettings.of_kind(kind).model_fields
    assert fields["timeout"].default == timedelta(seconds=20)
    assert fields["fallback"].default is False


def test_a_channel_has_a_name(backend):
    assert backend.channel().name


@pytest.mark.parametrize("severity", ["page", "warning", "update", "resolved"])
def test_a_notification_arrives_with_its_words_and_its_dedup_key(backend, severity):
    receipt = backend.channel().send(notice(severity=severity))
    assert not receipt.duplicate
    assert receipt.reference
    (notification,) = backend.received()
    assert "BREACH: precision of lr (spam)" in notification
    assert "proven below the floor" in notification
    assert "stratawatch:spam:lr:precision:all:breach:6" in notification


@pytest.mark.parametrize("severity", ["page", "warning", "update", "resolved"])
def test_who_looks_after_it_and_where_to_read_on_arrive_whole(backend, severity):
    """Below a text that is cut, and in markup in which signs of an address mean something."""
    links = {
        "owner": "spam team <on call>",
        "runbook": "https://wiki.example.org/spam_filter/" + "a_long*page~name/" * 5 + "?a=1&b=2#end",
        "report_url": "https://reports.example.org/watch/spam/latest.html",
        "dashboard_url": "https://watch.example.org/dashboard/panels/spam",
    }
    backend.channel().send(notice(severity=severity, body="word " * 6000, facts={"panel": "spam", **links}))
    (notification,) = backend.received()
    notification = unescape(notification)
    assert links["runbook"] in notification
    assert links["report_url"] in notification
    assert links["dashboard_url"] in notification
    assert "spam team" in notification
    assert "on call" in notification


def test_sending_again_tells_nobody_twice_and_says_so(backend):
    channel = backend.channel()
    channel.send(notice())
    assert channel.send(notice()).duplicate
    assert len(backend.received()) == 1


def test_a_restarted_process_tells_nobody_twice(backend):
    """A process may die after it sent and before the outbox knows; the next one has a channel of its own."""
    backend.channel().send(notice())
    assert backend.channel().send(notice()).duplicate
    assert not backend.channel().send(notice("n2")).duplicate
    assert len(backend.received()) == 2


def test_two_notifications_of_one_incident_both_arrive(backend):
    channel = backend.channel()
    channel.send(notice("n1"))
    channel.send(notice("n2", severity="resolved"))
    assert len(backend.received()) == 2


def test_odd_texts_arrive(backend):
    channel = backend.channel()
    channel.send(notice(subject="quote ' \" newline \n emoji \U0001f642 " + "x" * 10_000))
    assert len(backend.received()) == 1


@pytest.mark.parametrize("severity", ["page", "warning", "resolved"])
def test_texts_of_3000_characters_are_taken(backend, severity):
    """Cut, where the receiver has no room for them: a refusal could be for good."""
    long = "word " * 600
    facts = dict.fromkeys(("panel", "classifier", "metric", "segment"), long)
    receipt = backend.channel().send(notice(severity=severity, subject=long, body=long, dedup_key=long, facts=facts))
    assert not receipt.duplicate
    (notification,) = backend.received()
    assert "word word" in notification


@pytest.mark.parametrize(
    "key", ["Zürich \U0001f642", "two\r\nX-Evil: lines", "nul \0", "\t tabs and blanks \t", "", "x" * 200_000]
)
def test_a_notification_arrives_once_whatever_its_key_holds(backend, key):
    channel = backend.channel()
    assert not channel.send(notice(key)).duplicate
    assert channel.send(notice(key)).duplicate
    assert not channel.send(notice(key + "'")).duplicate
    assert len(backend.received()) == 2


@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_no_report_goes_there_unless_said_and_none_where_it_would_wake_somebody(kind):
    settings = ChannelSettings.of_kind(kind)
    assert settings.model_fields["reports"].default is False
    assert settings.wakes_people == (kind in ("alertmanager", "pagerduty"))


@pytest.mark.parametrize(
    "table",
    [
        {"kind": "pagerduty", "routing_key": "${env:KEY}"},
        {"kind": "alertmanager", "url": "https://alerts.example.org"},
    ],
    ids=lambda table: table["kind"],
)
def test_reports_are_refused_with_a_sentence_where_they_would_wake_somebody(table):
    with pytest.raises(ValidationError, match="`reports` is for channels that people read; this one calls somebody"):
        ChannelSettings.model_validate({**table, "reports": True})
