"""Writes notifications, in words, to the outbox: in the transaction that decided them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from shlex import quote
from types import MappingProxyType
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState, Judgement
from stratawatch.core.alarms.moved import MetricChange
from stratawatch.engine.alarms.later_windows import newest_after
from stratawatch.engine.alarms.stream_words import reason_text, state_lines, stream_text
from stratawatch.engine.model.alarm_records import Incident, Notification, Severity, StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_links import WORDS
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.engine.restored_store import was_restored
from stratawatch.formatting import capitalised, minute

OVER: Final = "it was over before the channel took it"
"""Why an opening is superseded; its last failure follows."""
SILENT: Final = "it was over before a silence was"
NEWER: Final = "there is newer word on it"
"""Why an update is superseded that waited."""


def warn(tx: Transaction, ports: Ports, about: str, subject: str, body: str, panel: str | None = None) -> None:
    """Tell people of trouble that belongs to no single stream; once for every `about`."""
    facts = {"about": about} | ({} if panel is None else {"panel": panel})
    notify(tx, ports, f"stratawatch:{about}", "warning", subject, body, facts)


def warn_of_cycle(tx: Transaction, ports: Ports, cycle: Cycle, about: str, subject: str, body: str) -> None:
    """Tell people of trouble of a window; once for every `about`, and again when the window is run again."""
    warn(tx, ports, warning_of_cycle(tx, cycle, about), subject, body, cycle.panel)


def warning_of_cycle(tx: Transaction, cycle: Cycle, about: str) -> str:
    """What a warning of a window is about, among all warnings."""
    runs = len(tx.cycles.earlier_runs(cycle))
    window = f"{cycle.panel}:{cycle.period}" + (f".{runs}" if runs else "")
    return f"{window}:{about}"


@dataclass(frozen=True)
class News:
    """What there is to be told of a breach: lines for people, and facts for programs.

    `more` are lines that can wait until it is said what to do. `subject` is the breach in a headline; empty where the
    newest window says nothing. `looks_over`: that window is inside the limit, though not proven to be.
    `may_be_older`: nothing is known of the time before, or it was so then too, so that no change can be looked for.
    `harm` says in a few words how many calls of the newest window are wrong; `more_wrong` is how many more than usual.
    `named_segments` are those that moved it, and `moved` has all parts of the change.
    """

    lines: Sequence[str] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    more: Sequence[str] = ()
    subject: str = ""
    looks_over: bool = False
    may_be_older: bool = False
    harm: str = ""
    more_wrong: float = 0.0
    named_segments: Sequence[str] = ()
    moved: MetricChange | None = None


def notify_breach(
    tx: Transaction,
    ports: Ports,
    cycle: Cycle,
    incident: Incident,
    said: Judgement,
    news: News | None = None,
    states: Mapping[StreamKey, AlarmState] = MappingProxyType({}),
) -> None:
    """Write the page: what is broken, since when, at what cost, where, what to do first, and how the others are.

    Where there is no news of it, the page has the sentence of the judgement.
    """
    later = newest_after(tx, cycle)
    key, may_be_older = incident.key, news is not None and news.may_be_older
    step = first_step(key, incident.since, may_be_older=may_be_older)
    if ports.links_of(key.panel).runbook:
        step = f"Runbook below: {step}"
    else:
        step = f"{capitalised(step)} More: docs/runbook.md."
    lines = [
        *([said.reason] if news is None else news.lines),
        *([since_line(incident.since)] if news is None and incident.since is not None else []),
        f"Do: 1. Acknowledge it, or it is told again: stratawatch alerts ack {incident.id}",
        f"2. {step}",
        *state_lines(states, key, "" if later is None else " in the newest window"),
        *([] if news is None else news.more),
        next_line(later or cycle),
        figures_line(ports, incident, cycle),
    ]
    subject = (news.subject if news is not None else "") or f"{stream_text(key)} is outside its limit"
    facts = {**stream_facts(key), **window_facts(cycle), "state": said.state.value, "reason": said.reason}
    facts |= {} if news is None else news.facts
    notify(tx, ports, incident.dedup_key, "page", subject, "\n".join(lines), facts)


def first_step(key: StreamKey, since: datetime | None, *, may_be_older: bool) -> str:
    """What to do first about a breach."""
    if may_be_older:
        look = f"stratawatch mistakes {quote(key.panel)} --classifier {quote(key.classifier)}"
        return f"see what {key.classifier} gets wrong ({look}), and whether its limit is right."
    about = "" if since is None else f" about {since:%Y-%m-%d}"
    return f"find what changed in {key.classifier} or in its input{about}; mend it, or roll it back."


def since_the_first(since: datetime, unit: str) -> str:
    """That it was so in the first window of which anything is known.

    >>> since_the_first(datetime(2026, 2, 16), "week")
    'Since: the week of 2026-02-16 or before; nothing is known of earlier ones.'
    """
    return f"Since: the {unit} of {start_text(since)} or before; nothing is known of earlier ones."


def since_line(since: datetime, unit: str = "window", within: tuple[datetime, datetime] | None = None) -> str:
    """Since when it is so, and between which windows it began in 9 of 10 pages; `unit` is what a window is called.

    >>> since_line(datetime(2026, 2, 16), "week"), since_line(datetime(2026, 2, 16, 6))
    ('Since: the week of 2026-02-16, most likely.', 'Since: the window of 2026-02-16 06:00 +00:00, most likely.')
    >>> since_line(datetime(2026, 2, 16), "week", (datetime(2026, 2, 9), datetime(2026, 2, 23)))
    'Since: the week of 2026-02-16, most likely (90% sure: 2026-02-09 to 2026-02-23).'
    """
    line = f"Since: the {unit} of {start_text(since)}, most likely"
    if within is None or within[0] == within[1]:
        return f"{line}."
    first, last = map(start_text, within)
    return f"{line} (90% sure: {first} to {last})."


def next_line(cycle: Cycle) -> str:
    """When there is news, and how it ends."""
    window = cycle.window
    end = start_text(window.end + (window.end - window.start))
    return f"Next verdict: on the window to {end}, once it is labelled; it ends when proven inside its limit."


def figures_line(ports: Ports, incident: Incident, cycle: Cycle) -> str:
    """Where the figures are, and of which cycle; the report too, where no link leads to it."""
    report = "" if ports.links_of(cycle.panel).report_url else ", stratawatch report"
    return f"Figures: stratawatch alerts show {incident.id}{report} (cycle {cycle.id})"


def start_text(start: datetime) -> str:
    """When a window began: a day, or a moment where that was not at midnight."""
    return f"{start:%Y-%m-%d}" if (start.hour, start.minute) == (0, 0) else f"{minute(start)} +00:00"


def notify_update(
    tx: Transaction,
    ports: Ports,
    dedup_key: str,
    tag: str,
    subject: str,
    body: str,
    facts: Mapping[str, object] = MappingProxyType({}),
    *,
    channels: Collection[str] | None = None,
) -> None:
    """Write word on something that began before, once for every `tag`, to channels that hear of the beginning.

    That is all of them, or some of `channels`. It takes the place of updates that wait for the channel. The facts of
    the beginning are repeated, since receivers tell alerts apart by them.
    """
    rows = tx.outbox.about([dedup_key])
    for opening in rows:
        if not opening.is_opening or opening.state == "superseded" or opening.channel not in ports.channels:
            continue
        if channels is not None and opening.channel not in channels:
            continue
        key = update_key(dedup_key, tag, opening.channel)
        added = tx.outbox.add(
            Notification(
                key,
                dedup_key,
                opening.channel,
                "update",
                subject,
                body,
                {
                    **_with_links_of_today(ports, opening.facts),
                    **facts,
                    "update": tag.partition(" ")[0],
                    "began": opening.severity,
                },
                created_at=ports.clock.now(),
            )
        )
        for waiting in rows if added else ():
            if waiting.channel == opening.channel and waiting.severity == "update":
                _supersede_waiting(tx, waiting, NEWER)


def _with_links_of_today(ports: Ports, facts: Mapping[str, object]) -> dict[str, object]:
    """The facts of a beginning with what the configuration says now of where to read on."""
    links = ports.links_of(str(facts["panel"])).facts if "panel" in facts else {}
    return {**{name: said for name, said in facts.items() if name not in WORDS}, **links}


def update_key(dedup_key: str, tag: str, channel: str) -> str:
    """The name of an update of its own."""
    return f"{dedup_key}|update:{tag}|{channel}"


def _supersede_waiting(tx: Transaction, row: Notification, why: str) -> None:
    if row.state in ("pending", "failed"):
        tx.outbox.supersede(row.id, f"{why}: {row.last_error}" if row.last_error else why)


def notify_resolved(
    tx: Transaction,
    ports: Ports,
    incident: Incident,
    why: str,
    news: News | None = None,
    states: Mapping[StreamKey, AlarmState] = MappingProxyType({}),
    *,
    silent: bool = False,
) -> None:
    """Write that a breach is over: why, what there is to be told of it, and how the panel's metrics are now."""
    key = incident.key
    since = [] if news is not None or incident.since is None else [since_line(incident.since)]
    over = reason_text(key, why)
    lines = [*([] if news is None else news.lines), *since, f"It is over: {over}", *state_lines(states)]
    facts = {**stream_facts(key), **({} if news is None else news.facts), "reason": why}
    subject = f"RESOLVED: {(news.subject if news is not None else '') or stream_text(key)}"
    notify_end(tx, ports, incident.dedup_key, subject, "\n".join(lines), facts, silent=silent)


