"""What a page says of a fall: how large it is, in flags or misses a window, where it is, and a sign without labels."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.moved import MOST_WINDOWS, LabelledWindow, MetricChange, SegmentChange, what_moved
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import NEGATIVE, POSITIVE, Atom, Segment
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count, estimate_text

MOST_SEGMENTS: Final = 12
"""Segments among which a fall is looked for: the largest ones."""


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


def moved_lines(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> list[str]:
    """Lines on the fall of a stream since a window's start, from up to four windows before it and from it on.

    None where no earlier window asked the same question with the same classifiers.
    """
    before, after = (_Windows(found) for found in _sets(tx, spec, cycle, since))
    if not before.labelled or not after.labelled:
        return []
    segments = _largest(after)
    found = what_moved(before.labelled, after.labelled, key.classifier, key.metric, segments)
    if isinstance(found, Undefined):
        return []
    place = [classifier.name for classifier in spec.classifiers].index(key.classifier)
    named = found.named_segments
    return [
        _fall(found, before),
        *_harm(found, before, after, place),
        *_where(found.segments, named),
        _clue(before, after, place, key.classifier, sorted(named)),
    ]


def _sets(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, since: datetime
) -> tuple[tuple[LabelledWindow, ...], tuple[LabelledWindow, ...]]:
    """The newest windows before a moment, and from it on up to this cycle: as many of either as are compared."""
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=cycle.period, newest=26)
    alike = [one for one in judged if _is_alike(tx, spec, one)]
    earlier = [one for one in alike if one.window.start < since]
    later = [one for one in alike if one.window.start >= since]
    chosen = earlier[-MOST_WINDOWS:], [*later[-(MOST_WINDOWS - 1) :], cycle]
    before, after = (tuple(_labelled(tx, one) for one in some) for some in chosen)
    return before, after


def _is_alike(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> bool:
    """Whether patterns and verdicts of a window mean what they mean now."""
    then = tx.panels.get(cycle.panel_version)
    same = (then.classifiers, then.auxiliary) == (spec.classifiers, spec.auxiliary)
    return same and tx.panels.question_key(then) == tx.panels.question_key(spec)


def _labelled(tx: Transaction, cycle: Cycle) -> LabelledWindow:
    labelled = load_labelled_cycle(tx, tx.panels.get(cycle.panel_version), cycle.id)
    return LabelledWindow(labelled.design, labelled.ledger, labelled.drawn)


def _largest(windows: _Windows) -> list[Segment]:
    sizes: Counter[Segment] = Counter()
    for atom in windows.atoms():
        sizes.update(atom.segments)
    return sorted(sorted(sizes, key=lambda segment: (-sizes[segment], segment))[:MOST_SEGMENTS])


def _fall(found: MetricChange, before: _Windows) -> str:
    was, now = (estimate_text(one.value, one.low, one.high) for one in (found.before, found.after))
    title = metric_named(found.metric).title
    number = len(before.labelled)
    return f"Fall: {title} {was} in the {number} window{'s' * (number > 1)} before, {now} since."


def _harm(found: MetricChange, before: _Windows, after: _Windows, place: int) -> Iterator[str]:
    """Wrong flags a window, where the metric is precision; misses, where it is the false-omission rate."""
    kinds = {"precision": (POSITIVE, "wrong flags"), "false_omission_rate": (NEGATIVE, "misses")}
    if found.metric not in kinds:
        return
    letter, name = kinds[found.metric]
    was, now = (one.calls(place, letter) for one in (before, after))
    then, since = (_errors(found.metric, one.value, one.low, one.high) for one in (found.before, found.after))
    low, middle, high = (count(round(now * share)) for share in since)
    yield f"Harm: about {middle} {name} a window ({low} to {high}), {count(round(was * then[1]))} before."


def _errors(metric: str, value: float, low: float, high: float) -> tuple[float, float, float]:
    """The share that is wrong, with its interval."""
    return (1 - high, 1 - value, 1 - low) if metric == "precision" else (low, value, high)


def _where(segments: Sequence[SegmentChange], named: frozenset[Segment]) -> Iterator[str]:
    """The segments that moved it, with before and after; the others by name."""
    for one in segments:
        if one.segment in named:
            now = estimate_text(one.after.value, one.after.low, one.after.high)
            yield f"Where: {one.segment} {now}, {one.before.value:.0%} before."
    if named:
        others = [str(one.segment) for one in segments if one.segment not in named]
        if others:
            yield f"No change proven in {', '.join(others)}."
    elif segments:
        yield "Where: no segment stands out."


def _clue(before: _Windows, after: _Windows, place: int, classifier: str, named: Sequence[Segment]) -> str:
    """Counts of flags, which need no label."""
    parts = [_counts("flags", before.calls(place, POSITIVE), after.calls(place, POSITIVE))]
    lone = (one.calls(place, POSITIVE, alone=True) for one in (before, after))
    parts.append(_counts(f"by {classifier} alone", *lone))
    parts += [
        _counts(f"in {segment}", before.calls(place, POSITIVE, segment), after.calls(place, POSITIVE, segment))
        for segment in named
    ]
    return f"Clue without labels, a window: {', '.join(parts)}."


def _counts(name: str, was: float, now: float) -> str:
    return f"{name} {count(round(was))} -> {count(round(now))}"
