"""When the newest of what the store keeps was written, by the clock of whoever wrote it."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select

from stratawatch.adapters.store.alarm_tables import notifications
from stratawatch.adapters.store.tables import (
    cursors,
    cycles,
    label_events,
    panels,
    revisions,
    rounds,
    transitions,
)
from stratawatch.adapters.store.truth_tables import truth_statements

_WRITTEN: Final = (
    cursors.c.at,
    cycles.c.opened_at,
    label_events.c.received_at,
    notifications.c.created_at,
    panels.c.saved_at,
    revisions.c.at,
    rounds.c.planned_at,
    transitions.c.at,
    truth_statements.c.received_at,
)


def newest_commit(connection: Connection) -> datetime | None:
    """The latest time among the tables that keep one; None in an empty store."""
    found = (connection.scalar(select(func.max(column))) for column in _WRITTEN)
    return max((at for at in found if at is not None), default=None)
