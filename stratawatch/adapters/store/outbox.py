"""Notifications on their way out: written where they were decided, claimed for a short while when sent."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, or_, select, update

from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import notifications
from stratawatch.adapters.store.upserts import insert_new
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.errors import StratawatchError


class SqlOutbox:
    """The repository of notifications on their way."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, notification: Notification) -> bool:
        """Write an outbox row; False when its key is there already."""
        row = row_of(notification, notifications, key_hash=hashed(notification.key))
        return bool(insert_new(self._sql, notifications, [row], notifications.c.id))

    def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> tuple[Notification, ...]:
        """Take pending notifications that are due and not claimed, oldest first."""
        t = notifications.c
        earlier = notifications.alias("earlier")
        # What a receiver closes must have been opened there first: word on one trouble goes out in its order.
        overtakes = (
            select(earlier.c.id)
            .where(earlier.c.dedup_key == t.dedup_key, earlier.c.channel == t.channel)
            .where(earlier.c.state == "pending", earlier.c.id < t.id)
            .exists()
        )
        due = (
            select(t.id)
            .where(t.state == "pending", or_(t.next_at.is_(None), t.next_at <= now))
            .where(or_(t.claimed_until.is_(None), t.claimed_until <= now, t.claimed_by == holder), ~overtakes)
            .order_by(t.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # PostgreSQL: rows another claim is just taking are not waited for
        )
        ids = self._sql.scalars(due).all()
        mine = t.id.in_(ids)
        self._sql.execute(update(notifications).where(mine).values(claimed_by=holder, claimed_until=until))
        rows = self._sql.execute(select(notifications).where(mine).order_by(t.id))
        return tuple(record_of(Notification, row) for row in rows)

    def mark_sent(self, notification_id: int, reference: str, at: datetime) -> None:
        """The channel has it."""
        self._set(notification_id, state="sent", reference=reference, sent_at=at, claimed_by=None, claimed_until=None)

    def put_back(self, notification_id: int, message: str, next_at: datetime | None) -> None:
        """A failed attempt: due again at `next_at`, or failed for good when None."""
        self._set(
            notification_id,
            state="failed" if next_at is None else "pending",
            attempts=notifications.c.attempts + 1,
            next_at=next_at,
            last_error=message,
            claimed_by=None,
            claimed_until=None,
        )

    def all(self, *, newest: int | None = None) -> tuple[Notification, ...]:
        """Notifications, oldest first; with `newest`, only the last so many."""
        query = select(notifications).order_by(notifications.c.id.desc()).limit(newest)
        return tuple(record_of(Notification, row) for row in reversed(self._sql.execute(query).all()))

    def _set(self, notification_id: int, **values: Any) -> None:
        """What a channel has is not taken back: a sent notification stays sent."""
        row = (notifications.c.id == notification_id) & (notifications.c.state != "sent")
        changed = self._sql.execute(update(notifications).where(row).values(**values))
        found = select(notifications.c.id).where(notifications.c.id == notification_id)
        if changed.rowcount != 1 and self._sql.scalar(found) is None:
            raise StratawatchError(f"there is no notification {notification_id}")
