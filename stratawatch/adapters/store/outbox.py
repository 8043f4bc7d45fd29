"""Notifications on their way out: written where they were decided, claimed for a short while when sent."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, or_, select, true, update

from stratawatch.adapters.store.alarm_tables import notifications
from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.known_ids import unknown_id
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.upserts import in_parts, insert_new
from stratawatch.engine.model.alarm_records import LONGEST_PAUSE, Notification

_UNCLAIMED: Final = {"claimed_by": None, "claimed_until": None}


class SqlOutbox:
    """The repository of notifications on their way."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, notification: Notification) -> bool:
        """Write an outbox row; False when its key is there already."""
        row = row_of(notification, notifications, key_hash=hashed(notification.key))
        return bool(insert_new(self._sql, notifications, [row], notifications.c.id))

    def claim(
        self,
        holder: str,
        now: datetime,
        until: datetime,
        limit: int,
        *,
        without: Collection[str] = (),
        silent: Collection[str] = (),
    ) -> tuple[Notification, ...]:
        """Take pending notifications that are due and not claimed, oldest first.

        Those of the channels in `without` and of the dedup keys in `silent` are left alone.
        """
        t = notifications.c
        due = (
            select(t.id)
            .where(t.channel.not_in(without), t.dedup_key.not_in(silent), _is_next(now))
            .where(or_(t.claimed_until.is_(None), t.claimed_until <= now, t.claimed_by == holder))
            .order_by(t.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # PostgreSQL: rows another claim is just taking are not waited for
        )
        ids = self._sql.scalars(due).all()
        mine = t.id.in_(ids)
        # Whoever claimed it before was stopped during the send, and nobody knows how far the send came.
        begun = or_(t.unconfirmed, t.claimed_until.is_not(None))
        claim = {"claimed_by": holder, "claimed_until": until, "unconfirmed": begun}
        self._sql.execute(update(notifications).where(mine).values(claim))
        return self._notifications(mine)

    def is_any_due(self, now: datetime, channels: Collection[str], *, silent: Collection[str] = ()) -> bool:
        """Whether `claim` would find any of these channels."""
        t = notifications.c
        is_free = or_(t.claimed_until.is_(None), t.claimed_until <= now)
        due = select(t.id).where(t.channel.in_(channels), t.dedup_key.not_in(silent), _is_next(now), is_free).limit(1)
        return self._sql.scalar(due) is not None

    def mark_sent(self, notification_id: int, reference: str, at: datetime) -> None:
        """The channel has it."""
        self._set(notification_id, state="sent", reference=reference, sent_at=at, **_UNCLAIMED)

    def put_back(
        self, notification_id: int, message: str, next_at: datetime | None, *, unconfirmed: bool = False
    ) -> None:
        """Count a failed attempt, which may have arrived (`unconfirmed`): due again at `next_at`, failed when None.

        One that was closed during the attempt, because what it tells of is over, stays closed.
        """
        t = notifications.c
        (row,) = self._notifications(t.id == notification_id, lock=True) or (self.get(notification_id),)
        if row.state == "superseded":
            return
        self._set(
            notification_id,
            state="failed" if next_at is None else "pending",
            attempts=t.attempts + 1,
            next_at=next_at,
            last_error=message,
            unconfirmed=true() if unconfirmed else t.unconfirmed,
            **_UNCLAIMED,
        )

    def hold_back(self, channel: str, message: str, now: datetime) -> None:
        """Note on what is due for a channel why it was not tried; that is no attempt."""
        t = notifications.c
        due = (t.state == "pending") & (t.channel == channel) & _is_due(now)
        self._sql.execute(update(notifications).where(due).values(last_error=message))

    def supersede(self, notification_id: int, message: str) -> None:
        """Close a notification that was not taken before what it tells of was over."""
        self._set(notification_id, state="superseded", next_at=None, last_error=message, **_UNCLAIMED)

    def send_again(self, notification_id: int, at: datetime) -> None:
        """Make a notification due at a moment, also one that was sent or failed."""
        self.get(notification_id)
        t = notifications.c
        # That the receiver has a sent one already must not be forgotten, whatever becomes of the second send.
        taken = or_(t.unconfirmed, t.state == "sent")
        values = {"state": "pending", "next_at": at, "unconfirmed": taken, **_UNCLAIMED}
        self._sql.execute(update(notifications).where(t.id == notification_id).values(values))

    def get(self, notification_id: int) -> Notification:
        """One notification. Raises StratawatchError when there is none."""
        found = self._notifications(notifications.c.id == notification_id)
        if not found:
            hint = "`stratawatch alerts list` shows the newest"
            raise unknown_id(self._sql, notifications.c.id, "notification", notification_id, hint)
        return found[0]

    def about(self, dedup_keys: Collection[str]) -> tuple[Notification, ...]:
        """Every notification under these keys, oldest first.

        Nobody claims or changes them before this transaction ends: it decides by what it sees here.
        """
        t = notifications.c
        keys = in_parts([*dedup_keys])
        found = [row for part in keys for row in self._notifications(t.dedup_key.in_(part), lock=True)]
        return tuple(sorted(found, key=lambda one: one.id))

    def undelivered(self) -> tuple[Notification, ...]:
        """Pending and failed ones, oldest first."""
        return self._notifications(notifications.c.state.in_(("pending", "failed")))

    def all(self, *, newest: int | None = None) -> tuple[Notification, ...]:
        """Notifications, oldest first; with `newest`, only the last so many."""
        query = select(notifications).order_by(notifications.c.id.desc()).limit(newest)
        return tuple(record_of(Notification, row) for row in reversed(self._sql.execute(query).all()))

    def _notifications(self, which: ColumnElement[bool], *, lock: bool = False) -> tuple[Notification, ...]:
        query = select(notifications).where(which).order_by(notifications.c.id)
        rows = self._sql.execute(query.with_for_update() if lock else query)
        return tuple(record_of(Notification, row) for row in rows)

    def _set(self, notification_id: int, **values: Any) -> None:
        """Change a notification that was not sent; one that a channel has stays sent."""
        row = (notifications.c.id == notification_id) & (notifications.c.state != "sent")
        changed = self._sql.execute(update(notifications).where(row).values(**values))
        if changed.rowcount != 1:
            self.get(notification_id)


def _is_next(now: datetime) -> ColumnElement[bool]:
    """Whether one is pending, due, and the first of its trouble to go.

    What a receiver closes must have been opened there first: word on one trouble goes out in its order.
    """
    t, earlier = notifications.c, notifications.alias("earlier")
    overtakes = (
        select(earlier.c.id)
        .where(earlier.c.dedup_key == t.dedup_key, earlier.c.channel == t.channel)
        .where(earlier.c.state == "pending", earlier.c.id < t.id)
        .exists()
    )
    return (t.state == "pending") & _is_due(now) & ~overtakes


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Whether the time of a pending one has come; a time further away than any pause is of a clock that was wrong."""
    t = notifications.c
    return or_(t.next_at.is_(None), t.next_at <= now, t.next_at > now + LONGEST_PAUSE)
