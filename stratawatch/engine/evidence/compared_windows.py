"""The windows that a fall is looked for in: up to four before it, and up to four from it on."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Final

from stratawatch.core.alarms.moved import MOST_WINDOWS, LabelledWindow
from stratawatch.core.alarms.other_causes import CauseKind, OtherCause
from stratawatch.core.alarms.scored_labels import ScoredWindow
from stratawatch.core.estimation.agreement import annotator_agreements, latest_answers
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.evidence.like_windows import windows_around
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction

_HOUR: Final = 3600.0
_Number = tuple[CauseKind, Callable[["WindowSet"], float | None]]


@dataclass(frozen=True)
class ComparedWindow:
    """One window: its panel, design and labels, its candidates, hours until its answers came, and pairs of answers.

    `panel` is as it was then: other classifiers may have come or left since. `candidates` are the whole pools from a
    fall on, where cut-offs are tried, and the drawn ones before it. `pairs` are two answers to one item, counted twice,
    and how many of these agree.
    """

    panel: PanelSpec
    labelled: LabelledWindow
    candidates: tuple[CandidateItem, ...]
    delays: tuple[float, ...]
    pairs: tuple[int, int]

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The window's atoms."""
        return self.labelled.design.atoms

    def calls(self, classifier: str, letter: str, segment: Segment | None = None, *, alone: bool = False) -> int:
        """Items that a classifier calls so, inside a segment, or by it alone."""
        place = self.panel.place_of(classifier)
        return sum(
            atom.size if segment is None else atom.segments.get(segment, 0)
            for atom in self.atoms
            if atom.pattern[place] == letter and not (alone and atom.pattern.count(letter) > 1)
        )

    def scored(self, classifier: str) -> ScoredWindow | None:
        """The window with a classifier's own score bins; None where they were not kept."""
        if any(one.score_bins is None for one in self.candidates):
            return None
        bins = ((one.item, (one.score_bins or {}).get(classifier)) for one in self.candidates)
        return ScoredWindow(self.labelled, {item: number for item, number in bins if number is not None})


@dataclass(frozen=True)
class WindowSet:
    """Windows before a fall, or from it on, oldest first."""

    windows: tuple[ComparedWindow, ...]

    @property
    def labelled(self) -> tuple[LabelledWindow, ...]:
        """The windows' designs and labels."""
        return tuple(one.labelled for one in self.windows)

    def atoms(self) -> Iterator[Atom]:
        """The atoms of all windows."""
        return (atom for one in self.windows for atom in one.atoms)

    def calls(self, classifier: str, letter: str, segment: Segment | None = None, *, alone: bool = False) -> float:
        """Items a window that a classifier calls so, inside a segment, or by it alone."""
        calls = (one.calls(classifier, letter, segment, alone=alone) for one in self.windows)
        return sum(calls) / max(len(self.windows), 1)

    def largest_segments(self, most: int) -> list[Segment]:
        """The largest segments, sorted by their names."""
        sizes: Counter[Segment] = Counter()
        for atom in self.atoms():
            sizes.update(atom.segments)
        return sorted(sorted(sizes, key=lambda segment: (-sizes[segment], segment))[:most])

    def volume(self) -> float | None:
        """Items a window."""
        return sum(atom.size for atom in self.atoms()) / len(self.windows)

    def mean_score(self) -> float | None:
        """The mean of the scores that strata are cut by."""
        scored = [(atom.size, atom.mean_score) for atom in self.atoms() if atom.mean_score is not None]
        items = sum(size for size, _ in scored)
        return sum(size * score for size, score in scored) / items if items else None

    def delay(self) -> float | None:
        """The median hours until an answer came."""
        delays = [delay for one in self.windows for delay in one.delays]
        return median(delays) if delays else None

    def agreement(self) -> float | None:
        """The share of pairs of answers to one item that agree."""
        pairs, agreeing = (sum(one.pairs[place] for one in self.windows) for place in (0, 1))
        return agreeing / pairs if pairs else None


