"""The lines of a page on a fall: how large it is, what it costs, where it is, what it is not, what may be done."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from stratawatch.core.alarms.moved import SegmentChange, ValueInterval
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Segment
from stratawatch.engine.evidence.cut_off_text import cut_off_line
from stratawatch.engine.evidence.what_moved import CountedFlags, Harm, StreamChange, change_of_stream
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count, estimate_text


def moved_lines(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> list[str]:
    """Lines on the fall of a stream since a window's start; none where nothing can be compared."""
    found = change_of_stream(tx, spec, cycle, key, since)
    return [] if found is None else [*lines_of(found)]


def lines_of(found: StreamChange) -> Iterator[str]:
    """The lines, the most urgent first."""
    change, number = found.change, found.windows[0]
    was, now = (_estimate(one) for one in (change.before, change.after))
    windows = f"the {number} window{'s' * (number > 1)} before"
    yield f"Fall: {metric_named(change.metric).title} {was} in {windows}, {now} since."
    if found.harm is not None:
        yield _harm(found.harm)
    yield from _where(change.segments, change.named_segments)
    yield f"Clue without labels, a window: {', '.join(map(_counted, found.flags))}."
    yield from _causes(found)
    yield from cut_off_line(found.cut_offs)


def _estimate(one: ValueInterval) -> str:
    return estimate_text(one.value, one.low, one.high)


def _harm(harm: Harm) -> str:
    """Items a window, and how many more since; where the extra may be none, that no rise is proven.

    >>> _harm(Harm("misses", ValueInterval(1520, 1060, 2240), 1500, ValueInterval(40, -900, 1000)))
    'Harm: about 1,520 misses a window (1,060 to 2,240), 1,500 before; no rise proven.'
    """
    head = f"Harm: about {_items(harm.now, f'{harm.name} a window')}, {count(round(harm.before))} before"
    return f"{head}; " + ("no rise proven." if harm.extra.low <= 0 else f"about {_items(harm.extra, 'more since')}.")


def _items(one: ValueInterval, what: str) -> str:
    value, low, high = (count(round(number)) for number in (one.value, one.low, one.high))
    return f"{value} {what} ({low} to {high})"


def _where(segments: Sequence[SegmentChange], named: frozenset[Segment]) -> Iterator[str]:
    """The segments that moved it, with before and after; the others by name."""
    for one in segments:
        if one.segment in named:
            yield f"Where: {one.segment} {_estimate(one.after)}, {one.before.value:.0%} before."
    if named:
        others = [str(one.segment) for one in segments if one.segment not in named]
        if others:
            yield f"No change proven in {', '.join(others)}."
    elif segments:
        yield "Where: no segment stands out."


def _counted(one: CountedFlags) -> str:
    return f"{one.name} {count(round(one.before))} -> {count(round(one.after))}"


def _causes(found: StreamChange) -> Iterator[str]:
    """What it is not, and what changed as well, each with its number."""
    for name, ruled_out in (("Also changed (before)", False), ("Not the cause (before)", True)):
        texts = [one.text for one in found.causes if one.is_ruled_out == ruled_out]
        if texts:
            yield f"{name}: {', '.join(texts)}."
