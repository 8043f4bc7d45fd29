"""Writes notifications, in words, to the outbox: in the transaction that decided them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from stratawatch.core.alarms.alarm_states import MEANINGS, URGENCY, AlarmState, Judgement
from stratawatch.engine.model.alarm_records import Incident, Notification, Severity, StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import Page
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.engine.restored_store import was_restored
from stratawatch.formatting import count_text

OVER: Final = "it was over before the channel took it"
"""Why an opening is superseded; its last failure follows."""
SILENT: Final = "it was over before a silence was"
MOST_NAMES: Final = 4
"""Classifiers that a page names one by one."""
NEWER: Final = "there is newer word on it"
"""Why an update is superseded that waited."""


def warn(tx: Transaction, ports: Ports, about: str, subject: str, body: str, panel: str | None = None) -> None:
    """Tell people of trouble that belongs to no single stream; once for every `about`."""
    facts = {"about": about} | ({} if panel is None else {"panel": panel})
    notify(tx, ports, f"stratawatch:{about}", "warning", subject, body, facts)


def warn_of_cycle(tx: Transaction, ports: Ports, cycle: Cycle, about: str, subject: str, body: str) -> None:
    """Tell people of trouble of a window; once for every `about`, and again when the window is run again."""
    runs = len(tx.cycles.earlier_runs(cycle))
    window = f"{cycle.panel}:{cycle.period}" + (f".{runs}" if runs else "")
    warn(tx, ports, f"{window}:{about}", subject, body, cycle.panel)


def notify_breach(
    tx: Transaction,
    ports: Ports,
    cycle: Cycle,
    incident: Incident,
    said: Judgement,
    slices: Sequence[str],
    page: Page | None = None,
    judgements: Mapping[StreamKey, Judgement] = MappingProxyType({}),
) -> None:
    """Write the page: what is proven, since when, where, what of the others, and what to look at."""
    key = incident.key
    where = f" in {key.segment}" if key.segment else ""
    lines = [
        said.reason,
        *_page_lines(page),
        *slices,
        *_others(key, judgements),
        f"window {cycle.window}, cycle {cycle.id}",
        f"Do: stratawatch alerts ack {incident.id}",
        f"Look: stratawatch alerts show {incident.id}; stratawatch estimates --panel {key.panel}; stratawatch report",
        "It is resolved by itself once the metric is proven inside its limit again.",
    ]
    subject = f"BREACH: {metric_text(key)} of {key.classifier}{where} ({key.panel})"
    facts = {**stream_facts(key), **window_facts(cycle), "state": said.state.value, "reason": said.reason}
    notify(tx, ports, incident.dedup_key, "page", subject, "\n".join(lines), facts)


def _page_lines(page: Page | None) -> list[str]:
    """Since when, and what else is suspected."""
    if page is None:
        return []
    lines = [f"Since the window of {page.since:%Y-%m-%d %H:%M} +00:00, most likely."]
    if page.others:
        lines.append(f"There is much evidence too against: {'; '.join(map(str, page.others))}")
    return lines


def _others(paged: StreamKey, judgements: Mapping[StreamKey, Judgement]) -> Iterator[str]:
    """How the panel's other metrics are, the worst first, so that nobody looks where all is well."""
    for state in map(AlarmState, URGENCY):
        of_metric: dict[str, list[str]] = {}
        for key, said in judgements.items():
            if said.state == state and key != paged and key.segment is None:
                of_metric.setdefault(metric_text(key), []).append(key.classifier)
        if of_metric:
            several = "; ".join(f"{metric} of {_some(names)}" for metric, names in of_metric.items())
            yield f"{state} ({MEANINGS[state]}): {several}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMES else count_text(len(names), "classifier")


def notify_blind(
    tx: Transaction, ports: Ports, cycle: Cycle, dedup_key: str, blind: Mapping[StreamKey, Judgement]
) -> None:
    """Write one message for all streams that went blind: one cause blinds many at once."""
    reasons = sorted({said.reason for said in blind.values()})
    lines = [*reasons, f"window {cycle.window}, cycle {cycle.id}", *(f"- {key}" for key in blind)]
    number = f"{len(blind)} of its metrics" if len(blind) > 1 else "one of its metrics"
    subject = f"BLIND: {cycle.panel} cannot tell {number}"
    facts = {"panel": cycle.panel, **window_facts(cycle), "streams": [str(key) for key in blind]}
    notify(tx, ports, dedup_key, "warning", subject, "\n".join(lines), facts)


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
        key = f"{dedup_key}|update:{tag}|{opening.channel}"
        added = tx.outbox.add(
            Notification(
                key,
                dedup_key,
                opening.channel,
                "update",
                subject,
                body,
                {**opening.facts, **facts, "update": tag.partition(" ")[0]},
                created_at=ports.clock.now(),
            )
        )
        for waiting in rows if added else ():
            if waiting.channel == opening.channel and waiting.severity == "update":
                _supersede_waiting(tx, waiting, NEWER)


def _supersede_waiting(tx: Transaction, row: Notification, why: str) -> None:
    if row.state in ("pending", "failed"):
        tx.outbox.supersede(row.id, f"{why}: {row.last_error}" if row.last_error else why)


def notify_resolved(tx: Transaction, ports: Ports, incident: Incident, why: str, *, silent: bool = False) -> None:
    """Write that a breach is over."""
    key = incident.key
    subject = f"RESOLVED: {metric_text(key)} of {key.classifier} ({key.panel})"
    _notify_end(tx, ports, incident.dedup_key, subject, why, stream_facts(key), silent=silent)


def notify_blind_ended(tx: Transaction, ports: Ports, incident: Incident, why: str, *, silent: bool = False) -> None:
    """Write that the last stream of a BLIND message can be estimated again."""
    panel = incident.key.panel
    _notify_end(
        tx, ports, incident.dedup_key, f"RESOLVED: {panel} can tell again", why, {"panel": panel}, silent=silent
    )


def _notify_end(
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
) -> None:
    """Write one outbox row for a channel, once for every dedup key and severity.

    Where it is about a panel, it says too who looks after that, and where to read on.
    """
    key, now = f"{dedup_key}|{severity}|{channel}", ports.clock.now()
    links = ports.links_of(str(facts["panel"])).facts if "panel" in facts else {}
    tx.outbox.add(Notification(key, dedup_key, channel, severity, subject, body, {**facts, **links}, created_at=now))


def metric_text(key: StreamKey) -> str:
    """A stream's metric, in words."""
    return key.metric.replace("_", " ")


def stream_facts(key: StreamKey) -> dict[str, object]:
    """What a notification says of a stream, for programs."""
    return {"panel": key.panel, "classifier": key.classifier, "metric": key.metric, "segment": key.segment}


def window_facts(cycle: Cycle) -> dict[str, object]:
    """What a notification says of a window, for programs."""
    window = cycle.window
    return {"cycle": cycle.id, "window_start": window.start.isoformat(), "window_end": window.end.isoformat()}