@dataclass(frozen=True)
class ComparedWindows:
    """Reads the windows around falls, each of them once: several falls, and their cut-offs, look at the same ones."""

    tx: Transaction
    _read: dict[tuple[int, bool], ComparedWindow] = field(default_factory=dict)

    def around(self, spec: PanelSpec, cycle: Cycle, classifier: str, since: datetime) -> tuple[WindowSet, WindowSet]:
        """The newest windows before a moment, and from it on up to this cycle: as many of either as are compared."""
        earlier = windows_around(self.tx, spec, cycle, classifier, since).before
        before = WindowSet(tuple(self._window(one, with_pools=False) for one in earlier[-MOST_WINDOWS:]))
        return before, self.since(spec, cycle, classifier, since)

    def since(self, spec: PanelSpec, cycle: Cycle, classifier: str, since: datetime) -> WindowSet:
        """The newest windows from a moment on up to this cycle: as many as are compared."""
        later = windows_around(self.tx, spec, cycle, classifier, since).since
        compared = (*later[-(MOST_WINDOWS - 1) :], cycle)
        return WindowSet(tuple(self._window(one, with_pools=True) for one in compared))

    def _window(self, cycle: Cycle, *, with_pools: bool) -> ComparedWindow:
        place = (cycle.id, with_pools)
        if place not in self._read:
            self._read[place] = _compared(self.tx, cycle, with_pools=with_pools)
        return self._read[place]


def have_same_classifiers(*sets: WindowSet) -> bool:
    """Whether all windows have the same classifiers and scores: only then what several of them do can be compared."""
    return len({(one.panel.classifiers, one.panel.auxiliary) for windows in sets for one in windows.windows}) == 1


def other_causes(before: WindowSet, after: WindowSet) -> tuple[OtherCause, ...]:
    """What else may have changed, as far as the store can tell before and after."""
    scores: list[_Number] = [("score drift", WindowSet.mean_score)] if have_same_classifiers(before, after) else []
    numbers: list[_Number] = [
        ("volume", WindowSet.volume),
        *scores,
        ("label delay", WindowSet.delay),
        ("agreement", WindowSet.agreement),
    ]
    found = ((kind, number(before), number(after)) for kind, number in numbers)
    return tuple(OtherCause(kind, was, now) for kind, was, now in found if was is not None and now is not None)


def _compared(tx: Transaction, cycle: Cycle, *, with_pools: bool) -> ComparedWindow:
    candidates = tx.cycles.candidates(cycle.id) if with_pools else tx.cycles.drawn_candidates(cycle.id)
    panel = tx.panels.get(cycle.panel_version)
    found = load_labelled_cycle(tx, panel, cycle.id, candidates)
    delays, answers = _answers(tx, cycle)
    agreements = annotator_agreements(latest_answers(answers))
    pairs = sum(one.pairs for one in agreements), sum(one.agreeing for one in agreements)
    labelled = LabelledWindow(found.design, found.ledger, found.drawn)
    return ComparedWindow(panel, labelled, candidates, tuple(delays.values()), pairs)


def _answers(tx: Transaction, cycle: Cycle) -> tuple[dict[str, float], Sequence[tuple[str, str, str]]]:
    """Hours until the first answer to every item that people were asked about, and all answers in order."""
    delays: dict[str, float] = {}
    said: list[tuple[str, str, str]] = []
    for round_ in tx.rounds.of(cycle.id):
        asked: dict[str, list[str]] = {}
        for draw in tx.rounds.draws(cycle.id, round_.id):
            if not draw.reused:
                asked.setdefault(draw.question_key, []).append(draw.item_key)
        for question, keys in asked.items():
            for event in tx.labels.of_items(keys, question):
                said.append((event.item_key, event.person, event.value))
                if event.at >= round_.planned_at:
                    hours = (event.at - round_.planned_at).total_seconds() / _HOUR
                    delays[event.item_key] = min(hours, delays.get(event.item_key, hours))
    return delays, said
