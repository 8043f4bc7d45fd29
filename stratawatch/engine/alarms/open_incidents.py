"""Sees to it that somebody hears of every open incident: new channels, rows given up in the past, fallbacks, levels."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.blind_notices import notify_blind
from stratawatch.engine.alarms.silent_streams import silent_keys
from stratawatch.engine.model.alarm_records import (
    ACKNOWLEDGED,
    PATIENCE,
    Incident,
    Notification,
    StandingAlert,
    StreamKey,
)
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

FAILURES: Final = 3
"""Failed sends of a page on every ordinary channel, after which the fallback channels get it."""

PageAgain = Callable[[Transaction, Ports, Incident], None]
"""Writes the page of a breach that nobody was told of when it was opened."""


@dataclass(frozen=True)
class Opening:
    """What was written at the beginning of open incidents that share a dedup key, a row for each channel, and since."""

    dedup_key: str
    incidents: Sequence[Incident]
    rows: Sequence[Notification]
    updates: Sequence[Notification]

    @property
    def is_taken(self) -> bool:
        """Whether any channel took the opening."""
        return any(row.state == "sent" for row in self.rows)

    @property
    def is_acknowledged(self) -> bool:
        """Whether somebody acknowledged the incidents."""
        return any(incident.acknowledged_at is not None for incident in self.incidents)

    def row_of(self, channel: str) -> Notification | None:
        """The outbox row of a channel."""
        return next((row for row in self.rows if row.channel == channel), None)

    def newest_word_on(self, row: Notification) -> Notification:
        """The newest reminder that the opening's channel took, or the opening: how it is, not who looks after it."""
        taken = [one for one in self.updates if one.channel == row.channel and one.state == "sent"]
        reminders = [one for one in taken if one.facts.get("update") != ACKNOWLEDGED]
        return max(reminders, key=lambda one: (one.created_at, one.id), default=row)

    def is_paused(self, ports: Ports) -> bool:
        """Whether all its streams are paused, so that nobody is told of them now."""
        return all(ports.paused.cover(incident.key) for incident in self.incidents)


def prepare_openings(ports: Ports, levels: Collection[str] = ()) -> None:
    """Make due what an earlier program gave up, and tell new channels what nobody has taken; of open incidents.

    New channels are told nothing of what is paused. They are when it goes on, if the incident is still open.
    The channels in `levels` show all that is open, whoever else has taken it.
    """
    with ports.store.begin() as tx:
        for opening in openings(tx):
            for row in opening.rows:
                if row.state == "failed":
                    tx.outbox.send_again(row.id, ports.clock.now())
            if not opening.is_paused(ports):
                _tell_new_channels(tx, ports, opening)
                _tell_levels(tx, ports, opening, levels)
        tx.commit()


def write_openings_again(ports: Ports, page_again: PageAgain) -> None:
    """Write what there would be, had any channel been configured when incidents were opened; not of what is paused."""
    if not ports.channels_of(fallback=False):
        return
    with ports.store.begin() as tx:
        for opening in openings(tx):
            if opening.rows or opening.is_paused(ports):
                continue
            first = opening.incidents[0]
            if first.kind == AlarmState.BREACH:
                page_again(tx, ports, first)
            else:
                notify_blind(tx, ports, tx.cycles.get(first.cycle_id), opening.dedup_key, _reasons(tx, opening))
        tx.commit()


def page_fallbacks(ports: Ports, unusable: Collection[str] = ()) -> bool:
    """Write pages that failed on every ordinary channel to the fallback channels; returns whether there are any.

    On a channel that is `unusable` no page is tried, and it counts as failed at once.
    """
    fallbacks = ports.channels_of(fallback=True)
    if not fallbacks:
        return False
    written = False
    with ports.store.begin() as tx:
        silent = silent_keys(tx, ports.clock.now())
        for opening in openings(tx):
            if opening.is_acknowledged or opening.dedup_key in silent:
                continue
            pages = [row for row in map(opening.row_of, ports.channels_of(fallback=False)) if row is not None]
            tried = [row for row in pages if row.channel not in unusable]
            if opening.is_taken or not pages or not all(_has_failed(row, ports.clock.now()) for row in tried):
                continue
            reasons = [f"- {row.channel}, {row.attempts} attempts: {row.last_error}" for row in pages]
            body = "\n".join([pages[0].body, "The fallback channels get this, as no other one took it:", *reasons])
            for channel in fallbacks:
                if opening.row_of(channel) is None:
                    tx.outbox.add(_copy(pages[0], channel, ports.clock.now(), body))
                    written = True
        tx.commit()
    return written


