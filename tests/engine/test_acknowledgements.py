"""Somebody looks after an incident: kept with it and in the audit log, told once, and nobody is reminded any more."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.ports import ChannelRule
from stratawatch.errors import StratawatchError
from tests.support.deliveries import breach, breach_again, connect, open_incidents, outbox, states
from tests.support.fakes import FakeChannel, spec, unreachable, unusable
from tests.support.scenario import open_all, relabel, severities


@pytest.fixture
def paged(make_scenario):
    """A breach that the channel was told of."""
    scenario = make_scenario(spec(budget=400))
    breach(scenario)
    scenario.ports = replace(scenario.ports, by="ann")
    return scenario


def acknowledge(scenario, why="rolling back"):
    (incident, *_) = open_incidents(scenario)
    return acknowledge_incident(scenario.ports, incident.id, why).incidents


def blind_in_both(make_scenario):
    """A panel whose source is away, so that neither precision nor recall can be seen: two incidents under one key."""
    limits = (*spec().limits, replace(spec().limits[0], metric="recall"))
    scenario = make_scenario(spec(limits=limits))
    open_all(scenario)
    scenario.source.troubles = [unusable()]
    advance(scenario.ports)
    return scenario


class TestAnAcknowledgement:
    def test_is_kept_with_the_incident_and_in_the_audit_log(self, paged):
        (found,) = acknowledge(paged)
        assert (found.acknowledged_by, found.acknowledged_why) == ("ann", "rolling back")
        assert found.acknowledged_at == paged.clock.now()
        with paged.ports.store.begin() as tx:
            (entry,) = tx.audit.entries()
        assert (entry.by, entry.action, entry.why) == ("ann", "acknowledged", "rolling back")
        assert entry.subject == f"incident {found.id}"

    def test_is_told_once_as_an_update_under_the_same_key(self, paged):
        acknowledge(paged)
        send_notifications(paged.ports)
        acknowledge(paged, "again")
        advance(paged.ports)
        page, update = paged.channel.received
        assert (update.severity, update.dedup_key) == ("update", page.dedup_key)
        assert update.subject == "ACKNOWLEDGED by ann: BREACH, precision of lr (spam)"
        assert update.body.startswith("rolling back\n")
        assert (update.facts["update"], update.facts["classifier"]) == ("acknowledged", "lr")

    def test_stays_that_of_the_first(self, paged):
        acknowledge(paged)
        paged.ports = replace(paged.ports, by="bob")
        (found,) = acknowledge(paged, "me too")
        assert (found.acknowledged_by, found.acknowledged_why) == ("ann", "rolling back")
        with paged.ports.store.begin() as tx:
            assert len(tx.audit.entries()) == 1

    def test_ends_reminders_and_not_the_incident(self, paged):
        acknowledge(paged)
        breach_again(paged, 1, 2)
        assert severities(paged) == ["page", "update"]
        relabel(paged, "yes")
        assert severities(paged) == ["page", "update", "resolved"]

    def test_is_of_all_incidents_under_one_key(self, make_scenario):
        scenario = blind_in_both(make_scenario)
        assert {one.kind for one in open_incidents(scenario)} == {AlarmState.BLIND}
        found = acknowledge(scenario)
        assert [one.acknowledged_at is None for one in found] == [False, False]
        send_notifications(scenario.ports)
        assert severities(scenario) == ["warning", "update"]

    def test_of_an_incident_that_is_over_is_refused_with_its_end(self, paged):
        (incident,) = open_incidents(paged)
        relabel(paged, "yes")
        with pytest.raises(StratawatchError, match=r"incident \d+ is over; got its end at 2026-01-12 0\d:00"):
            acknowledge_incident(paged.ports, incident.id)
        assert states(paged) == [("channel", "page", "sent"), ("channel", "resolved", "sent")]

    def test_of_one_that_is_over_is_refused_though_another_under_its_key_is_open(self, make_scenario):
        scenario = blind_in_both(make_scenario)
        first, second = open_incidents(scenario)
        assert first.dedup_key == second.dedup_key
        with scenario.ports.store.begin() as tx:
            tx.alarms.resolve_incident(first.id, scenario.clock.now())
            tx.commit()
        with pytest.raises(StratawatchError, match="is over"):
            acknowledge_incident(scenario.ports, first.id)
        (still,) = open_incidents(scenario)
        assert (still.id, still.acknowledged_at) == (second.id, None)

    def test_of_an_unknown_incident_is_refused(self, paged):
        with pytest.raises(StratawatchError, match="there is no incident 77; `stratawatch alerts list` shows them"):
            acknowledge_incident(paged.ports, 77)


class TestChannels:
    def test_that_have_not_taken_the_page_get_it_first(self, breaching):
        breaching.channel.troubles = [unreachable()]
        breach(breaching)
        acknowledge(breaching)
        breaching.clock.advance(minutes=10)
        send_notifications(breaching.ports)
        assert severities(breaching) == ["page", "update"]

    def test_that_are_gone_are_not_written_to(self, paged):
        other = FakeChannel("other")
        connect(paged, other)
        acknowledge(paged)
        assert advance(paged.ports).troubles == ()
        assert other.received == []

    def test_that_are_fallbacks_are_not_paged_any_more(self, breaching):
        fallback = FakeChannel("fallback")
        breaching.channel.troubles = [unreachable() for _ in range(9)]
        connect(breaching, breaching.channel, fallback, fallback=ChannelRule(fallback=True))
        breach(breaching)
        acknowledge(breaching)
        for _ in range(4):
            breaching.clock.advance(hours=1)
            troubles = advance(breaching.ports).troubles
            assert not any("no channel has taken" in trouble for trouble in troubles)
        assert fallback.received == []

    def test_hear_of_it_after_a_send_that_is_under_way(self, breaching):
        """Somebody acknowledges while the page goes out to a second channel, as it was seen on the first."""

        class Slow(FakeChannel):
            def send(self, notification):
                if not self.received:
                    acknowledge(breaching)
                return super().send(notification)

        slow = Slow("slow")
        connect(breaching, breaching.channel, slow)
        breach(breaching)
        assert [one.severity for one in slow.received] == ["page", "update"]
        assert severities(breaching) == ["page", "update"]
        assert {one.state for one in outbox(breaching)} == {"sent"}
