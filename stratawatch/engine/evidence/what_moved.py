"""What people are told of a fall: how large it is, where it is, and a sign without labels."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.moved import MOST_WINDOWS, LabelledWindow, MetricChange, SegmentChange, what_moved
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import POSITIVE, Atom, Segment
from stratawatch.engine.evidence.like_windows import windows_around
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count, count_text, estimate_text

MOST_SEGMENTS: Final = 12
"""Segments among which a fall is looked for: the largest ones."""
MOST_NAMES: Final = 4
"""Segments without a change that are named."""


@dataclass(frozen=True)
class _Windows:
    """Windows before a fall, or from it on."""

    labelled: tuple[LabelledWindow, ...]

    def atoms(self) -> Iterator[Atom]:
        """The atoms of all windows."""
        return (atom for window in self.labelled for atom in window.design.atoms)

    def calls(self, place: int, letter: str, segment: Segment | None = None, *, alone: bool = False) -> float:
        """Items a window that the classifier at this place calls so, inside a segment, or by it alone."""
        sizes = (
            atom.size if segment is None else atom.segments.get(segment, 0)
            for atom in self.atoms()
            if atom.pattern[place] == letter and not (alone and atom.pattern.count(letter) > 1)
        )
        return sum(sizes) / max(len(self.labelled), 1)


def moved_lines(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime, harm: Sequence[str] = ()
) -> list[str]:
    """Lines on the fall of a stream since a window's start, from up to four windows before it and from it on.

    `harm` stands behind the fall. There are no other lines where no earlier window asked the same question with the
    same classifiers.
    """
    around = windows_around(tx, spec, cycle, since)
    chosen = around.before[-MOST_WINDOWS:], [*around.since[-(MOST_WINDOWS - 1) :], cycle]
    before, after = (_Windows(tuple(_labelled(tx, one) for one in some)) for some in chosen)
    if not before.labelled or not after.labelled:
        return [*harm]
    segments = _largest(after)
    found = what_moved(before.labelled, after.labelled, key.classifier, key.metric, segments)
    if isinstance(found, Undefined):
        return [*harm]
    place = [classifier.name for classifier in spec.classifiers].index(key.classifier)
    named = found.named_segments
    return [
        _fall(found, before, after),
        *harm,
        *_where(found.segments, named),
        _clue(before, after, place, key.classifier, sorted(named)),
    ]


def _labelled(tx: Transaction, cycle: Cycle) -> LabelledWindow:
    labelled = load_labelled_cycle(tx, tx.panels.get(cycle.panel_version), cycle.id)
    return LabelledWindow(labelled.design, labelled.ledger, labelled.drawn)


def _largest(windows: _Windows) -> list[Segment]:
    sizes: Counter[Segment] = Counter()
    for atom in windows.atoms():
        sizes.update(atom.segments)
    return sorted(sorted(sizes, key=lambda segment: (-sizes[segment], segment))[:MOST_SEGMENTS])


def _fall(found: MetricChange, before: _Windows, after: _Windows) -> str:
    """What it was, and what it is on average since; that of one window alone is said elsewhere."""
    was, now = (estimate_text(one.value, one.low, one.high) for one in (found.before, found.after))
    text = f"Before: {was} in {count_text(len(before.labelled), 'window')}"
    return f"{text}; {now} since." if len(after.labelled) > 1 else f"{text}."


def _where(segments: Sequence[SegmentChange], named: frozenset[Segment]) -> Iterator[str]:
    """The segments that moved it, with before and after; the others by name."""
    for one in segments:
        if one.segment in named:
            now = estimate_text(one.after.value, one.after.low, one.after.high)
            yield f"Where: {one.segment} {now}, was {one.before.value:.0%}."
    if named:
        others = [str(one.segment) for one in segments if one.segment not in named]
        if others:
            left = f" and {len(others) - MOST_NAMES} more" if len(others) > MOST_NAMES else ""
            yield f"No change proven in {', '.join(others[:MOST_NAMES])}{left}."
    elif segments:
        yield "Where: no segment stands out."


def _clue(before: _Windows, after: _Windows, place: int, classifier: str, named: Sequence[Segment]) -> str:
    """Counts of flags, which need no label."""
    parts = [_counts("", before.calls(place, POSITIVE), after.calls(place, POSITIVE))]
    lone = (one.calls(place, POSITIVE, alone=True) for one in (before, after))
    parts.append(_counts(f"by {classifier} alone", *lone))
    parts += [
        _counts(f"in {segment}", before.calls(place, POSITIVE, segment), after.calls(place, POSITIVE, segment))
        for segment in named
    ]
    return f"Clue without labels, flags a window: {'; '.join(parts)}."


def _counts(name: str, was: float, now: float) -> str:
    return f"{name} {count(round(was))} -> {count(round(now))}".strip()
