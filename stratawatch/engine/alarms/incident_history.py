"""What happened to one incident, in the order of time: who was told what and when, and how each window was judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from stratawatch.engine.model.alarm_records import Incident, Notification
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import evidence_text, minute, span_text


@dataclass(frozen=True)
class Happening:
    """Something about an incident, in words; `what` says of what kind it is."""

    at: datetime
    what: str
    text: str


def history_of(tx: Transaction, incident: Incident) -> tuple[Happening, ...]:
    """Everything about an incident, oldest first."""
    found = [
        Happening(incident.opened_at, "opened", opening_text(incident)),
        *_states(tx, incident),
        *map(_told, tx.outbox.about([incident.dedup_key])),
        *_silences(tx, incident),
    ]
    if incident.acknowledged_at is not None:
        why = f": {incident.acknowledged_why}" if incident.acknowledged_why else ""
        found.append(Happening(incident.acknowledged_at, "acknowledged", f"by {incident.acknowledged_by}{why}"))
    if incident.resolved_at is not None:
        found.append(Happening(incident.resolved_at, "resolved", "it is over"))
    return tuple(sorted(found, key=lambda one: one.at))


def opening_text(incident: Incident) -> str:
    """By what an incident was opened, and since when it most likely is.

    >>> from stratawatch.core.alarms.alarm_states import AlarmState
    >>> from stratawatch.engine.model.alarm_records import StreamKey
    >>> key, at = StreamKey("spam", "lr", "recall"), datetime(2026, 2, 24)
    >>> opening_text(Incident(1, key, AlarmState.BREACH, "k", 4, at, rule="evidence", since=at, evidence=530.4))
    'BREACH by the evidence of all windows, 530, most likely since 2026-02-24 00:00; cycle 4'
    """
    rules = {"evidence": " by the evidence of all windows", "window": " by this window alone", "": ""}
    evidence = f", {evidence_text(incident.evidence)}" if incident.evidence is not None else ""
    since = f", most likely since {minute(incident.since)}" if incident.since else ""
    return f"{incident.kind}{rules[incident.rule]}{evidence}{since}; cycle {incident.cycle_id}"


def _states(tx: Transaction, incident: Incident) -> Iterator[Happening]:
    """The newest judgement of each window from the one that opened it on, while it was open."""
    first = tx.cycles.get(incident.cycle_id)
    for cycle in tx.cycles.find(panel=incident.key.panel):
        if cycle.window.start < first.window.start:
            continue
        for state in tx.alarms.of_cycle(cycle.id):
            if state.key == incident.key and (incident.resolved_at is None or state.at <= incident.resolved_at):
                window = span_text(cycle.window.start, cycle.window.end)
                yield Happening(state.at, "judged", f"{state.state}, {window}: {state.reason}")


def _told(row: Notification) -> Happening:
    """A notification: when the channel took it, or else when it was written and why it did not."""
    head = f"{row.severity} for '{row.channel}'"
    if row.state == "sent":
        return Happening(row.sent_at or row.created_at, "told", f"{head}: {row.subject}")
    why = f": {row.last_error}" if row.last_error else ""
    return Happening(row.created_at, "not told", f"{head}, {row.state}{why}")


def _silences(tx: Transaction, incident: Incident) -> Iterator[Happening]:
    for one in tx.silences.all():
        began_in_time = incident.resolved_at is None or one.created_at <= incident.resolved_at
        if one.covers(incident.key) and one.over_at > incident.opened_at and began_in_time:
            yield Happening(one.created_at, "silent", f"until {minute(one.over_at)}, by {one.by}: {one.reason}")
