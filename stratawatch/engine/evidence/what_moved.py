"""What a fall is made of: parts, cost in items, a sign without labels, other causes, and a cut-off that mends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.moved import MetricChange, ValueInterval, what_moved
from stratawatch.core.alarms.other_causes import OtherCause
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import NEGATIVE, POSITIVE
from stratawatch.engine.evidence.compared_windows import WindowSet, compared_windows, other_causes
from stratawatch.engine.evidence.tried_cut_offs import TriedCutOffs, tried_cut_offs
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction

MOST_SEGMENTS: Final = 12
"""Segments among which a fall is looked for: the largest ones."""


@dataclass(frozen=True)
class Harm:
    """Items that went wrong a window since a fall, before it, and how many more in all windows since."""

    name: str  # "wrong flags" or "misses"
    now: ValueInterval
    before: float
    extra: ValueInterval


@dataclass(frozen=True)
class CountedFlags:
    """Flags a window before and after, exactly: of the classifier, by it alone, or inside a segment that is named."""

    name: str
    before: float
    after: float


@dataclass(frozen=True)
class StreamChange:
    """What is known of a fall."""

    windows: tuple[int, int]
    change: MetricChange
    harm: Harm | None
    flags: tuple[CountedFlags, ...]
    causes: tuple[OtherCause, ...]
    cut_offs: TriedCutOffs


def change_of_stream(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime
) -> StreamChange | None:
    """What moved a stream since a window's start, from up to four windows before it and from it on.

    None where no earlier window asked the same question with the same classifiers, or nothing can be compared.
    """
    before, after = compared_windows(tx, spec, cycle, since)
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
        harm=_harm(found, before, after, place),
        flags=tuple(_flags(found, before, after, place)),
        causes=other_causes(before, after),
        cut_offs=tried_cut_offs(spec, key, after),
    )


def _harm(found: MetricChange, before: WindowSet, after: WindowSet, place: int) -> Harm | None:
    """Wrong flags, where the metric is precision; misses, where it is recall or the false-omission rate."""
    if found.metric == "precision":
        was, now = (_complement(one) for one in (found.before, found.after))
        return _harm_in_items("wrong flags", was, now, before, after, POSITIVE, place)
    if found.metric not in ("recall", "false_omission_rate"):
        return None
    missed = what_moved(before.labelled, after.labelled, found.classifier, "false_omission_rate")
    if isinstance(missed, Undefined):
        return None
    return _harm_in_items("misses", missed.before, missed.after, before, after, NEGATIVE, place)


def _complement(one: ValueInterval) -> ValueInterval:
    return ValueInterval(1 - one.value, 1 - one.high, 1 - one.low)


def _harm_in_items(
    name: str, was: ValueInterval, now: ValueInterval, before: WindowSet, after: WindowSet, letter: str, place: int
) -> Harm:
    """The shares times the items that are called so; the ends of the extra ones by MOVER."""
    then, since = (
        ValueInterval(*(items * share for share in (one.value, one.low, one.high)))
        for items, one in ((before.calls(place, letter), was), (after.calls(place, letter), now))
    )
    number, extra = len(after.windows), since.value - then.value
    under = ((since.value - since.low) ** 2 + (then.high - then.value) ** 2) ** 0.5
    over = ((since.high - since.value) ** 2 + (then.value - then.low) ** 2) ** 0.5
    in_all = ValueInterval(number * extra, number * (extra - under), number * (extra + over))
    return Harm(name, since, then.value, in_all)


def _flags(found: MetricChange, before: WindowSet, after: WindowSet, place: int) -> Iterator[CountedFlags]:
    yield CountedFlags("flags", before.calls(place, POSITIVE), after.calls(place, POSITIVE))
    lone = (one.calls(place, POSITIVE, alone=True) for one in (before, after))
    yield CountedFlags(f"by {found.classifier} alone", *lone)
    for segment in sorted(found.named_segments):
        inside = (one.calls(place, POSITIVE, segment) for one in (before, after))
        yield CountedFlags(f"in {segment}", *inside)
