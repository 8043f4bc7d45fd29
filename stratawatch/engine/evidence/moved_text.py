"""The lines of a page on a fall: where it is, a sign without labels, what it is not, and what may be done."""

from collections.abc import Iterator
from typing import Final

from stratawatch.core.alarms.error_shares import ErrorShare, error_share
from stratawatch.core.alarms.moved import SegmentChange
from stratawatch.engine.evidence.cut_off_text import cut_off_line
from stratawatch.engine.evidence.what_moved import CountedFlags, StreamChange
from stratawatch.formatting import count, count_text

MOST_NAMES: Final = 4
"""Segments without a change that are named."""


def place_lines(found: StreamChange, unit: str) -> Iterator[str]:
    """Where a fall is and where not, and the sign that needs no label; `unit` is what a window is called."""
    _, after = found.windows
    counts = f"exact counts{f', mean of {count_text(after, unit)}' if after > 1 else ''}"
    yield from _where(
        found, error_share(found.change.metric), f" in these {count_text(after, unit)}" if after > 1 else ""
    )
    yield f"Clue: flags a {unit} {'; '.join(map(_counted, found.flags))} ({counts})."


def cause_lines(found: StreamChange, unit: str) -> Iterator[str]:
    """What it is not, what changed as well, and a cut-off that would mend it."""
    yield from _causes(found)
    yield from cut_off_line(found.cut_offs, unit)


def named_text(found: StreamChange) -> str:
    """The segments that moved it, for a headline; empty where none stands out, or all do."""
    names = sorted(map(str, found.change.named_segments))
    some = 0 < len(names) < min(len(found.change.segments), MOST_NAMES)
    return f"it comes from {' and '.join(names)}" if some else ""


def _where(found: StreamChange, share: ErrorShare, span: str) -> Iterator[str]:
    """The segments that moved it, with before and after; the others with what they are now."""
    segments, named = found.change.segments, found.change.named_segments
    for one in segments:
        if one.segment in named:
            yield f"Where: {one.segment}, {share.brief(one.after)}{span}, was {share.number(one.before.value)} before."
    others = [one for one in segments if one.segment not in named]
    if named and others:
        left = f" and {len(others) - MOST_NAMES} more" if len(others) > MOST_NAMES else ""
        yield f"Elsewhere: {', '.join(_now(one, share) for one in others[:MOST_NAMES])}{left}: no clear change."
    elif segments and not named:
        yield "Where: no segment stands out."


def _now(one: SegmentChange, share: ErrorShare) -> str:
    return f"{one.segment} {share.number(one.after.value)} (was {share.number(one.before.value)})"


def _counted(one: CountedFlags) -> str:
    return f"{one.name} from {count(round(one.before))} to {count(round(one.after))}".strip()


def _causes(found: StreamChange) -> Iterator[str]:
    """What it is not, and what changed as well, each with its number."""
    for name, ruled_out in (("Also changed", False), ("Not the cause", True)):
        texts = [one.text for one in found.causes if one.is_ruled_out == ruled_out]
        if texts:
            yield f"{name}: {', '.join(texts)}."
