"""What a person may do about notifications: have them sent again, and try a channel."""

from uuid import uuid4

from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.audit import note_action
from stratawatch.engine.model.alarm_records import Notification, Severity
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.ports import Ports
from stratawatch.formatting import count_text


def resend_notification(ports: Ports, notification_id: int, why: str = "") -> Notification:
    """Make a notification due now, sent or not; a receiver that has it already recognises its key."""
    with ports.store.begin() as tx:
        tx.outbox.send_again(notification_id, ports.clock.now())
        found = tx.outbox.get(notification_id)
        note_action(tx, ports, "resent", f"notification {notification_id} to {found.channel}", why)
        tx.commit()
    return found


def resend_failed(ports: Ports, why: str = "") -> tuple[Notification, ...]:
    """Make every notification due now that failed, whether it was given up or waits for its next try."""
    with ports.store.begin() as tx:
        failed = [one for one in tx.outbox.undelivered() if one.state == "failed" or one.last_error]
        for one in failed:
            tx.outbox.send_again(one.id, ports.clock.now())
        if failed:
            note_action(tx, ports, "resent", count_text(len(failed), "failed notification"), why)
        tx.commit()
    return tuple(failed)


def try_channel(ports: Ports, name: str) -> tuple[Receipt, ...]:
    """Send a warning and its end through a channel, not through the store. Raises what the channel raises."""
    dedup_key = f"stratawatch:test:{uuid4().hex}"
    return (
        _try(ports, name, dedup_key, "warning", "TEST: stratawatch can tell you of alarms here"),
        # Receivers that keep incidents would keep this one open.
        _try(ports, name, dedup_key, "resolved", "RESOLVED: the test of this channel"),
    )


def _try(ports: Ports, name: str, dedup_key: str, severity: Severity, subject: str) -> Receipt:
    body = "Somebody ran `stratawatch alerts test`. Nothing has to be done."
    notification = Notification(
        f"{dedup_key}|{severity}|{name}",
        dedup_key,
        name,
        severity,
        subject,
        body,
        {"test": True},
        created_at=ports.clock.now(),
    )
    seconds = ports.channel_rule(name).timeout
    hint = "mend the receiver, or raise the channel's `timeout`; it may have taken the test, which is not repeated"
    return call_within(seconds, lambda: ports.channels[name].send(notification), f"the channel '{name}'", hint=hint)