def notify_end(
    tx: Transaction,
    ports: Ports,
    dedup_key: str,
    subject: str,
    body: str,
    facts: Mapping[str, object],
    *,
    silent: bool = False,
) -> None:
    """Write the end to the channels that hear of the beginning; where that is held up, it is given up instead.

    A store that was restored does not know who heard of the beginning before, so that all of them hear of the end.
    Updates that wait are given up, as the end says more, and so is a beginning that is `silent`.
    """
    now, forgot = ports.clock.now(), was_restored(tx)
    for row in tx.outbox.about([dedup_key]):
        if row.severity == "update":
            _supersede_waiting(tx, row, OVER)
        if not row.is_opening:
            continue
        waits = row.state == "pending" and not row.is_held_up(now) and not silent
        if waits or row.may_be_taken or forgot:
            notify_channel(tx, ports, row.channel, dedup_key, "resolved", subject, body, facts)
        if not waits:
            _supersede_waiting(tx, row, SILENT if silent else OVER)


def notify(
    tx: Transaction,
    ports: Ports,
    dedup_key: str,
    severity: Severity,
    subject: str,
    body: str,
    facts: Mapping[str, object],
) -> None:
    """Write one outbox row for every channel that is no fallback."""
    for channel in ports.channels_of(fallback=False):
        notify_channel(tx, ports, channel, dedup_key, severity, subject, body, facts)


def notify_channel(
    tx: Transaction,
    ports: Ports,
    channel: str,
    dedup_key: str,
    severity: Severity,
    subject: str,
    body: str,
    facts: Mapping[str, object],
) -> bool:
    """Write one outbox row for a channel, once for every dedup key and severity; says whether it was not there.

    Where it is about a panel, it says too who looks after that, and where to read on.
    """
    key, now = f"{dedup_key}|{severity}|{channel}", ports.clock.now()
    links = ports.links_of(str(facts["panel"])).facts if "panel" in facts else {}
    facts = {**facts, **links}
    return tx.outbox.add(Notification(key, dedup_key, channel, severity, subject, body, facts, created_at=now))


def stream_facts(key: StreamKey) -> dict[str, object]:
    """What a notification says of a stream, for programs."""
    return {"panel": key.panel, "classifier": key.classifier, "metric": key.metric, "segment": key.segment}


def window_facts(cycle: Cycle) -> dict[str, object]:
    """What a notification says of a window, for programs."""
    window = cycle.window
    return {"cycle": cycle.id, "window_start": window.start.isoformat(), "window_end": window.end.isoformat()}
