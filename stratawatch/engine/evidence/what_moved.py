"""What a fall is made of: its parts, a sign without labels, other causes, and a cut-off that mends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.moved import MetricChange, what_moved
from stratawatch.core.alarms.other_causes import OtherCause
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import POSITIVE
from stratawatch.engine.evidence.compared_windows import ComparedWindows, WindowSet, other_causes
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

    None where no earlier window asked the same question with the same classifiers, or nothing can be compared.
    """
    before, after = windows.around(spec, cycle, since)
    if not before.windows or not after.windows:
        return None
    segments = after.largest_segments(MOST_SEGMENTS)
    found = what_moved(before.labelled, after.labelled, key.classifier, key.metric, segments)
    if isinstance(found, Undefined):
        return None
    place = [classifier.name for classifier in spec.classifiers].index(key.classifier)
    return StreamChange(
        windows=(len(before.windows), len(after.windows)),
        change=found,
        flags=tuple(_flags(found, before, after, place)),
        causes=other_causes(before, after),
        cut_offs=tried_cut_offs(spec, key, after),
    )


def _flags(found: MetricChange, before: WindowSet, after: WindowSet, place: int) -> Iterator[CountedFlags]:
    yield CountedFlags("", before.calls(place, POSITIVE), after.calls(place, POSITIVE))
    lone = (one.calls(place, POSITIVE, alone=True) for one in (before, after))
    yield CountedFlags(f"by {found.classifier} alone", *lone)
    for segment in sorted(found.named_segments):
        inside = (one.calls(place, POSITIVE, segment) for one in (before, after))
        yield CountedFlags(f"in {segment}", *inside)
