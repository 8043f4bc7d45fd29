"""What the store keeps of alarms, and its outbox of notifications."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.engine.model.alarm_records import Incident, Notification, StreamKey, StreamState


class AlarmRepository(Protocol):
    """Alarm states and incidents."""

    def add_states(self, states: Sequence[StreamState]) -> None:
        """Append the states of one judgement."""
        ...

    def current_states(self, panel: str | None = None) -> tuple[StreamState, ...]:
        """The newest state of every stream (newest window, then revision)."""
        ...

    def of_cycle(self, cycle_id: int) -> tuple[StreamState, ...]:
        """States of a cycle's newest revision."""
        ...

    def open_incident(self, incident: Incident) -> int:
        """Open an incident (its id is ignored); returns the open one's id if the stream has one of this kind."""
        ...

    def resolve_incident(self, incident_id: int, at: datetime) -> None:
        """End an incident."""
        ...

    def incidents(self, *, panel: str | None = None, only_open: bool = False) -> tuple[Incident, ...]:
        """Incidents, oldest first."""
        ...

    def open_incidents_of(self, key: StreamKey) -> tuple[Incident, ...]:
        """Open incidents of one stream."""
        ...


class NotificationOutbox(Protocol):
    """Notifications on their way out."""

    def add(self, notification: Notification) -> bool:
        """Write an outbox row; False when its key is there already."""
        ...

    def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> tuple[Notification, ...]:
        """Take pending notifications that are due and not claimed, oldest first."""
        ...

    def mark_sent(self, notification_id: int, reference: str, at: datetime) -> None:
        """The channel has it."""
        ...

    def put_back(self, notification_id: int, message: str, next_at: datetime | None) -> None:
        """A failed attempt: due again at `next_at`, or failed for good when None."""
        ...

    def all(self, *, newest: int | None = None) -> tuple[Notification, ...]:
        """Notifications, oldest first; with `newest`, only the last so many."""
        ...
