"""Reminders, acknowledgements and silences where processes die, channels are away and stores are lost."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.store import open_store
from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.send_notifications import _Sending, send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.remind import remind
from tests.support.deliveries import breach, breach_again, connect, hush, open_incidents, outbox, states
from tests.support.fakes import FakeChannel, spec, unreachable
from tests.support.scenario import Scenario, relabel, severities


class Killed(BaseException):
    """The process is gone: nothing after it runs, and nothing catches it."""


@pytest.fixture
def scenario(store_url):
    made = Scenario.around(open_store(store_url), spec(budget=400))
    made.ports = replace(made.ports, configured={made.panel.name: made.panel})
    yield made
    made.ports.store.dispose()


def judged_again(scenario):
    """A week later the breach is judged to be there still, and its reminder is not written yet."""
    breach(scenario)
    channels = scenario.ports.channels
    connect(scenario)
    breach_again(scenario, 1)
    connect(scenario, *channels.values())


def test_a_kill_between_the_writing_and_the_sending_of_a_reminder_loses_and_doubles_nothing(scenario, monkeypatch):
    judged_again(scenario)

    def killed(_self):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(_Sending, "send_due", killed)
        remind(scenario.ports)
        with pytest.raises(Killed):
            send_notifications(scenario.ports)
    assert states(scenario) == [("channel", "page", "sent"), ("channel", "update", "pending")]
    for _ in range(3):
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
    assert severities(scenario) == ["page", "update"]
    assert len(scenario.channel.sends) == 2


def test_a_kill_between_a_send_and_its_receipt_tells_nobody_twice(scenario):
    judged_again(scenario)

    class Dying(FakeChannel):
        dies = True

        def send(self, notification):
            receipt = super().send(notification)
            if self.dies:
                raise Killed
            return receipt

    dying = Dying(received=scenario.channel.received)
    connect(scenario, dying)
    remind(scenario.ports)
    with pytest.raises(Killed):
        send_notifications(scenario.ports)
    dying.dies = False
    scenario.clock.advance(hours=1)
    advance(scenario.ports)
    assert [one.severity for one in dying.received] == ["page", "update"]
    assert {one.state for one in outbox(scenario)} == {"sent"}


def test_a_silence_that_ends_while_the_channel_is_away_is_told_of_once_it_is_back(scenario):
    hush(scenario)
    breach(scenario)
    scenario.channel.troubles = [unreachable() for _ in range(99)]
    scenario.clock.advance(days=2)
    for _ in range(5):
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
    assert severities(scenario) == []
    scenario.channel.troubles.clear()
    for _ in range(3):
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
    assert severities(scenario) == ["page"]


def test_a_month_of_one_breach(scenario):
    """Page, reminder, a silence over two windows and its end, an acknowledgement, and the end."""
    breach(scenario)
    breach_again(scenario, 1)
    hush(scenario, days=15)
    breach_again(scenario, 2, 3)
    scenario.clock.advance(days=3)
    advance(scenario.ports)
    (incident,) = open_incidents(scenario)
    acknowledge_incident(scenario.ports, incident.id)
    breach_again(scenario, 4)
    relabel(scenario, "yes")
    assert [one.subject.partition(":")[0] for one in scenario.channel.received] == [
        "lr (spam)",
        "STILL BROKEN, week 2",
        "STILL BROKEN, week 4",
        "ACKNOWLEDGED by unknown",
        "RESOLVED",
    ]
    assert len({one.dedup_key for one in scenario.channel.received}) == 1


class TestAStoreThatIsPutBack:
    @pytest.fixture
    def scenario(self, backups):
        return Scenario.around(backups.open(), spec(budget=400))

    def test_from_before_an_acknowledgement_reminds_again_and_takes_it_again(self, scenario, backups):
        breach(scenario)
        backups.keep()
        (incident,) = open_incidents(scenario)
        acknowledge_incident(scenario.ports, incident.id, "rolling back")
        send_notifications(scenario.ports)
        scenario.ports = replace(scenario.ports, store=backups.lose_and_restore())
        breach_again(scenario, 1)
        assert [one.facts.get("update") for one in scenario.channel.received] == [None, "acknowledged", "reminder"]
        acknowledge_incident(scenario.ports, incident.id, "rolling back")
        advance(scenario.ports)
        assert len(scenario.channel.received) == 3  # the channel knows the acknowledgement by its key
        breach_again(scenario, 2)
        assert len(scenario.channel.received) == 3

    def test_from_before_a_reminder_does_not_repeat_it(self, scenario, backups):
        breach(scenario)
        backups.keep()
        breach_again(scenario, 1)
        scenario.ports = replace(scenario.ports, store=backups.lose_and_restore())
        scenario.clock.moment -= timedelta(hours=3)
        breach_again(scenario, 1)
        assert severities(scenario) == ["page", "update"]