def standing_alerts(ports: Ports, channel: str) -> tuple[StandingAlert, ...]:
    """What a level-like channel is to show: every open incident that is written to it and not paused.

    A silence keeps it from showing more, and takes nothing away: what is not asserted any more would end there.
    """
    with ports.store.begin() as tx:
        silent = silent_keys(tx, ports.clock.now())
        return tuple(
            StandingAlert(opening.newest_word_on(row), min(incident.opened_at for incident in opening.incidents))
            for opening in openings(tx)
            if (row := opening.row_of(channel)) is not None
            and row.state != "superseded"
            and not opening.is_paused(ports)
            and (opening.dedup_key not in silent or row.state == "sent")
        )


def untaken_openings(ports: Ports) -> tuple[str, ...]:
    """Sentences on open incidents that no channel has taken for a while, nor a person acknowledged."""
    if not ports.channels:
        return ()
    now = ports.clock.now()
    with ports.store.begin() as tx:
        silent = silent_keys(tx, now)
        untaken = [
            opening
            for opening in openings(tx)
            if opening.rows and not (opening.is_taken or opening.is_acknowledged) and opening.dedup_key not in silent
        ]
    return tuple(
        f"no channel has taken '{first.subject}' since {first.created_at:%Y-%m-%d %H:%M} +00:00: {row.last_error}"
        for opening in untaken
        if (first := opening.rows[0]).created_at <= now - PATIENCE
        for row in [next((row for row in opening.rows if row.last_error), first)]
    )


def openings(tx: Transaction) -> list[Opening]:
    """The openings of all open incidents, which no other transaction ends before this one is over."""
    incidents, rows, updates = defaultdict(list), defaultdict(list), defaultdict(list)
    for incident in tx.alarms.keep_open():
        incidents[incident.dedup_key].append(incident)
    for row in tx.outbox.about(incidents):
        if row.is_opening:
            rows[row.dedup_key].append(row)
        elif row.severity == "update":
            updates[row.dedup_key].append(row)
    return [Opening(key, incidents[key], rows[key], updates[key]) for key in incidents]


def _reasons(tx: Transaction, opening: Opening) -> dict[StreamKey, str]:
    """Why nothing can be told of each stream, as it was judged when its incident was opened."""
    said = {}
    for incident in opening.incidents:
        states = {state.key: state for state in tx.alarms.of_cycle(incident.cycle_id)}
        state = states.get(incident.key)
        # A later revision may have judged otherwise; then its sentence is not the one that opened this.
        is_so = state is not None and state.state == incident.kind
        said[incident.key] = state.reason if state and is_so else f"as judged at {incident.opened_at}"
    return said


def _has_failed(row: Notification, now: datetime) -> bool:
    return row.severity == "page" and (row.attempts >= FAILURES or row.is_held_up(now))


def _tell_new_channels(tx: Transaction, ports: Ports, opening: Opening) -> None:
    """Write an opening to channels that have none, if no channel took it or one that left still had to send it."""
    owed = [row for row in opening.rows if row.channel not in ports.channels and row.state in ("pending", "failed")]
    new = [
        channel
        for channel in ports.channels_of(fallback=False)
        if (row := opening.row_of(channel)) is None or row.state == "superseded"
    ]
    if not new or not opening.rows or (opening.is_taken and not owed):
        return
    for channel in new:
        superseded = opening.row_of(channel)
        if superseded is not None:  # it was renamed, and has its old name again
            tx.outbox.send_again(superseded.id, ports.clock.now())
        else:
            tx.outbox.add(_copy(opening.rows[0], channel, ports.clock.now()))
    for row in owed:
        tx.outbox.supersede(row.id, f"the channel is not configured any more; told instead: {', '.join(new)}")


def _tell_levels(tx: Transaction, ports: Ports, opening: Opening, levels: Collection[str]) -> None:
    """Write an opening to the level-like channels that have none, so that they show it and hear of its end."""
    for channel in ports.channels_of(fallback=False):
        row = opening.row_of(channel)
        if channel not in levels or not opening.rows:
            continue
        if row is None:
            tx.outbox.add(_copy(opening.rows[0], channel, ports.clock.now()))
        elif row.state == "superseded":
            tx.outbox.send_again(row.id, ports.clock.now())


def _copy(row: Notification, channel: str, now: datetime, body: str = "") -> Notification:
    """A copy of the message for another channel, not tried yet."""
    key = f"{row.dedup_key}|{row.severity}|{channel}"
    return Notification(
        key, row.dedup_key, channel, row.severity, row.subject, body or row.body, row.facts, created_at=now
    )
