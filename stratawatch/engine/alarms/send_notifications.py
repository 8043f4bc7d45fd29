"""Sends notifications, each claimed for a short while, outside any transaction, for as long as they matter."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from stratawatch.engine.alarms.failures import describe
from stratawatch.engine.alarms.notifications import OVER
from stratawatch.engine.alarms.open_incidents import (
    page_fallbacks,
    prepare_openings,
    standing_alerts,
    untaken_openings,
)
from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.alarms.silent_streams import silent_keys
from stratawatch.engine.lease import NOTIFICATIONS
from stratawatch.engine.model.alarm_records import LONGEST_PAUSE, PATIENCE, Notification
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.ports import LevelChannel, Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import NoAnswer, NoConnection, StratawatchError
from stratawatch.formatting import count_text

CLAIM_LIFE: Final = timedelta(minutes=2)
LONGEST_LIFE: Final = timedelta(days=7)
"""How long notifications are tried that belong to no open incident."""
PATIENCE_WITH_CHANNEL: Final = 3
"""How many times the time of one send a channel may take up in one advance."""
LONGEST_STEP: Final = 300.0
"""Seconds after which the rest waits for the next advance: half the life of the lease, which is not renewed here.

It is the only bound on how many are sent, as what is left over by a number is old by the next advance.
"""


@dataclass(frozen=True)
class Sent:
    """How many notifications went out, and sentences on what was not taken: by a channel, and by all of them."""

    number: int = 0
    troubles: tuple[str, ...] = ()
    emptied: frozenset[str] = frozenset()
    """The channels on which nothing that was due was left over. What is due there now was written since."""


def send_notifications(ports: Ports) -> Sent:
    """Send what is due and not silent, each claimed just before it goes; assert what is open; say what nobody took."""
    levels, unusable = _levels_and_unusable(ports)
    prepare_openings(ports, levels)
    sending = _Sending(ports, unusable)
    sent = sending.send_due()
    sending.hold_back()
    if page_fallbacks(ports, sending.unusable):
        sent += sending.send_due()
    sending.hold_back()
    for name, channel in levels.items():
        sending.assert_open(name, channel)
    return Sent(sent, (*sending.troubles(), *untaken_openings(ports)), sending.emptied())


def _levels_and_unusable(ports: Ports) -> tuple[dict[str, LevelChannel], dict[str, str]]:
    """The level-like channels, and those that cannot be built, with the reason, which an advance always reports."""
    levels, unusable = {}, {}
    for name in ports.channels:
        try:
            channel = ports.channels.get(name)
        except Exception as trouble:  # noqa: BLE001 - one bad channel must not keep the others from being told
            unusable[name] = describe(trouble)
        else:
            if isinstance(channel, LevelChannel):
                levels[name] = channel
    return levels, unusable


@dataclass
class _Sending:
    """The sends of one advance, in which a channel that did not answer, or took too long, is not asked again."""

    ports: Ports
    unusable: dict[str, str]
    """Channels that cannot be built, and why: their secret is not set, say."""
    silent: dict[str, str] = field(default_factory=dict)
    """Channels that did not answer, and what they were asked in vain."""
    slow: set[str] = field(default_factory=set)
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    failures: dict[str, list[tuple[Notification, str]]] = field(default_factory=lambda: defaultdict(list))
    """By channel, what it did not take, and why."""
    unasserted: dict[str, str] = field(default_factory=dict)
    """By level-like channel, what it could not be made to show, and why."""
    began: float = field(default_factory=monotonic)

    def send_due(self) -> int:
        """Send what is due and returns how many went out."""
        sent = 0
        while self._is_in_time:
            now = self.ports.clock.now()
            with self.ports.store.begin() as tx:
                claimed = tx.outbox.claim(
                    NOTIFICATIONS, now, now + CLAIM_LIFE, 1, without=self._not_asked, silent=silent_keys(tx, now)
                )
                tx.commit()
            if not claimed:
                break
            sent += sum(self._send(notification) for notification in claimed)
        return sent

    def assert_open(self, name: str, channel: LevelChannel) -> None:
        """Let a level-like channel show all that is open; what it does not take now, the next advance asserts again."""
        alerts = standing_alerts(self.ports, name)
        if not alerts or name in self.silent or not self._is_in_time:
            return
        seconds, lasts = self.ports.channel_rule(name).timeout, self.ports.three_advances(self._now)
        try:
            call_within(seconds, lambda: channel.assert_open(alerts, lasts), f"the channel '{name}'")
        except Exception as trouble:  # noqa: BLE001 - as in a send
            self.unasserted[name] = f"{count_text(len(alerts), 'open incident')}: {describe(trouble)}"

    def emptied(self) -> frozenset[str]:
        """The channels on which all that was due was tried; none when the time ran out before."""
        return frozenset({*self.ports.channels} - self._not_asked) if self._is_in_time else frozenset()

    def hold_back(self) -> None:
        """Note on what was not tried that its channel did not answer, or cannot be used."""
        reasons = {name: f"not tried, as the channel cannot be used: {why}" for name, why in self.unusable.items()}
        reasons |= {name: f"not tried, as the channel did not answer: {why}" for name, why in self.silent.items()}
        if not reasons:
            return
        with self.ports.store.begin() as tx:
            for channel, message in reasons.items():
                tx.outbox.hold_back(channel, message, self._now)
            tx.commit()

    def troubles(self) -> tuple[str, ...]:
        """A sentence on each channel that failed: the first thing that it did not take, and the last reason."""
        unusable = (f"the channel '{name}' cannot be used: {why}" for name, why in self.unusable.items())
        return (
            *unusable,
            *(
                f"the channel '{name}' did not take '{failed[0][0].subject}'"
                f"{f' and {len(failed) - 1} more' if len(failed) > 1 else ''}: {failed[-1][1]}"
                for name, failed in self.failures.items()
            ),
            *(f"the channel '{name}' cannot show {what}" for name, what in self.unasserted.items()),
        )

    @property
    def _is_in_time(self) -> bool:
        return monotonic() - self.began <= LONGEST_STEP

    @property
    def _not_asked(self) -> set[str]:
        return {*self.unusable, *self.silent, *self.slow}

    @property
    def _now(self) -> datetime:
        return self.ports.clock.now()

    def _send(self, notification: Notification) -> bool:
        name, seconds = notification.channel, self.ports.channel_rule(notification.channel).timeout
        began = monotonic()
        try:
            receipt = call_within(seconds, lambda: self._hand_over(notification), f"the channel '{name}'")
        except Exception as trouble:  # noqa: BLE001 - one bad channel must not keep the others from being told
            if isinstance(trouble, NoAnswer | NoConnection):
                self.silent[name] = describe(trouble)
            self._put_back(notification, trouble)
            return False
        finally:
            self.spent[name] += monotonic() - began
            if self.spent[name] > PATIENCE_WITH_CHANNEL * seconds:
                self.slow.add(name)
        with self.ports.store.begin() as tx:
            tx.outbox.mark_sent(notification.id, receipt.reference, self._now)
            tx.commit()
        return True

    def _hand_over(self, notification: Notification) -> Receipt:
        channel = self.ports.channels.get(notification.channel)
        if channel is None:
            raise StratawatchError(f"the channel '{notification.channel}' is not configured any more")
        return channel.send(notification)

    def _put_back(self, notification: Notification, trouble: Exception) -> None:
        """Try a send again later, as long as the news matters; the store keeps the failure for people to see."""
        message, unconfirmed = describe(trouble), isinstance(trouble, NoAnswer)
        self.failures[notification.channel].append((notification, message))
        with self.ports.store.begin() as tx:
            is_end = notification.severity == "resolved"
            incidents = () if is_end else tx.alarms.incidents_of(notification.dedup_key)
            is_open = any(incident.resolved_at is None for incident in incidents)
            # 1, 2, 4, ... minutes
            next_at = self._now + min(timedelta(minutes=2 ** min(notification.attempts, 10)), LONGEST_PAUSE)
            is_opening = bool(incidents) and notification.is_opening
            end = notification.created_at + (PATIENCE if is_opening else LONGEST_LIFE)
            # One try past the end gives nothing up: its advance may have had a clock that stood far ahead.
            was_past_it = notification.next_at is not None and notification.next_at > end
            given_up = not is_open and was_past_it and next_at > end
            tx.outbox.put_back(notification.id, message, None if given_up else next_at, unconfirmed=unconfirmed)
            if given_up and is_opening:
                _close(tx, tx.outbox.get(notification.id))
            tx.commit()


def _close(tx: Transaction, opening: Notification) -> None:
    """Close an opening whose incident is over, and the end with it if the channel cannot have heard of either."""
    rows = [opening] if opening.unconfirmed else tx.outbox.about([opening.dedup_key])
    for row in rows:
        if row.channel == opening.channel and row.state in ("pending", "failed"):
            tx.outbox.supersede(row.id, f"{OVER}: {opening.last_error}")
