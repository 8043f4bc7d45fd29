"""Repeats what stays open and nobody acknowledged: a breach once a window, and all that is open when a silence ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.notifications import metric_text, notify_update, stream_facts, window_facts
from stratawatch.engine.alarms.open_incidents import Opening, openings
from stratawatch.engine.alarms.silent_streams import are_silent, ended_over
from stratawatch.engine.model.alarm_records import Notification, Silence, StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text, minute

AT_MOST_EVERY: Final = timedelta(days=7)
"""How often people are reminded of one incident where windows are shorter."""
UNITS: Final = {timedelta(days=1): "day", timedelta(days=7): "week"}


@dataclass(frozen=True)
class _Reminder:
    """What there is to say again: since a moment, under a tag of its own, which keeps it from being said twice."""

    at: datetime
    tag: str
    subject: str
    lines: Sequence[str]
    facts: Mapping[str, object]


def write_reminders(ports: Ports) -> None:
    """Write the reminders that are due to the channels that have the page, one for each incident and window."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        held, silences = tx.silences.active(now), tx.silences.all()
        for opening in openings(tx):
            if opening.is_acknowledged or opening.is_paused(ports) or are_silent(held, opening.incidents):
                continue
            reminder = _newest(tx, ports, opening, ended_over(silences, opening.incidents, now))
            if reminder is not None:
                _write(tx, ports, opening, reminder)
        tx.commit()


def _newest(tx: Transaction, ports: Ports, opening: Opening, ended: Silence | None) -> _Reminder | None:
    """A window that was judged since, or the end of a silence, whichever came later."""
    states = {state.key: state for state in tx.alarms.current_states(opening.incidents[0].key.panel)}
    window = _of_window(tx, ports, opening, states.get(opening.incidents[0].key))
    if ended is None or (window is not None and window.at >= ended.over_at):
        return window
    return _of_silence(tx, ports, opening, ended, states)


def _of_window(tx: Transaction, ports: Ports, opening: Opening, newest: StreamState | None) -> _Reminder | None:
    """That a breach is still there in a window that is a week or more later than the one it was paged in."""
    incident = opening.incidents[0]
    if incident.kind != AlarmState.BREACH or newest is None:
        return None
    spec = _spec(tx, ports, incident.key)
    cycle, first = tx.cycles.get(newest.cycle_id), tx.cycles.get(incident.cycle_id)
    times = (cycle.window.start - first.window.start) // max(spec.windows.length, AT_MOST_EVERY)
    if times < 1:
        return None
    return _Reminder(
        newest.at,
        f"reminder {times}",
        _still(spec, opening, newest, cycle, incident.since or first.window.start),
        [newest.reason, *_ask(opening), f"window {cycle.window}, cycle {cycle.id}"],
        {**stream_facts(incident.key), **window_facts(cycle), "state": newest.state.value, "reason": newest.reason},
    )


def _of_silence(
    tx: Transaction, ports: Ports, opening: Opening, ended: Silence, states: Mapping[StreamKey, StreamState]
) -> _Reminder:
    """That a silence is over and what was told before it is not."""
    incident, several = opening.incidents[0], opening.incidents
    newest = [states[one.key] for one in several if one.key in states]
    if incident.kind == AlarmState.BREACH and newest:
        cycle, first = tx.cycles.get(newest[0].cycle_id), tx.cycles.get(incident.cycle_id)
        since = incident.since or first.window.start
        subject = _still(_spec(tx, ports, incident.key), opening, newest[0], cycle, since)
    else:
        subject = f"STILL {incident.kind}: {incident.key.panel}, {count_text(len(several), 'metric')}"
    return _Reminder(
        ended.over_at,
        f"silence {ended.id}",
        subject,
        [
            *dict.fromkeys(state.reason for state in newest),
            f"The silence until {minute(ended.over_at)} +00:00 is over: {ended.reason}",
            *_ask(opening),
        ],
        {},
    )


def _still(spec: PanelSpec, opening: Opening, newest: StreamState, cycle: Cycle, since: datetime) -> str:
    """The subject: how long it lasts, as windows are counted from the one in which it most likely began."""
    key = opening.incidents[0].key
    where = f" in {key.segment}" if key.segment else ""
    number = (cycle.window.start - since) // spec.windows.length + 1
    head = "STILL BROKEN" if newest.state == AlarmState.BREACH else f"NOT OVER, {newest.state} now"
    unit = UNITS.get(spec.windows.length, "window")
    return f"{head}, {unit} {number}: {metric_text(key)} of {key.classifier}{where} ({key.panel})"


def _ask(opening: Opening) -> list[str]:
    first = opening.incidents[0]
    opened = f"Open since {minute(first.opened_at)} +00:00, and nobody has acknowledged it."
    return [opened, f"Do: stratawatch alerts ack {first.id}; stratawatch alerts show {first.id}"]


def _spec(tx: Transaction, ports: Ports, key: StreamKey) -> PanelSpec:
    return ports.configured.get(key.panel) or tx.panels.latest()[key.panel]


def _write(tx: Transaction, ports: Ports, opening: Opening, reminder: _Reminder) -> None:
    """Write it to each channel that took the page and was told nothing since: a page that came late is no old news."""
    heard = [row for row in opening.rows if row.state == "sent"]
    told = {row.channel: _last_told(opening, row) for row in heard}
    channels = [channel for channel, last in told.items() if last is None or last < reminder.at]
    body = "\n".join(reminder.lines)
    key = opening.dedup_key
    notify_update(tx, ports, key, reminder.tag, reminder.subject, body, reminder.facts, channels=channels)


def _last_told(opening: Opening, row: Notification) -> datetime | None:
    sent = [one.sent_at for one in (row, *opening.updates) if one.channel == row.channel and one.state == "sent"]
    return max((at for at in sent if at is not None), default=None)
