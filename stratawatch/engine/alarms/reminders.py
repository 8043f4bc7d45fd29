"""Repeats what stays open and nobody acknowledged: a breach once a window, and all that is open when a silence ends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.alarms.notifications import (
    News,
    figures_line,
    next_line,
    notify_update,
    since_line,
    stream_facts,
    update_key,
    window_facts,
)
from stratawatch.engine.alarms.open_incidents import Opening, openings
from stratawatch.engine.alarms.silent_streams import are_silent, ended_over
from stratawatch.engine.alarms.stream_words import state_lines, stream_text
from stratawatch.engine.model.alarm_records import Incident, Notification, Silence, StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text, minute

AT_MOST_EVERY: Final = timedelta(days=7)
"""How often people are reminded of one incident where windows are shorter."""

Tell = Callable[[Transaction, Cycle, Incident], News]
"""(store, the newest judged window, incident) -> what there is to be told of it."""


@dataclass(frozen=True)
class _Reminder:
    """What there is to say again: since a moment, under a tag of its own, which keeps it from being said twice."""

    at: datetime
    tag: str
    news: Callable[[], News]
    """Made only for a channel that is to hear of it, as it looks at several windows."""


def write_reminders(ports: Ports, tell: Tell) -> None:
    """Write the reminders that are due to the channels that have the page, one for each incident and window."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        held, silences = tx.silences.active(now), tx.silences.all()
        for opening in openings(tx):
            if opening.is_acknowledged or opening.is_paused(ports) or are_silent(held, opening.incidents):
                continue
            reminder = _newest(tx, ports, opening, ended_over(silences, opening.incidents, now), tell)
            if reminder is not None:
                _write(tx, ports, opening, reminder)
        tx.commit()


def _newest(tx: Transaction, ports: Ports, opening: Opening, ended: Silence | None, tell: Tell) -> _Reminder | None:
    """A window that was judged since, or the end of a silence, whichever came later."""
    states = {state.key: state for state in tx.alarms.current_states(opening.incidents[0].key.panel)}
    window = _of_window(tx, ports, opening, states, tell)
    if ended is None or (window is not None and window.at >= ended.over_at):
        return window
    return _of_silence(tx, ports, opening, ended, states, tell)


def _of_window(
    tx: Transaction, ports: Ports, opening: Opening, states: Mapping[StreamKey, StreamState], tell: Tell
) -> _Reminder | None:
    """That a breach is still there in a window that is a week or more later than the one it was paged in."""
    incident = opening.incidents[0]
    newest = states.get(incident.key)
    if incident.kind != AlarmState.BREACH or newest is None:
        return None
    spec = _spec(tx, ports, incident.key)
    cycle, first = tx.cycles.get(newest.cycle_id), tx.cycles.get(incident.cycle_id)
    times = (cycle.window.start - first.window.start) // max(spec.windows.length, AT_MOST_EVERY)
    if times < 1:
        return None

    def news() -> News:
        found = tell(tx, cycle, incident)
        watched = watched_streams(spec)
        others = {key: state.state for key, state in states.items() if key in watched}
        said = found.lines or [newest.reason, since_line(incident.since or first.window.start, spec.windows.unit)]
        facts = {"state": newest.state.value, "reason": newest.reason, **found.facts}
        lines = [*said, *_ask(opening), *state_lines(others, incident.key), *found.more, next_line(cycle)]
        lines.append(figures_line(ports, incident, cycle))
        facts = {**stream_facts(incident.key), **window_facts(cycle), **facts}
        head = _still(spec, newest, cycle, incident.since or first.window.start, found)
        return News(lines, facts, subject=f"{head}: {found.subject or stream_text(incident.key)}")

    return _Reminder(newest.at, f"reminder {times}", news)


def _of_silence(
    tx: Transaction,
    ports: Ports,
    opening: Opening,
    ended: Silence,
    states: Mapping[StreamKey, StreamState],
    tell: Tell,
) -> _Reminder:
    """That a silence is over and what was told before it is not."""
    incident, several = opening.incidents[0], opening.incidents
    newest = [states[one.key] for one in several if one.key in states]
    is_breach = incident.kind == AlarmState.BREACH and bool(newest)

    def news() -> News:
        found, subject = News(), f"STILL {incident.kind}: {incident.key.panel}, {count_text(len(several), 'metric')}"
        if is_breach:
            cycle, first = tx.cycles.get(newest[0].cycle_id), tx.cycles.get(incident.cycle_id)
            found, since = tell(tx, cycle, incident), incident.since or first.window.start
            head = _still(_spec(tx, ports, incident.key), newest[0], cycle, since, found)
            subject = f"{head}: {found.subject or stream_text(incident.key)}"
        over = f"The silence until {minute(ended.over_at)} +00:00 is over: {ended.reason}"
        said = found.lines or list(dict.fromkeys(state.reason for state in newest))
        figures = f"Figures: stratawatch alerts show {incident.id}"
        return News([*said, over, *_ask(opening), *found.more, figures], found.facts, subject=subject)

    return _Reminder(ended.over_at, f"silence {ended.id}", news)


def _still(spec: PanelSpec, newest: StreamState, cycle: Cycle, since: datetime, news: News) -> str:
    """How long it lasts, as windows are counted from the one in which it most likely began."""
    number = (cycle.window.start - since) // spec.windows.length + 1
    broken = "NOT YET PROVEN OVER" if news.looks_over else "STILL BROKEN"
    head = broken if newest.state == AlarmState.BREACH else f"NOT OVER, {newest.state} now"
    return f"{head}, {spec.windows.unit} {number}"


def _ask(opening: Opening) -> list[str]:
    first = opening.incidents[0]
    return [f"Do: nobody acknowledged it since {first.opened_at:%Y-%m-%d}: stratawatch alerts ack {first.id}"]


def _spec(tx: Transaction, ports: Ports, key: StreamKey) -> PanelSpec:
    return ports.configured.get(key.panel) or tx.panels.latest()[key.panel]


def _write(tx: Transaction, ports: Ports, opening: Opening, reminder: _Reminder) -> None:
    """Write it to each channel that took the page and was told nothing since: a page that came late is no old news."""
    heard = [row for row in opening.rows if row.state == "sent"]
    told = {row.channel: _last_told(opening, row) for row in heard}
    written = {row.key for row in opening.updates}
    key = opening.dedup_key
    channels = [
        channel
        for channel, last in told.items()
        if (last is None or last < reminder.at) and update_key(key, reminder.tag, channel) not in written
    ]
    if channels:
        news = reminder.news()
        body = "\n".join(news.lines)
        notify_update(tx, ports, key, reminder.tag, news.subject, body, news.facts, channels=channels)


def _last_told(opening: Opening, row: Notification) -> datetime | None:
    sent = [one.sent_at for one in (row, *opening.updates) if one.channel == row.channel and one.state == "sent"]
    return max((at for at in sent if at is not None), default=None)
