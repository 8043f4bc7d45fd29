"""Channels whose receiver forgets what it is not told again: what is open is asserted at each advance, until it is over."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.ports import ChannelRule
from stratawatch.errors import NoAnswer, NoConnection, Unreachable
from tests.support.deliveries import breach, breach_again, connect, outbox, states
from tests.support.fakes import FakeChannel, FakeLevelChannel, unreachable
from tests.support.scenario import relabel


@pytest.fixture
def level(breaching):
    """A level-like channel beside the ordinary one."""
    level = FakeLevelChannel("level")
    connect(breaching, breaching.channel, level)
    return level


def shown(level) -> list[list[str]]:
    """The keys of what it was told is open, each time."""
    return [[alert.newest.dedup_key for alert in alerts] for alerts in level.asserted]


class TestAnOpenIncident:
    def test_is_asserted_at_each_advance_with_its_beginning(self, breaching, level):
        breach(breaching)
        first = len(level.asserted)
        for _ in range(3):
            breaching.clock.advance(minutes=5)
            assert advance(breaching.ports).troubles == ()
        assert len(level.asserted) == first + 3
        with breaching.ports.store.begin() as tx:
            (incident,) = tx.alarms.incidents(only_open=True)
        alerts = [alert for alerts in level.asserted for alert in alerts]
        assert {alert.since for alert in alerts} == {incident.opened_at}
        assert {alert.newest.subject for alert in alerts} == {"lr (spam): 87% of its flags are wrong"}
        assert [notification.severity for notification in level.received] == ["page"]

    def test_is_asserted_with_the_words_of_its_newest_reminder_and_not_of_who_acknowledged(self, breaching, level):
        breach(breaching)
        breach_again(breaching, 1, 2)
        page, *reminders = level.received
        assert [one.severity for one in reminders] == ["update", "update"]
        breaching.clock.advance(minutes=5)
        advance(breaching.ports)
        ((alert,),) = level.asserted[-1:]
        assert (alert.newest.subject, alert.newest.body) == (reminders[1].subject, reminders[1].body)
        assert alert.newest.body != page.body
        assert alert.newest.dedup_key == page.dedup_key
        acknowledge_incident(breaching.ports, 1, "mine")
        breaching.clock.advance(minutes=5)
        advance(breaching.ports)
        assert level.received[-1].facts["update"] == "acknowledged"
        assert level.asserted[-1][0].newest.body == reminders[1].body

    def test_stands_for_three_advances(self, breaching, level):
        breaching.ports = replace(breaching.ports, three_advances=lambda now: now - now + timedelta(hours=3))
        breach(breaching)
        assert set(level.spans) == {timedelta(hours=3)}

    def test_is_asserted_no_more_once_it_is_over(self, breaching, level):
        breach(breaching)
        relabel(breaching, "yes")
        asserted = len(level.asserted)
        breaching.clock.advance(minutes=5)
        advance(breaching.ports)
        assert len(level.asserted) == asserted
        assert [notification.severity for notification in level.received] == ["page", "resolved"]

    def test_that_is_paused_is_not_asserted_and_is_when_it_goes_on(self, breaching, level):
        breach(breaching)
        asserted = len(level.asserted)
        for paused in (Pauses(panels=frozenset({"spam"})), Pauses(classifiers=frozenset({("spam", "lr")}))):
            breaching.ports = replace(breaching.ports, paused=paused)
            send_notifications(breaching.ports)
        assert len(level.asserted) == asserted
        breaching.ports = replace(breaching.ports, paused=Pauses())
        send_notifications(breaching.ports)
        assert len(level.asserted) == asserted + 1

    def test_goes_to_a_new_level_channel_though_another_channel_has_taken_it(self, breaching):
        breach(breaching)
        level = FakeLevelChannel("level")
        connect(breaching, breaching.channel, level)
        send_notifications(breaching.ports)
        send_notifications(breaching.ports)
        assert len(level.asserted) == 2
        relabel(breaching, "yes")
        assert [notification.severity for notification in level.received] == ["page", "resolved"]

    def test_goes_to_a_level_channel_that_has_its_old_name_again(self, breaching, level):
        level.troubles = [unreachable() for _ in range(9)]
        level.assert_troubles = [unreachable() for _ in range(9)]
        breach(breaching)
        other = FakeChannel("other")
        connect(breaching, breaching.channel, other)
        send_notifications(breaching.ports)
        assert ("level", "page", "superseded") in states(breaching)
        level.troubles, level.assert_troubles = [], []
        connect(breaching, breaching.channel, level)
        send_notifications(breaching.ports)
        assert [notification.severity for notification in level.received] == ["page"]
        assert len(level.asserted) == 1

    def test_is_shown_by_a_fallback_that_was_paged_and_by_no_other(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(3)]
        level = FakeLevelChannel("level")
        connect(breaching, breaching.channel, level, level=ChannelRule(fallback=True))
        breach(breaching)
        assert level.asserted == []
        breaching.clock.advance(hours=1)
        send_notifications(breaching.ports)
        assert [notification.severity for notification in level.received] == ["page"]
        assert len(level.asserted) == 1


class TestALevelChannelThatIsAway:
    def test_shows_what_is_open_at_the_first_advance_after_it(self, breaching, level):
        """No pause between attempts holds it up, as one does for a page."""
        level.troubles = [NoConnection("refused") for _ in range(4)]
        breach(breaching)
        for _ in range(3):
            breaching.clock.advance(hours=1)
            send_notifications(breaching.ports)
        assert (level.received, level.asserted) == ([], [])
        breaching.clock.advance(minutes=1)
        assert send_notifications(breaching.ports).troubles == ()
        assert len(level.asserted) == 1
        breaching.clock.advance(hours=2)  # the page itself is tried again when its time has come
        send_notifications(breaching.ports)
        assert ("level", "page", "sent") in states(breaching)

    def test_is_a_trouble_of_the_advance(self, breaching, level):
        breach(breaching)
        level.assert_troubles = [Unreachable("HTTP 503")]
        breaching.clock.advance(minutes=5)
        (trouble,) = advance(breaching.ports).troubles
        assert trouble == "notify: the channel 'level' cannot show 1 open incident: HTTP 503"

    def test_is_not_asked_again_when_a_send_had_no_answer(self, breaching, level):
        level.troubles = [NoAnswer("late")]
        breach(breaching)
        level.troubles = [NoAnswer("late")]
        asserted = len(level.asserted)
        breaching.clock.advance(hours=1)
        with breaching.ports.store.begin() as tx:
            for row in tx.outbox.all():
                tx.outbox.send_again(row.id, breaching.clock.now())
            tx.commit()
        send_notifications(breaching.ports)
        assert len(level.asserted) == asserted

    def test_does_not_keep_the_others_from_being_told(self, breaching, level):
        second = FakeLevelChannel("second")
        connect(breaching, level, second, breaching.channel)
        level.assert_troubles = [OSError("broken") for _ in range(9)]
        breach(breaching)
        assert len(second.asserted) >= 1
        assert len(breaching.channel.received) == 1

    def test_hears_of_the_end_until_it_takes_it(self, breaching, level):
        breach(breaching)
        level.troubles = [NoConnection("refused") for _ in range(5)]
        relabel(breaching, "yes")
        assert ("level", "resolved", "pending") in states(breaching)
        for _ in range(48):
            breaching.clock.advance(hours=1)
            send_notifications(breaching.ports)
        assert level.troubles == []
        assert [notification.severity for notification in level.received] == ["page", "resolved"]
        assert {one.state for one in outbox(breaching)} == {"sent"}

    def test_that_hangs_is_not_waited_for(self, breaching, level):
        from threading import Event

        released = Event()
        level.assert_open = lambda alerts, lasts: released.wait(60)
        breaching.ports = replace(breaching.ports, channel_rules={"level": ChannelRule(timeout=0.1)})
        breach(breaching)
        breaching.clock.advance(minutes=5)
        (trouble,) = advance(breaching.ports).troubles
        released.set()
        assert "'level' cannot show 1 open incident: the channel 'level' did not answer within 0.1 seconds" in trouble
