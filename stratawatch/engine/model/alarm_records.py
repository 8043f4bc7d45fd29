"""Alarm streams, incidents and the notifications that channels send."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from stratawatch.core.alarms.alarm_states import AlarmRule, AlarmState
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
    rule: AlarmRule | Literal[""] = ""  # by which it was paged, if it was
    since: datetime | None = None  # start of the window in which the loss most likely began
    evidence: float | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: str = ""
    acknowledged_why: str = ""


@dataclass(frozen=True)
class Silence:
    """That nobody is to be notified of a panel's incidents until a moment; of those of one stream, or of several.

    What is None is any: without a classifier those of all, without a segment those of the whole population too.
    """

    panel: str
    until: datetime
    reason: str
    by: str
    created_at: datetime
    classifier: str | None = None
    metric: str | None = None
    segment: str | None = None
    ended_at: datetime | None = None
    id: int = 0

    @property
    def over_at(self) -> datetime:
        """When it ends, or ended: by itself, or before."""
        return self.until if self.ended_at is None else min(self.until, self.ended_at)

    @property
    def scope(self) -> str:
        """What is silent, in words.

        >>> at = datetime(2026, 1, 5)
        >>> Silence("spam", at, "moving house", "ann", at, metric="recall").scope
        'spam (recall)'
        """
        parts = [part for part in (self.classifier, self.metric, self.segment) if part is not None]
        return self.panel + (f" ({', '.join(parts)})" if parts else "")

    def covers(self, key: StreamKey) -> bool:
        """Whether a stream is among those that are silent.

        >>> at = datetime(2026, 1, 5)
        >>> silence = Silence("spam", at, "moving house", "ann", at, metric="recall")
        >>> silence.covers(StreamKey("spam", "lr", "recall")), silence.covers(StreamKey("spam", "lr", "precision"))
        (True, False)
        """
        named = ((self.classifier, key.classifier), (self.metric, key.metric), (self.segment, key.segment))
        return self.panel == key.panel and all(mine in (None, its) for mine, its in named)


def covering(silences: Iterable[Silence], key: StreamKey) -> Silence | None:
    """The one of these that covers a stream longest."""
    return max((one for one in silences if one.covers(key)), key=lambda one: one.over_at, default=None)


Severity = Literal["page", "warning", "update", "resolved"]
"""A page or a warning begins what a resolved one ends; updates come in between."""
ACKNOWLEDGED: Final = "acknowledged"
"""What the fact `update` says in word on an acknowledgement."""
REPORT: Final = "report"
"""What the fact `update` says in the word that a report was written; it is about no incident."""
DeliveryState = Literal["pending", "sent", "failed", "superseded"]
"""Pending ones are tried again, failed ones are not; superseded ones were not taken before they were over."""

PATIENCE: Final = timedelta(minutes=15)
"""How long a notification may be under way before it counts as held up."""

LONGEST_PAUSE: Final = timedelta(hours=1)
"""Between two attempts to send a notification. What is due later than that was put back by a clock that was wrong."""


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
    state: DeliveryState = "pending"
    next_at: datetime | None = None
    claimed_until: datetime | None = None
    last_error: str = ""
    reference: str = ""
    sent_at: datetime | None = None
    unconfirmed: bool = False
    """An attempt ended without an answer, so that the receiver may have it."""

    @property
    def is_opening(self) -> bool:
        """Whether it begins something that a resolved one may end."""
        return self.severity in ("page", "warning")

    @property
    def is_report(self) -> bool:
        """Whether it says that a report was written, and nothing of an incident."""
        return self.severity == "update" and self.facts.get("update") == REPORT

    @property
    def kind(self) -> str:
        """What people are shown that it is: its severity, or that it is about a report."""
        return REPORT if self.is_report else self.severity

    @property
    def may_be_taken(self) -> bool:
        """Whether the receiver has it, or may have it as far as is known: a send did not come to its end."""
        return self.state == "sent" or self.unconfirmed or self.claimed_until is not None

    def is_held_up(self, now: datetime) -> bool:
        """Whether it failed and has been under way for so long that it is news no more once it is over."""
        return self.state == "failed" or (bool(self.last_error) and self.created_at <= now - PATIENCE)


@dataclass(frozen=True)
class StandingAlert:
    """An open incident as a level-like channel shows it: the newest word on how it is, and since when it is so."""

    newest: Notification
    since: datetime
