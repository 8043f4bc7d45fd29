"""Alarm streams, incidents and the notifications that channels send."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.document import Json


@dataclass(frozen=True)
class StreamKey:
    """What an alarm state belongs to. `segment` is 'column=value', or None for the whole population."""

    panel: str
    classifier: str
    metric: str
    segment: str | None = None

    def __str__(self) -> str:
        where = f" [{self.segment}]" if self.segment else ""
        return f"{self.panel} / {self.classifier} / {self.metric}{where}"


@dataclass(frozen=True)
class StreamState:
    """An alarm state as judged in one cycle and revision."""

    key: StreamKey
    cycle_id: int
    revision: int
    state: AlarmState
    reason: str
    at: datetime


@dataclass(frozen=True)
class Incident:
    """An open or resolved trouble of one stream; `dedup_key` names it towards every channel."""

    id: int
    key: StreamKey
    kind: AlarmState
    dedup_key: str
    cycle_id: int
    opened_at: datetime
    resolved_at: datetime | None = None


Severity = Literal["page", "warning", "resolved"]


@dataclass(frozen=True)
class Notification:
    """An outbox row for one channel. `key` is this notification's own; those of one incident share a `dedup_key`."""

    key: str
    dedup_key: str
    channel: str
    severity: Severity
    subject: str
    body: str
    facts: Json
    created_at: datetime
    id: int = 0
    attempts: int = 0
    state: Literal["pending", "sent", "failed"] = "pending"
