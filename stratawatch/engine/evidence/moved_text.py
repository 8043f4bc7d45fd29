"""The lines of a page on a fall: how large it is, where it is, what it is not, and what may be done."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.moved import SegmentChange, ValueInterval
from stratawatch.core.population import Segment
from stratawatch.engine.evidence.cut_off_text import cut_off_line
from stratawatch.engine.evidence.what_moved import CountedFlags, StreamChange, change_of_stream
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count, count_text, estimate_text

MOST_NAMES: Final = 4
"""Segments without a change that are named."""


def moved_lines(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime, harm: Sequence[str] = ()
) -> list[str]:
    """Lines on the fall of a stream since a window's start. `harm` stands behind the fall, or alone.

    There are no other lines where nothing can be compared.
    """
    found = change_of_stream(tx, spec, cycle, key, since)
    return [*harm] if found is None else [*lines_of(found, harm)]


def lines_of(found: StreamChange, harm: Sequence[str] = ()) -> Iterator[str]:
    """The lines, the most urgent first."""
    change = found.change
    yield _fall(found)
    yield from harm
    yield from _where(change.segments, change.named_segments)
    yield f"Clue without labels, flags a window: {'; '.join(map(_counted, found.flags))}."
    yield from _causes(found)
    yield from cut_off_line(found.cut_offs)


def _fall(found: StreamChange) -> str:
    """What it was, and what it is on average since; that of one window alone is said elsewhere."""
    was, now = (_estimate(one) for one in (found.change.before, found.change.after))
    before, after = found.windows
    text = f"Before: {was} in {count_text(before, 'window')}"
    return f"{text}; {now} since." if after > 1 else f"{text}."


def _estimate(one: ValueInterval) -> str:
    return estimate_text(one.value, one.low, one.high)


def _where(segments: Sequence[SegmentChange], named: frozenset[Segment]) -> Iterator[str]:
    """The segments that moved it, with before and after; the others by name."""
    for one in segments:
        if one.segment in named:
            yield f"Where: {one.segment} {_estimate(one.after)}, was {one.before.value:.0%}."
    if named:
        others = [str(one.segment) for one in segments if one.segment not in named]
        if others:
            left = f" and {len(others) - MOST_NAMES} more" if len(others) > MOST_NAMES else ""
            yield f"No change proven in {', '.join(others[:MOST_NAMES])}{left}."
    elif segments:
        yield "Where: no segment stands out."


def _counted(one: CountedFlags) -> str:
    return f"{one.name} {count(round(one.before))} -> {count(round(one.after))}".strip()


def _causes(found: StreamChange) -> Iterator[str]:
    """What it is not, and what changed as well, each with its number."""
    for name, ruled_out in (("Also changed (before)", False), ("Not the cause (before)", True)):
        texts = [one.text for one in found.causes if one.is_ruled_out == ruled_out]
        if texts:
            yield f"{name}: {', '.join(texts)}."
