"""Pages that nobody takes: tried for as long as the incident is open, by other channels if need be, and then once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.store import open_store
from stratawatch.engine.alarms.alert_actions import resend_failed, resend_notification
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.ports import ChannelRule
from stratawatch.errors import NoAnswer, NoConnection, StratawatchError
from tests.support.deliveries import breach, connect, forget, meet_all_troubles, outbox, states
from tests.support.fakes import FakeChannel, spec, unreachable, unusable
from tests.support.scenario import Scenario, open_all, relabel, severities, work_on
from tests.support.store.examples import notification


class TestAPage:
    def test_is_sent_once_after_thirty_failures_and_so_is_the_next(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(30)]
        breach(breaching)
        meet_all_troubles(breaching, breaching.channel, minutes=30)
        assert breaching.channel.received == []
        for _ in range(5):
            breaching.clock.advance(hours=1)
            assert advance(breaching.ports).troubles == ()
        assert severities(breaching) == ["page"]
        relabel(breaching, "yes")
        relabel(breaching, "no")
        assert severities(breaching) == ["page", "resolved", "page"]
        assert len(breaching.channel.sends) == 3

    def test_is_tried_at_least_once_an_hour(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(1000)]
        breach(breaching)
        tries = []
        for _ in range(3 * 24):
            before = len(breaching.channel.troubles)
            breaching.clock.advance(hours=1)
            send_notifications(breaching.ports)
            tries.append(before - len(breaching.channel.troubles))
        assert tries == [1] * 72
        assert states(breaching) == [("channel", "page", "pending")]

    def test_that_failed_goes_at_once_when_a_person_says_so(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(3)]
        breach(breaching)
        meet_all_troubles(breaching, breaching.channel, hours=1)
        assert send_notifications(breaching.ports).number == 0
        assert len(resend_failed(breaching.ports)) == 1
        assert send_notifications(breaching.ports).number == 1

    def test_that_failed_is_named_by_the_advance_that_failed(self, breaching):
        other = FakeChannel("other")
        connect(breaching, breaching.channel, other)
        breaching.channel.troubles = [unreachable()]
        breach(breaching)
        breaching.channel.troubles = [unreachable()]
        breaching.clock.advance(minutes=5)
        done = advance(breaching.ports)
        assert done.troubles == (
            f"notify: the channel 'channel' did not take 'lr (spam): 87% of its flags are wrong': {unreachable()}",
        )
        with breaching.ports.store.begin() as tx:
            last = tx.last_runs.get("advance")
        assert last.troubles == done.troubles
        breaching.clock.advance(minutes=5)
        assert advance(breaching.ports).troubles == ()

    def test_that_no_channel_took_is_a_trouble_of_every_advance(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(30)]
        breach(breaching)
        assert advance(breaching.ports).troubles == ()
        breaching.clock.advance(minutes=15)
        (failed, trouble) = advance(breaching.ports).troubles
        assert "the channel 'channel' did not take" in failed
        assert "no channel has taken 'lr (spam): 87% of its flags are wrong' since 2026-01-12" in trouble
        assert "the table did not answer" in trouble
        breaching.channel.troubles.clear()
        breaching.clock.advance(minutes=15)
        assert advance(breaching.ports).troubles == ()

    def test_that_was_given_up_by_an_earlier_version_is_due_again(self, breaching):
        breaching.channel.troubles = [unreachable()]
        breach(breaching)
        forget(breaching, state="failed", attempts=10, next_at=None)
        advance(breaching.ports)
        advance(breaching.ports)
        assert severities(breaching) == ["page"]

    def test_is_not_sent_again_to_a_channel_that_took_it_before_the_upgrade(self, breaching):
        other = FakeChannel("other", troubles=[unreachable()])
        connect(breaching, breaching.channel, other)
        breach(breaching)
        forget(breaching, next_at=None)
        with breaching.ports.store.begin() as tx:
            tx.outbox.put_back(next(one.id for one in tx.outbox.all() if one.channel == "other"), "down", None)
            tx.commit()
        advance(breaching.ports)
        assert (len(breaching.channel.sends), len(other.sends)) == (1, 1)

    @pytest.mark.parametrize("closed", [False, True])
    def test_does_not_go_to_a_new_channel_while_its_panel_or_classifier_is_paused(self, breaching, closed):
        breaching.channel.troubles = [unreachable() for _ in range(9)]
        breach(breaching)
        if closed:
            forget(breaching, state="superseded")
        new = FakeChannel("new")
        connect(breaching, new)
        for paused in (Pauses(panels=frozenset({"spam"})), Pauses(classifiers=frozenset({("spam", "lr")}))):
            breaching.ports = replace(breaching.ports, paused=paused)
            send_notifications(breaching.ports)
            assert [one for one in outbox(breaching) if one.channel == "new"] == []
        breaching.ports = replace(breaching.ports, paused=Pauses())
        send_notifications(breaching.ports)
        assert [(one.channel, one.severity) for one in new.received] == [("new", "page")]


class TestMany:
    def test_are_all_sent_by_one_advance(self, breaching):
        """At the next one, those that were left over would be a trouble: nobody has taken them for a while."""
        with breaching.ports.store.begin() as tx:
            for number in range(250):
                tx.outbox.add(notification(f"{number}", channel="channel"))
            tx.commit()
        assert send_notifications(breaching.ports).number == 250
        assert len(set(breaching.channel.sends)) == len(breaching.channel.sends) == 250

    def test_wait_for_the_next_advance_once_the_time_is_over(self, breaching, monkeypatch):
        with breaching.ports.store.begin() as tx:
            tx.outbox.add(notification(channel="channel"))
            tx.commit()
        monkeypatch.setattr("stratawatch.engine.alarms.send_notifications.LONGEST_STEP", -1.0)
        assert advance(breaching.ports).sent == 0
        monkeypatch.undo()
        assert advance(breaching.ports).sent == 1


class TestOnBothDatabases:
    def test_a_page_is_sent_once_after_thirty_failures_and_so_is_the_next(self, store_url):
        scenario = Scenario.around(open_store(store_url), spec(budget=200))
        scenario.channel.troubles = [unreachable() for _ in range(30)]
        breach(scenario)
        meet_all_troubles(scenario, scenario.channel, hours=3)
        for _ in range(3):
            scenario.clock.advance(hours=1)
            assert advance(scenario.ports).troubles == ()
        relabel(scenario, "yes")
        relabel(scenario, "no")
        assert severities(scenario) == ["page", "resolved", "page"]
        assert len(scenario.channel.sends) == 3
        scenario.ports.store.dispose()

    def test_a_fallback_is_paged_once_and_told_of_the_end(self, store_url):
        scenario = Scenario.around(open_store(store_url), spec(budget=400))
        fallback = FakeChannel("fallback")
        scenario.channel.troubles = [unreachable() for _ in range(99)]
        connect(scenario, scenario.channel, fallback, fallback=ChannelRule(fallback=True))
        breach(scenario)
        for _ in range(4):
            scenario.clock.advance(hours=1)
            send_notifications(scenario.ports)
        relabel(scenario, "yes")
        assert [one.severity for one in fallback.received] == ["page", "resolved"]
        assert states(scenario)[0] == ("channel", "page", "superseded")
        scenario.ports.store.dispose()


class TestTheEndOfAnIncident:
    def test_closes_a_page_that_was_held_up_and_is_not_told_alone(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(3)]
        breach(breaching)
        breaching.clock.advance(hours=1)
        relabel(breaching, "yes")
        assert states(breaching) == [("channel", "page", "superseded")]
        breaching.channel.troubles.clear()
        work_on(breaching, 3)
        assert severities(breaching) == []
        assert "it was over before the channel took it: the table did not answer" in outbox(breaching)[0].last_error

    def test_is_told_to_those_that_heard_of_the_beginning(self, breaching):
        other = FakeChannel("other", troubles=[unreachable() for _ in range(9)])
        connect(breaching, breaching.channel, other)
        breach(breaching)
        breaching.clock.advance(hours=1)
        relabel(breaching, "yes")
        assert severities(breaching) == ["page", "resolved"]
        other.troubles.clear()
        work_on(breaching, 3)
        assert other.received == []

    def test_is_told_to_those_that_may_have_heard(self, breaching):
        """A send without an answer may have arrived, and would leave an incident open at the receiver."""
        breaching.channel.troubles = [NoAnswer("the receiver hangs")]
        breach(breaching)
        breaching.clock.advance(hours=1)
        breaching.channel.troubles = [unreachable()]
        send_notifications(breaching.ports)
        relabel(breaching, "yes")
        assert states(breaching) == [("channel", "page", "superseded"), ("channel", "resolved", "sent")]

    def test_is_told_after_a_send_that_was_killed(self, breaching):
        breaching.channel.troubles = [unreachable()]
        breach(breaching)
        breaching.clock.advance(hours=1)
        now = breaching.clock.now()
        with breaching.ports.store.begin() as tx:
            tx.outbox.claim("killed", now, now, 1)
            tx.commit()
        breaching.channel.troubles = [unreachable()]
        send_notifications(breaching.ports)
        relabel(breaching, "yes")
        assert states(breaching) == [("channel", "page", "superseded"), ("channel", "resolved", "sent")]

    def test_is_told_after_a_page_that_was_sent_again_in_vain(self, breaching):
        breach(breaching)
        resend_notification(breaching.ports, outbox(breaching)[0].id)
        breaching.channel.troubles = [unreachable()]
        send_notifications(breaching.ports)
        breaching.clock.advance(hours=1)
        relabel(breaching, "yes")
        assert severities(breaching) == ["page", "resolved"]

    def test_before_the_first_attempts_are_over_closes_page_and_end_once_they_are(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(9)]
        breach(breaching)
        relabel(breaching, "yes", seconds=10)
        assert states(breaching) == [("channel", "page", "pending"), ("channel", "resolved", "pending")]
        for _ in range(5):
            breaching.clock.advance(minutes=10)
            send_notifications(breaching.ports)
        assert states(breaching) == [("channel", "page", "superseded"), ("channel", "resolved", "superseded")]


class TestAWarningWithoutAnIncident:
    @pytest.fixture
    def scenario(self, make_scenario):
        """Its window is about to be refused."""
        scenario = make_scenario(spec(limits=()))
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        return scenario

    def test_is_tried_for_a_week(self, scenario):
        scenario.channel.troubles = [unreachable() for _ in range(1000)]
        for _ in range(24 * 6):
            send_notifications(scenario.ports) if scenario.source.troubles == [] else advance(scenario.ports)
            scenario.clock.advance(hours=1)
        assert states(scenario) == [("channel", "warning", "pending")]
        for _ in range(24 * 2):
            send_notifications(scenario.ports)
            scenario.clock.advance(hours=1)
        assert states(scenario) == [("channel", "warning", "failed")]

    def test_is_not_given_up_by_one_advance_whose_clock_stood_a_year_ahead(self, scenario):
        scenario.channel.troubles = [unreachable() for _ in range(4)]
        advance(scenario.ports)
        for _ in range(2):
            scenario.clock.advance(minutes=10)
            send_notifications(scenario.ports)
        scenario.clock.advance(days=400)
        send_notifications(scenario.ports)
        assert scenario.channel.troubles == []
        assert states(scenario) == [("channel", "warning", "pending")]
        scenario.clock.advance(days=-400, hours=1)
        send_notifications(scenario.ports)
        assert states(scenario) == [("channel", "warning", "sent")]


class WithoutSecrets(dict):
    """Channels of which only the fallback can be built."""

    def get(self, name, default=None):
        if name != "fallback":
            raise StratawatchError("its secret is not set")
        return super().get(name, default)


class TestAFallback:
    @pytest.fixture
    def fallback(self, breaching):
        fallback = FakeChannel("fallback")
        other = FakeChannel("other", troubles=[unreachable() for _ in range(99)])
        breaching.channel.troubles = [unreachable() for _ in range(99)]
        connect(breaching, breaching.channel, other, fallback, fallback=ChannelRule(fallback=True))
        return fallback

    def test_hears_nothing_ordinarily(self, breaching, fallback):
        breaching.channel.troubles.clear()
        breach(breaching)
        for _ in range(5):
            breaching.clock.advance(hours=1)
            advance(breaching.ports)
        relabel(breaching, "yes")
        assert fallback.received == []

    def test_is_paged_once_with_the_reasons_after_three_failures_everywhere(self, breaching, fallback):
        breach(breaching)
        for pause in (1, 2):
            assert fallback.received == []
            breaching.clock.advance(minutes=pause)
            send_notifications(breaching.ports)
        (notification,) = fallback.received
        assert notification.severity == "page"
        assert "- channel, 3 attempts: the table did not answer" in notification.body
        assert "- other, 3 attempts:" in notification.body
        for _ in range(5):
            breaching.clock.advance(hours=1)
            named = advance(breaching.ports).troubles  # those that fail on, and no page that nobody has
            assert all(one.startswith("notify: the channel") for one in named)
        assert len(fallback.sends) == 1
        relabel(breaching, "yes")
        assert [one.severity for one in fallback.received] == ["page", "resolved"]
        assert severities(breaching) == []

    def test_is_not_paged_while_one_channel_takes_it(self, breaching, fallback):
        breaching.channel.troubles.clear()
        breach(breaching)
        for _ in range(5):
            breaching.clock.advance(hours=1)
            send_notifications(breaching.ports)
        assert fallback.received == []

    def test_is_paged_when_the_others_were_not_even_tried_for_a_quarter_of_an_hour(self, breaching, fallback):
        for channel in breaching.ports.channels.values():
            channel.troubles = [NoConnection("down") for _ in range(99)]
        fallback.troubles.clear()
        breach(breaching)
        breaching.clock.advance(minutes=15)
        with breaching.ports.store.begin() as tx:
            for one in tx.outbox.all():
                tx.outbox.send_again(one.id, breaching.clock.now() + timedelta(hours=1))
            tx.commit()
        send_notifications(breaching.ports)
        assert len(fallback.received) == 1

    def test_is_paged_at_once_when_the_others_cannot_be_built(self, breaching, fallback):
        built = breaching.ports.channels
        breaching.ports = replace(breaching.ports, channels=WithoutSecrets(built))
        breach(breaching)
        (notification,) = fallback.received
        assert notification.severity == "page"
        assert (
            "- channel, 0 attempts: not tried, as the channel cannot be used: its secret is not set"
            in notification.body
        )
        breaching.ports = replace(breaching.ports, channels=built)
        relabel(breaching, "yes")
        assert [one.severity for one in fallback.received] == ["page", "resolved"]

    def test_that_fails_too_is_tried_on(self, breaching, fallback):
        fallback.troubles = [unreachable() for _ in range(30)]
        breach(breaching)
        meet_all_troubles(breaching, fallback, hours=1)
        assert advance(breaching.ports).troubles
        breaching.clock.advance(hours=1)
        send_notifications(breaching.ports)
        assert len(fallback.received) == 1
