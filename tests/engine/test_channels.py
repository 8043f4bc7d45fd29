"""Channels that come, go, hang or answer late: no page is lost by them, and none is held up for the others."""

import threading
from dataclasses import replace
from time import monotonic, sleep

import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts.webhook import WebhookChannel
from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.engine.alarms.alert_actions import try_channel
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.ports import ChannelRule
from stratawatch.errors import NoAnswer, NoConnection, Unreachable
from tests.support.deliveries import breach, connect, outbox, states
from tests.support.dripping_server import dripping
from tests.support.fakes import FakeChannel, unreachable, unusable
from tests.support.scenario import label_cycle, open_all, relabel, severities
from tests.support.store.examples import notification


class TestANewChannel:
    def test_is_told_what_no_channel_has_taken(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(9)]
        breach(breaching)
        other = FakeChannel("other")
        connect(breaching, breaching.channel, other)
        advance(breaching.ports)
        advance(breaching.ports)
        assert [notification.subject for notification in other.received] == ["lr (spam): 87% of its flags are wrong"]

    def test_is_not_told_what_another_one_has_taken(self, breaching):
        breach(breaching)
        other = FakeChannel("other")
        connect(breaching, breaching.channel, other)
        advance(breaching.ports)
        relabel(breaching, "yes")
        assert other.received == []
        assert severities(breaching) == ["page", "resolved"]

    def test_is_told_what_a_channel_of_before_could_not_take(self, breaching):
        """A channel that was renamed to mend it."""
        pager = FakeChannel("pager", troubles=[unreachable() for _ in range(9)])
        connect(breaching, breaching.channel, pager)
        breach(breaching)
        pager.name = "pager2"
        pager.troubles.clear()
        connect(breaching, breaching.channel, pager)
        advance(breaching.ports)
        assert len(pager.received) == 1
        assert states(breaching) == [
            ("channel", "page", "sent"),
            ("pager", "page", "superseded"),
            ("pager2", "page", "sent"),
        ]
        pager.name = "pager"
        connect(breaching, breaching.channel, pager)
        advance(breaching.ports)
        assert len(pager.received) == 1

    def test_that_has_its_old_name_again_is_told(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(9)]
        breach(breaching)
        renamed = FakeChannel("renamed", troubles=[unreachable() for _ in range(9)])
        connect(breaching, renamed)
        advance(breaching.ports)
        breaching.channel.troubles.clear()
        connect(breaching, breaching.channel)
        advance(breaching.ports)
        assert severities(breaching) == ["page"]

    @pytest.mark.parametrize("kind", ["BREACH", "BLIND"])
    def test_is_told_of_an_incident_of_a_time_without_any(self, breaching, kind):
        channel = breaching.channel
        connect(breaching)
        if kind == "BREACH":
            breaching.produce(0, quality=0.2)
            label_cycle(breaching)
        else:
            open_all(breaching)
            breaching.source.troubles = [unusable()]
            advance(breaching.ports)
        assert outbox(breaching) == ()
        connect(breaching, channel)
        advance(breaching.ports)
        advance(breaching.ports)
        (notification,) = channel.received
        subject = {"BREACH": "lr (spam): ", "BLIND": "BLIND: spam cannot tell"}[kind]
        assert notification.subject.startswith(subject)
        words = "Sure: proven by this week alone" if kind == "BREACH" else "column 'score_lr' is missing"
        assert words in notification.body

    def test_that_is_gone_is_no_reason_to_give_a_page_up(self, breaching):
        breaching.channel.troubles = [unreachable()]
        breach(breaching)
        channel = breaching.channel
        connect(breaching)
        for _ in range(48):
            breaching.clock.advance(hours=1)
            send_notifications(breaching.ports)
        assert "'channel' is not configured any more" in outbox(breaching)[0].last_error
        connect(breaching, channel)
        breaching.clock.advance(hours=1)
        send_notifications(breaching.ports)
        assert severities(breaching) == ["page"]


class HangingChannel(FakeChannel):
    """Does not answer before the test ends."""

    def __init__(self, name: str = "hanging") -> None:
        super().__init__(name)
        self.released, self.asked = threading.Event(), 0

    def send(self, notification):
        self.asked += 1
        self.released.wait(60)
        return super().send(notification)


