"""Incidents at a real Alertmanager, which forgets them when it is started anew: each advance brings them back."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts.alertmanager import AlertmanagerChannel
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.alarm_records import StandingAlert
from stratawatch.errors import NoConnection, StratawatchError
from tests.live.alertmanager.conftest import beginning, end
from tests.support.deliveries import breach, connect, states
from tests.support.notices import notice
from tests.support.scenario import relabel


@pytest.fixture
def open_incident(breaching, alertmanager):
    """An incident that Alertmanager was told of, and the hash of its key."""
    connect(breaching, alertmanager.channel(), breaching.channel)
    breach(breaching)
    (key,) = alertmanager.active()
    return breaching, key


def opened_at(scenario) -> datetime:
    with scenario.ports.store.begin() as tx:
        (incident,) = tx.alarms.incidents()
    return incident.opened_at


class TestAnIncident:
    def test_comes_back_with_its_beginning_after_a_restart_without_data_and_ends(self, open_incident, alertmanager):
        scenario, key = open_incident
        (alert,) = alertmanager.active().values()
        assert beginning(alert) == opened_at(scenario)
        assert timedelta(minutes=14) < end(alert) - datetime.now(UTC) <= timedelta(minutes=15)
        alertmanager.wait_for(lambda: ("firing", key) in alertmanager.pages)

        alertmanager.kill(empty=True)
        scenario.clock.advance(minutes=5)
        (trouble,) = advance(scenario.ports).troubles
        assert trouble.startswith("notify: the channel 'alertmanager' cannot show 1 open incident")
        alertmanager.start()
        assert alertmanager.active() == {}

        scenario.clock.advance(minutes=5)
        assert advance(scenario.ports).troubles == ()
        assert {name: beginning(alert) for name, alert in alertmanager.active().items()} == {key: opened_at(scenario)}
        alertmanager.wait_for(lambda: alertmanager.pages.count(("firing", key)) == 2)

        relabel(scenario, "yes")
        assert alertmanager.active() == {}
        alertmanager.wait_for(lambda: ("resolved", key) in alertmanager.pages)
        assert states(scenario)[-1][1:] == ("resolved", "sent")

    def test_that_ends_while_it_is_away_is_ended_when_it_is_back(self, open_incident, alertmanager):
        scenario, key = open_incident
        alertmanager.wait_for(lambda: ("firing", key) in alertmanager.pages)
        alertmanager.process.send_signal(19)  # it hangs, and keeps what it has
        with_timeout = alertmanager.channel(timeout=1.0)
        connect(scenario, with_timeout, scenario.channel)
        relabel(scenario, "yes")
        assert ("alertmanager", "resolved", "pending") in states(scenario)
        alertmanager.process.send_signal(18)
        scenario.clock.advance(hours=1)
        send_notifications(scenario.ports)
        assert ("alertmanager", "resolved", "sent") in states(scenario)
        assert alertmanager.active() == {}
        alertmanager.wait_for(lambda: ("resolved", key) in alertmanager.pages)

    def test_that_is_asserted_no_more_ends_by_itself_and_comes_back(self, alertmanager):
        alert = StandingAlert(notice(), datetime(2026, 2, 23, 3, tzinfo=UTC))
        channel = alertmanager.channel()
        channel.assert_open([alert], timedelta(seconds=2))
        assert len(alertmanager.active()) == 1
        alertmanager.wait_for(lambda: alertmanager.active() == {})
        channel.assert_open([alert], timedelta(minutes=1))
        (again,) = alertmanager.active().values()
        assert beginning(again) == alert.since

    def test_is_asserted_ten_times_and_pages_once(self, open_incident, alertmanager):
        scenario, key = open_incident
        for _ in range(10):
            scenario.clock.advance(minutes=5)
            assert advance(scenario.ports).troubles == ()
        alertmanager.wait_for(lambda: ("firing", key) in alertmanager.pages)
        assert alertmanager.pages == [("firing", key)]

    def test_is_one_alert_as_a_warning_and_as_a_page(self, alertmanager):
        channel = alertmanager.channel()
        channel.send(notice("a", severity="warning"))
        channel.send(notice("b", severity="page"))
        assert len(alertmanager.active()) == 1
        channel.send(notice("c", severity="resolved"))
        assert alertmanager.active() == {}


class TestWhatItTakes:
    def test_texts_of_3000_characters_and_names_of_all_kinds(self, alertmanager):
        long = 'Zürich \N{SLIGHTLY SMILING FACE} " \\ {{ .Alerts }} \n' * 100
        facts = dict.fromkeys(("panel", "classifier", "metric", "segment"), long)
        alertmanager.channel().send(notice(subject=long, body=long, dedup_key=long, facts=facts))
        (alert,) = alertmanager.active().values()
        assert alert["labels"]["segment"].startswith("Zürich \N{SLIGHTLY SMILING FACE}")

    def test_three_hundred_at_once(self, alertmanager):
        many = [StandingAlert(notice(dedup_key=f"k{number}"), notice().created_at) for number in range(300)]
        alertmanager.channel().assert_open(many, timedelta(minutes=15))
        assert len(alertmanager.active()) == 300

    def test_nobody_without_the_password(self, alertmanager):
        stranger = AlertmanagerChannel(alertmanager.url, {"Authorization": SecretStr("Basic c3RyYW5nZXI6aHVudGVyMw==")})
        with pytest.raises(StratawatchError, match="HTTP 401"):
            stranger.send(notice())


def test_it_says_how_it_is_to_who_is_let_in(alertmanager):
    assert alertmanager.channel().ask().startswith("Alertmanager 0.")
    with pytest.raises(StratawatchError, match="HTTP 401"):
        AlertmanagerChannel(alertmanager.url).ask()
    alertmanager.kill()
    with pytest.raises(NoConnection):
        alertmanager.channel().ask()
    alertmanager.start()
