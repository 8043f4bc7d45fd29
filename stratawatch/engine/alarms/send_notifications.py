"""Send notifications: claimed for a short while, sent outside any transaction, bounded in retries."""

from datetime import timedelta
from typing import Final

from stratawatch.engine.alarms.failures import describe
from stratawatch.engine.lease import ADVANCE
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.ports import Ports

CLAIM_LIFE: Final = timedelta(minutes=2)
MOST_SENDS: Final = 10
AT_ONCE: Final = 200
"""Bound on one advance; the rest goes at the next."""


def send_notifications(ports: Ports) -> int:
    """Send what is due, each claimed just before it goes; returns how many went out."""
    sent = 0
    for _ in range(AT_ONCE):
        now = ports.clock.now()
        with ports.store.begin() as tx:
            claimed = tx.outbox.claim(ADVANCE, now, now + CLAIM_LIFE, 1)
            tx.commit()
        if not claimed:
            break
        sent += sum(_send(ports, notification) for notification in claimed)
    return sent


def _send(ports: Ports, notification: Notification) -> bool:
    channel = ports.channels.get(notification.channel)
    if channel is None:
        _put_back(ports, notification, f"the channel '{notification.channel}' is not configured any more")
        return False
    try:
        receipt = channel.send(notification)
    except Exception as trouble:  # noqa: BLE001 - one bad channel must not keep the others from being told
        _put_back(ports, notification, describe(trouble))
        return False
    with ports.store.begin() as tx:
        tx.outbox.mark_sent(notification.id, receipt.reference, ports.clock.now())
        tx.commit()
    return True


def _put_back(ports: Ports, notification: Notification, message: str) -> None:
    """Try again after 1, 2, 4, ... minutes; the last failure stays in the store for `status` to show."""
    attempts = notification.attempts + 1
    next_at = ports.clock.now() + timedelta(minutes=2**notification.attempts) if attempts < MOST_SENDS else None
    with ports.store.begin() as tx:
        tx.outbox.put_back(notification.id, message, next_at)
        tx.commit()