class TestAReceiverThatDripsItsAnswer:
    def test_holds_no_advance_and_no_other_channel(self, breaching):
        """A real socket: each byte comes in time for the client, and the answer never."""
        with dripping() as url:
            ops = WebhookChannel(SecretStr(url), name="ops", timeout=60)
            connect(breaching, ops, breaching.channel, ops=ChannelRule(timeout=0.5))
            began = monotonic()
            breach(breaching)
            assert severities(breaching) == ["page"]
            (page, _) = outbox(breaching)
            assert (page.channel, page.state, page.attempts, page.unconfirmed) == ("ops", "pending", 1, True)
        assert monotonic() - began < 60

    def test_is_not_waited_for_by_the_heartbeat(self, breaching):
        with dripping() as url:
            address = SecretAddress("the heartbeat", SecretStr(url), timeout=0.5)
            breaching.ports = replace(breaching.ports, heartbeat=address.get)
            (trouble,) = advance(breaching.ports).troubles
        assert trouble.startswith("heartbeat: the heartbeat cannot be reached at http://127.0.0.1")
        with breaching.ports.store.begin() as tx:
            last = tx.last_runs.get("advance")
        assert last.good_at == last.finished_at
        assert last.troubles == (trouble,)


class TestAChannelThatDoesNotAnswer:
    @pytest.fixture
    def hanging(self, breaching):
        hanging = HangingChannel()
        connect(breaching, hanging, breaching.channel, hanging=ChannelRule(timeout=0.2))
        yield hanging
        hanging.released.set()

    def test_is_waited_for_once_in_an_advance(self, breaching, hanging):
        with breaching.ports.store.begin() as tx:
            for number in range(3):
                for name in ("hanging", "channel"):
                    tx.outbox.add(notification(f"{name}-{number}", channel=name))
            tx.commit()
        assert send_notifications(breaching.ports).number == 3
        assert hanging.asked == 1
        waiting = [one for one in outbox(breaching) if one.channel == "hanging"]
        assert [one.attempts for one in waiting] == [1, 0, 0]
        assert [one.unconfirmed for one in waiting] == [True, False, False]
        assert "'hanging' did not answer within 0.2 seconds" in waiting[0].last_error
        assert "not tried, as the channel did not answer" in waiting[2].last_error

    def test_that_cannot_be_connected_to_is_left_alone_too(self, breaching, hanging):
        refusing = FakeChannel("refusing", troubles=[NoConnection("refused") for _ in range(9)])
        connect(breaching, refusing)
        with breaching.ports.store.begin() as tx:
            for number in range(3):
                tx.outbox.add(notification(f"n{number}", channel="refusing"))
            tx.commit()
        send_notifications(breaching.ports)
        assert len(refusing.troubles) == 8

    def test_that_answers_late_again_and_again_is_left_for_the_next_advance(self, breaching, monkeypatch):
        moments = iter(range(0, 10_000, 10))
        monkeypatch.setattr("stratawatch.engine.alarms.send_notifications.monotonic", lambda: next(moments))
        with breaching.ports.store.begin() as tx:
            for number in range(20):
                tx.outbox.add(notification(f"n{number}", channel="channel"))
            tx.commit()
        assert 6 <= send_notifications(breaching.ports).number < 10
        assert {one.last_error for one in outbox(breaching)} == {""}
        assert send_notifications(breaching.ports).number > 0


def test_a_channel_that_cannot_be_built_keeps_no_other_from_being_told(breaching):
    class Broken(dict):
        def get(self, name, default=None):
            if name == "broken":
                raise Unreachable("its secret is gone")
            return super().get(name, default)

    breaching.ports = replace(
        breaching.ports, channels=Broken({"broken": None, breaching.channel.name: breaching.channel})
    )
    breach(breaching)
    assert severities(breaching) == ["page"]


def test_a_test_of_a_slow_channel_does_not_say_that_it_is_repeated(scenario):
    class Slow(FakeChannel):
        def send(self, notification):
            sleep(0.5)
            return super().send(notification)

    connect(scenario, Slow("slow"), slow=ChannelRule(timeout=0.01))
    with pytest.raises(NoAnswer, match="which is not repeated"):
        try_channel(scenario.ports, "slow")
