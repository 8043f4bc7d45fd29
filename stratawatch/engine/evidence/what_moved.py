"""What a fall is made of: its parts, a sign without labels, other causes, and a cut-off that mends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.moved import MetricChange, what_moved
from stratawatch.core.alarms.other_causes import OtherCause
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import POSITIVE
from stratawatch.engine.evidence.compared_windows import ComparedWindows, WindowSet, have_same_classifiers, other_causes
from stratawatch.engine.evidence.tried_cut_offs import TriedCutOffs, tried_cut_offs
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec

MOST_SEGMENTS: Final = 12
"""Segments among which a fall is looked for: the largest ones."""


@dataclass(frozen=True)
class CountedFlags:
    """Flags a window before and after, exactly: all of the classifier (no name), by it alone, or inside a segment."""

    name: str
    before: float
    after: float


@dataclass(frozen=True)
class StreamChange:
    """What moved a stream: its parts, signs without labels, other causes and cut-offs that were tried."""

    windows: tuple[int, int]
    change: MetricChange
    flags: tuple[CountedFlags, ...]
    causes: tuple[OtherCause, ...]
    cut_offs: TriedCutOffs


def change_of_stream(
    windows: ComparedWindows, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime
) -> StreamChange | None:
    """What moved a stream since a window's start, from up to four windows before it and from it on.

    None where no earlier window asked the same question with the classifier as it is, or nothing can be compared.
    """
    before, after = windows.around(spec, cycle, key.classifier, since)
    if not before.windows or not after.windows:
        return None
    segments = after.largest_segments(MOST_SEGMENTS)
    found = what_moved(before.labelled, after.labelled, key.classifier, key.metric, segments)
    if isinstance(found, Undefined):
        return None
    return StreamChange(
        windows=(len(before.windows), len(after.windows)),
        change=found,
        flags=tuple(_flags(found, before, after)),
        causes=other_causes(before, after),
        cut_offs=tried_cut_offs(spec, key, after),
    )


def _flags(found: MetricChange, before: WindowSet, after: WindowSet) -> Iterator[CountedFlags]:
    name = found.classifier
    yield CountedFlags("", before.calls(name, POSITIVE), after.calls(name, POSITIVE))
    if have_same_classifiers(before, after):
        lone = (one.calls(name, POSITIVE, alone=True) for one in (before, after))
        yield CountedFlags(f"by {name} alone", *lone)
    for segment in sorted(found.named_segments):
        inside = (one.calls(name, POSITIVE, segment) for one in (before, after))
        yield CountedFlags(f"in {segment}", *inside)
