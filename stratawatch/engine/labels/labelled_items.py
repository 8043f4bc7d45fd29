"""Drawn items one by one, as people look at them: what was shown, what classifiers said, who answered what and when."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from stratawatch.core.population import NEGATIVE, POSITIVE, Segment
from stratawatch.core.score_bins import OWN_BIN_COUNT, own_bin_foot
from stratawatch.core.verdicts import Verdict
from stratawatch.engine.alarms.failures import describe
from stratawatch.engine.labels.labelled_cycle import LabelledCycle, cycle_answers, design_of_cycle, draws_by_round
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle
from stratawatch.engine.model.erasure import is_erased
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError

CallSide = Literal["called", "passed"]
"""What a classifier did with an item: called it positive, or let it pass."""
WRONG: Final[Mapping[CallSide, Verdict]] = {"called": "no", "passed": "yes"}
"""The label by which each side is wrong."""
_SIDES: Final[Mapping[str, CallSide]] = {POSITIVE: "called", NEGATIVE: "passed"}


@dataclass(frozen=True)
class ScoreRange:
    """The bin that a score lies in, as probabilities: the store keeps no score itself."""

    low: float
    high: float


@dataclass(frozen=True)
class LabelledItem:
    """A drawn item of a cycle and its answers: those that stand, the latest of each person.

    `weight` is how many items of the window it stands for: N of its stratum by the labelled ones, more or less where
    two rounds drew from it; None where it has no yes or no. Items of a stratum without a label are in no weight.
    `payload_gap` says why nobody can be shown what labellers saw, or is empty.
    """

    cycle: Cycle
    spec: PanelSpec
    item: CandidateItem
    item_key: str
    stratum: int
    verdict: Verdict | None
    answers: tuple[LabelEvent, ...]
    weight: float | None
    payload_gap: str = ""

    def side(self, classifier: str) -> CallSide | None:
        """What a classifier of the panel did with it; None where it did not say."""
        return _SIDES.get(self.item.pattern[self.names.index(classifier)])

    def is_mistake(self, classifier: str) -> bool:
        """Whether people said the opposite of what a classifier said."""
        side = self.side(classifier)
        return side is not None and self.verdict == WRONG[side]

    def score(self, classifier: str) -> ScoreRange | None:
        """The bin of a classifier's score; None where it gave none, or was frozen before bins were kept."""
        number = (self.item.score_bins or {}).get(classifier)
        if number is None:
            return None
        return ScoreRange(own_bin_foot(number), own_bin_foot(number + 1) if number + 1 < OWN_BIN_COUNT else 1.0)

    @property
    def segments(self) -> frozenset[str]:
        """The segments that it lies in, as country=DE."""
        given = self.item.segments.items()
        return frozenset(str(Segment(column, value)) for column, value in given if value is not None)

    @property
    def names(self) -> list[str]:
        """The classifiers of its panel when it was drawn."""
        return [one.name for one in self.spec.classifiers]


def labelled_items(tx: Transaction, cycle: Cycle) -> tuple[LabelledItem, ...]:
    """Every drawn item of a cycle, answered or not, in the order of the draw."""
    spec, atoms = tx.panels.get(cycle.panel_version), tx.cycles.atoms(cycle.id)
    draws, drawn = draws_by_round(tx, cycle.id)
    if not draws:
        return ()
    said = cycle_answers(tx, spec, cycle.id, draws)
    candidates = tx.cycles.candidates(cycle.id)
    labelled = LabelledCycle(design_of_cycle(spec, atoms, candidates), draws, drawn, said.verdicts)
    weights = labelled.design.items_stood_for(labelled.ledger, drawn)
    pool = {one.item: one for one in candidates}
    answers = _standing(said.events)
    return tuple(
        LabelledItem(
            cycle,
            spec,
            pool[draw.item],
            draw.item_key,
            atoms[draw.atom].stratum,
            said.verdicts.get(draw.item_key),
            tuple(answers.get(draw.item_key, {}).values()),
            weights.get(draw.item),
        )
        for draw in draws
    )


def newest_draws(tx: Transaction, panel: str) -> Mapping[str, LabelledItem]:
    """Every item of a panel that was ever drawn, by item key, as the newest window that drew it has it."""
    cycles = (*tx.cycles.find(panel=panel, replaced=True), *tx.cycles.find(panel=panel))
    return {one.item_key: one for cycle in cycles for one in labelled_items(tx, cycle)}


def with_payload(ports: Ports, items: Sequence[LabelledItem]) -> tuple[LabelledItem, ...]:
    """Items of one cycle with what labellers saw of them, which is read again by id where the store has forgotten it.

    Nothing of it is kept. Where the source has it no more, or cannot be read, `payload_gap` says so.
    """
    bare = [one for one in items if one.spec.columns.payload and not one.item.payload]
    gone = {one.item.item: "it was erased" for one in bare if is_erased(one.item.item)}
    purged = {one.item.item for one in bare} - set(gone)
    found: Mapping[str, CandidateItem] = {}
    gap = "the source has it no more as it was drawn"
    if purged:
        try:
            found = _read_again(ports, bare[0].cycle, bare[0].spec, purged)
        except StratawatchError as trouble:
            gap = f"the source could not be read: {describe(trouble)}"
    gone |= dict.fromkeys(purged - set(found), f"purged from the store, and {gap}")

    def filled(one: LabelledItem) -> LabelledItem:
        again = found.get(one.item.item)
        item = one.item if again is None else replace(one.item, payload=again.payload)
        return replace(one, item=item, payload_gap=gone.get(one.item.item, ""))

    return tuple(filled(one) for one in items)


def _read_again(ports: Ports, cycle: Cycle, spec: PanelSpec, ids: set[str]) -> Mapping[str, CandidateItem]:
    source = ports.sources.get(cycle.panel)
    if source is None:
        raise StratawatchError(f"panel '{cycle.panel}' is not configured any more")
    with ports.store.begin() as tx:
        atoms = tx.cycles.atoms(cycle.id)
    with source.reading(spec, cycle.window) as reading:
        return {one.item: one for one in reading.items_by_id(atoms, ids, with_payload=True)}


def _standing(events: Iterable[LabelEvent]) -> Mapping[str, Mapping[str, LabelEvent]]:
    """The latest statement of every person who has not taken it back, by item key."""
    found: dict[str, dict[str, LabelEvent]] = {}
    for event in events:
        words = found.setdefault(event.item_key, {})
        words.pop(event.person, None) if event.value == "retract" else words.update({event.person: event})
    return found
