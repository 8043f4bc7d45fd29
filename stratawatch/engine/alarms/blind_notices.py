"""Writes word on streams of which nothing can be told: one thread for each cause, from its beginning to its end."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.alarms.alarm_states import CAUSES, AlarmState, BlindCause
from stratawatch.engine.alarms.notifications import notify, notify_end, notify_update, start_text, window_facts
from stratawatch.engine.alarms.stream_words import state_lines, streams_text
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.idempotency_keys import blind_cause_of
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text

MOST_REASONS: Final = 3
"""Sentences on why that a message holds; the others are in `stratawatch status`."""
_TO_DO: Final[Mapping[BlindCause, str]] = {
    BlindCause.REFUSED: f"mend the input (`stratawatch check`), then `{cycle_command('reopen', '{cycle}')}`",
    BlindCause.NO_LABELS: "see that people label, and that the queue hands out and takes in (stratawatch doctor), or "
    "that their labels are not set aside (stratawatch labels set-aside)",
    BlindCause.FEW_LABELS: "stratawatch plan says how many labels it takes",
    BlindCause.MISSING_ANSWERS: "ask who labels why answers do not come: stratawatch report lists where",
    BlindCause.NO_BASELINE: "stratawatch baseline measure {panel}",
}


@dataclass(frozen=True)
class Change:
    """How a judgement changed which streams one cause hides: those from now on, the new ones, and those it left."""

    streams: Sequence[StreamKey]
    joined: Sequence[StreamKey]
    left: Sequence[StreamKey]


def notify_blind(tx: Transaction, ports: Ports, cycle: Cycle, dedup_key: str, reasons: Mapping[StreamKey, str]) -> None:
    """Write one message for all streams that one cause hides."""
    cause = blind_cause_of(dedup_key)
    lines = [
        *(_unanswered(tx, cycle) if cause == BlindCause.NO_LABELS else _reason_lines(reasons.values())),
        f"Of {streams_text(reasons)}.",
        *_to_do(cause, cycle),
        f"window {cycle.window}, cycle {cycle.id}",
        "It is resolved by itself once they can be told again.",
    ]
    notify(
        tx, ports, dedup_key, "warning", _subject(cycle.panel, reasons, cause), "\n".join(lines), _facts(cycle, reasons)
    )


def notify_blind_changed(
    tx: Transaction, ports: Ports, cycle: Cycle, revision: int, dedup_key: str, change: Change, reasons: Iterable[str]
) -> None:
    """Write which streams the cause hides now, once for each judgement that changed it."""
    before = len(change.streams) - len(change.joined) + len(change.left)
    cause = blind_cause_of(dedup_key)
    lines = [
        *(_unanswered(tx, cycle) if cause == BlindCause.NO_LABELS else _reason_lines(reasons)),
        *([f"New: {streams_text(change.joined)}."] if change.joined else []),
        *([f"No longer: {streams_text(change.left)}."] if change.left else []),
        f"Of {streams_text(change.streams)}; {count_text(before, 'metric')} before.",
        f"window {cycle.window}, cycle {cycle.id}",
    ]
    subject = f"STILL {_subject(cycle.panel, change.streams, cause)}"
    tag = f"members {cycle.period}.{revision}"
    notify_update(tx, ports, dedup_key, tag, subject, "\n".join(lines), _facts(cycle, change.streams))


def notify_blind_ended(
    tx: Transaction,
    ports: Ports,
    incidents: Sequence[Incident],
    why: Collection[str],
    states: Mapping[StreamKey, AlarmState],
    *,
    silent: bool = False,
) -> None:
    """Write that nothing is hidden by this cause any more: since when it was, of what, why it is not, and what holds.

    `incidents` are all that were told under the key, and `states` those of their streams now, as far as they are known.
    """
    first = min(incidents, key=lambda one: one.opened_at)
    keys = list(dict.fromkeys(one.key for one in incidents))
    now = {key: states[key] for key in keys if key in states}
    cause = blind_cause_of(first.dedup_key)
    window = tx.cycles.get(first.cycle_id).window
    lines = [
        f"{CAUSES[cause].capitalize() if cause else 'It could not'} since the window of {start_text(window.start)}.",
        f"It was about {streams_text(keys)}.",
        *(state_lines(now) if set(now.values()) - {AlarmState.BLIND} else _reason_lines(why)),
    ]
    panel = first.key.panel
    notify_end(tx, ports, first.dedup_key, _end(panel, now), "\n".join(lines), {"panel": panel}, silent=silent)


def _end(panel: str, now: Mapping[StreamKey, AlarmState]) -> str:
    if not now:
        return f"RESOLVED: {panel} does not watch any more what it could not tell"
    blind = [*now.values()].count(AlarmState.BLIND)
    if blind == len(now):
        return f"RESOLVED: {panel} is BLIND for another reason now"
    return f"RESOLVED: {panel} can tell {f'{len(now) - blind} of {len(now)} metrics ' if blind else ''}again"


def _subject(panel: str, streams: Collection[StreamKey], cause: BlindCause | None) -> str:
    number = f"{len(streams)} of its metrics" if len(streams) > 1 else "one of its metrics"
    return f"BLIND: {panel} cannot tell {number}{f': {CAUSES[cause]}' if cause else ''}"


def _to_do(cause: BlindCause | None, cycle: Cycle) -> Iterator[str]:
    if cause is not None:
        yield f"Do: {_TO_DO[cause].format(cycle=cycle.id, panel=cycle.panel)}"


def _unanswered(tx: Transaction, cycle: Cycle) -> list[str]:
    """How many items nobody answered; each stream says so of its own items."""
    asked = sum(not draw.reused for draw in tx.rounds.draws(cycle.id))
    votes = tx.panels.get(cycle.panel_version).votes
    were = "were answered" if votes == 1 else f"have the {votes} answers that `votes` asks for"
    return [f"0 of {count_text(asked, 'item')} {were}: look at the queue."]


def _reason_lines(reasons: Iterable[str]) -> list[str]:
    several = sorted(set(reasons))
    left = len(several) - MOST_REASONS
    return [*several[:MOST_REASONS], *([f"and {left} more like these: stratawatch status"] if left > 0 else [])]


def _facts(cycle: Cycle, streams: Iterable[StreamKey]) -> dict[str, object]:
    return {"panel": cycle.panel, **window_facts(cycle), "streams": [str(key) for key in streams]}
