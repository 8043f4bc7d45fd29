"""What people are told of a breach: at its page, while it lasts, and when it is over; and its windows for charts."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from stratawatch.core.alarms.drops import worsening_word
from stratawatch.core.alarms.readings import MANY
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Limit
from stratawatch.core.metrics import metric_named
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.alarms.notifications import News, since_line, start_text
from stratawatch.engine.evidence.harm import harm
from stratawatch.engine.evidence.moved_text import moved_lines
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import Page
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text, estimate_text, exact_points, span_text

CHARTED: Final = MANY
"""Windows that a chart shows."""


def news_of_page(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, page: Page, slices: Sequence[str] = ()
) -> News:
    """What is outside and by how much, since when, at what cost, where, and how sure that is.

    `slices` are lines on segments, where no window before says what moved.
    """
    moved = _moved(tx, spec, cycle, key, page.since)
    limit = watched_streams(spec).get(key)
    is_of_drop = limit is not None and limit.max_drop is not None  # its sentence says from which baseline it fell
    lines = [
        *([page.reason] if is_of_drop else _value(tx, spec, cycle, key)),
        since_line(page.since, page.within),
        *(moved if len(moved) > 1 else [*moved, *slices]),
        _sure(page, spec.false_pages_per_year),
        *([f"Much speaks too against {'; '.join(map(str, page.others))}"] if page.others else []),
    ]
    return News(lines, _chart(tx, spec, cycle, key, page.since))


def news_of_reminder(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> News:
    """What the newest window says of a breach that lasts, and what it has cost; nothing where it was refused."""
    if cycle.state != CycleState.JUDGED:
        return News()
    chart = _chart(tx, spec, cycle, key, since)
    sure = "proven when it was paged; it is over once it is proven inside"
    lines = [*_value(tx, spec, cycle, key), since_line(since), *_moved(tx, spec, cycle, key, since), f"Sure: {sure}."]
    return News(lines, chart)


def news_of_end(tx: Transaction, spec: PanelSpec, cycle: Cycle, incident: Incident) -> News:
    """How long a breach lasted that is over now, and what that has cost."""
    key = incident.key
    since = incident.since or tx.cycles.get(incident.cycle_id).window.start
    windows = (cycle.window.start - since) // spec.windows.length
    if windows > 0:
        span = span_text(since, cycle.window.start)
        lasted = f"It lasted for {count_text(windows, 'window')}, {span}."
    else:
        lasted = f"It was about the window of {start_text(since)}, which other labels put inside."
    lines = [lasted]
    cost = harm(tx, spec, cycle, key, since, with_cycle=False) if windows > 0 else None
    if cost is not None and cost.total:
        lines.append(f"Harm: {cost.total}")
    return News(lines, _chart(tx, spec, cycle, key, since))


def _moved(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> list[str]:
    cost = harm(tx, spec, cycle, key, since)
    lines = [] if cost is None else [cost.line]
    return lines if key.segment is not None else moved_lines(tx, spec, cycle, key, since, lines)


def _value(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey) -> Iterator[str]:
    """The metric in this window, and its limit."""
    limit = watched_streams(spec).get(key)
    found = dict(_estimates(tx, spec, cycle, key, 1)).get(cycle.period)
    if found is None or limit is None:
        return
    title = metric_named(key.metric).title
    if isinstance(found.result, Undefined):
        yield f"Now: nothing is known of {title}, {_limit_text(limit)}: {found.result.reason}."
    else:
        interval = estimate_text(found.result.value, found.result.low, found.result.high)
        yield f"Now: {title} {interval} from {count_text(found.labels_used, 'label')}, {_limit_text(limit)}."


def _limit_text(limit: Limit) -> str:
    """The ends of a limit.

    >>> _limit_text(Limit("precision", floor=0.9, max_drop=0.05))
    'floor 90%, largest fall 5 points'
    """
    ends = (("floor", limit.floor), ("ceiling", limit.ceiling))
    words = [f"{name} {exact_points(value)}%" for name, value in ends if value is not None]
    if limit.max_drop is not None:
        words.append(f"largest {worsening_word(limit.metric)} {exact_points(limit.max_drop)} points")
    return ", ".join(words)


def _sure(page: Page, false_pages_per_year: float) -> str:
    """How sure the page is, in words.

    >>> _sure(Page("evidence", "", datetime(2026, 2, 16), is_proven_alone=False), 1.0)
    'Sure: proven by windows together, not by this one alone; at most one false page a year is expected of this panel.'
    """
    by = "this window alone" if page.is_proven_alone else "windows together, not by this one alone"
    one = false_pages_per_year == 1
    promise = "one false page a year is" if one else f"{false_pages_per_year:g} false pages a year are"
    return f"Sure: proven by {by}; at most {promise} expected of this panel."


def _chart(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> dict[str, Any]:
    """The windows up to this one, for a channel that draws."""
    limit = watched_streams(spec).get(key)
    windows = [
        {"start": _start(spec, period).isoformat(), "value": one.value, "low": one.low, "high": one.high}
        for period, estimate in _estimates(tx, spec, cycle, key, CHARTED)
        if isinstance(one := estimate.result, IntervalEstimate)
    ]
    ends = {} if limit is None else {"floor": limit.floor, "ceiling": limit.ceiling}
    known = {name: value for name, value in ends.items() if value is not None}
    return {"chart": {"windows": windows, "since": since.isoformat(), **known}} if windows else {}


def _estimates(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, windows: int
) -> list[tuple[int, Estimate]]:
    """A stream's estimates by period in the newest windows up to a cycle."""
    found = tx.estimates.in_periods(spec.name, cycle.period - windows + 1, cycle.period, [key.metric], [key.segment])
    return [(one.period, one.estimate) for one in found if one.estimate.classifier == key.classifier]


def _start(spec: PanelSpec, period: int) -> datetime:
    return spec.windows.start + period * spec.windows.length
