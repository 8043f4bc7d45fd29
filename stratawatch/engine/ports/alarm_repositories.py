"""What the store keeps of alarms, and its outbox of notifications."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.engine.model.alarm_records import Incident, Notification, Silence, StreamKey, StreamState


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

    def acknowledge_incident(self, incident_id: int, at: datetime, by: str, why: str = "") -> None:
        """Keep who looks after an incident, since when and why; the first who did stays."""
        ...

    def incident(self, incident_id: int) -> Incident:
        """One incident. Raises StratawatchError when there is none."""
        ...

    def incidents(self, *, panel: str | None = None, only_open: bool = False) -> tuple[Incident, ...]:
        """Incidents, oldest first."""
        ...

    def keep_open(self) -> tuple[Incident, ...]:
        """All open incidents, oldest first, which nobody else ends before this transaction does."""
        ...

    def incidents_of(self, dedup_key: str) -> tuple[Incident, ...]:
        """Incidents that channels know by this key, oldest first."""
        ...

    def open_incidents_of(self, key: StreamKey) -> tuple[Incident, ...]:
        """Open incidents of one stream."""
        ...


class SilenceRepository(Protocol):
    """Silences: each ends by itself, or before."""

    def add(self, silence: Silence) -> int:
        """Keep a silence (its id is ignored); returns its id."""
        ...

    def end(self, silence_id: int, at: datetime) -> None:
        """End a silence before its time; one that ended keeps its end. Raises StratawatchError when there is none."""
        ...

    def active(self, now: datetime) -> tuple[Silence, ...]:
        """The silences that hold now, oldest first."""
        ...

    def all(self) -> tuple[Silence, ...]:
        """Every silence there was, oldest first."""
        ...


class NotificationOutbox(Protocol):
    """Notifications on their way out."""

    def add(self, notification: Notification) -> bool:
        """Write an outbox row; False when its key is there already."""
        ...

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
        ...

    def is_any_due(self, now: datetime, channels: Collection[str], *, silent: Collection[str] = ()) -> bool:
        """Whether `claim` would find any of these channels."""
        ...

    def mark_sent(self, notification_id: int, reference: str, at: datetime) -> None:
        """Note that the channel took a notification."""
        ...

    def put_back(
        self, notification_id: int, message: str, next_at: datetime | None, *, unconfirmed: bool = False
    ) -> None:
        """Count a failed attempt, which may have arrived (`unconfirmed`): due again at `next_at`, failed when None.

        One that was closed during the attempt, because what it tells of is over, stays closed.
        """
        ...

    def hold_back(self, channel: str, message: str, now: datetime) -> None:
        """Note on what is due for a channel why it was not tried; that is no attempt."""
        ...

    def supersede(self, notification_id: int, message: str) -> None:
        """Close a notification that was not taken before what it tells of was over."""
        ...

    def send_again(self, notification_id: int, at: datetime) -> None:
        """Make a notification due at a moment, also one that was sent or failed."""
        ...

    def get(self, notification_id: int) -> Notification:
        """One notification. Raises StratawatchError when there is none."""
        ...

    def about(self, dedup_keys: Collection[str]) -> tuple[Notification, ...]:
        """Every notification under these keys, oldest first.

        Nobody claims or changes them before this transaction ends: it decides by what it sees here.
        """
        ...

    def undelivered(self) -> tuple[Notification, ...]:
        """Pending and failed notifications, oldest first."""
        ...

    def all(self, *, newest: int | None = None) -> tuple[Notification, ...]:
        """Notifications, oldest first; with `newest`, only the last so many."""
        ...
