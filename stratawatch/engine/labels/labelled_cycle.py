"""From stored facts to the statistics' own terms: the design as it was frozen, the ledger as it stands."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import chain

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.second_votes import next_vote, resolve_checked
from stratawatch.core.verdicts import SaidWord, Verdict, VerdictsByItem, Vote, resolve_votes
from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.labels.second_votes import SecondVoteCounts, checked_keys, words_of
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle, DrawnItem
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports.transaction import Transaction


def candidates_of(items: Sequence[CandidateItem], columns: Sequence[str]) -> Candidates:
    """The stored pool in the shape the statistics read."""
    clusters = tuple(item.cluster for item in items)
    return Candidates(
        items=tuple(item.item for item in items),
        atoms=np.array([item.atom for item in items], dtype=np.int64),
        digests=tuple(item.digest for item in items),
        segments={column: tuple(item.segments.get(column) for item in items) for column in columns},
        clusters=clusters if any(cluster is not None for cluster in clusters) else None,
    )


def design_of_cycle(
    spec: PanelSpec, atoms: Sequence[Atom], items: Sequence[CandidateItem], priors: tuple[VariancePrior, ...] = ()
) -> FrozenDesign:
    """The frozen design of a cycle."""
    names = tuple(classifier.name for classifier in spec.classifiers)
    candidates = candidates_of(items, spec.columns.segments)
    return FrozenDesign(names, tuple(atoms), candidates, survey_of_panel(spec), priors)


def verdicts_of(
    events: Iterable[LabelEvent],
    votes: int,
    *,
    not_before: datetime | None = None,
    checked: Collection[str] = (),
    has_ended: bool = True,
) -> dict[str, Verdict]:
    """Verdicts by item key. Events older than `not_before` have expired and count for nothing.

    Votes that are missing are waited for, unless the time for them `has_ended`; of the `checked` items a first yes
    waits for further ones.
    """
    said: dict[str, list[Vote]] = defaultdict(list)
    for order, event in enumerate(events):
        if not_before is None or event.at >= not_before:
            said[event.item_key].append(Vote(event.person, event.value, order))
    resolved = {
        key: resolve_checked(words, has_ended=has_ended)
        if key in checked
        else resolve_votes(words, votes, has_ended=has_ended)
        for key, words in said.items()
    }
    return {key: verdict for key, verdict in resolved.items() if verdict is not None}


def fingerprint(verdicts: Mapping[str, Verdict]) -> str:
    """The same verdicts, the same text."""
    lines = "\n".join(f"{key} {verdicts[key]}" for key in sorted(verdicts))
    return sha256(lines.encode()).hexdigest()


@dataclass(frozen=True)
class LabelledCycle:
    """A cycle's design, what each round drew from it, and what people said so far."""

    design: FrozenDesign
    draws: tuple[DrawnItem, ...]
    drawn: DrawnItems  # by id
    verdicts: Mapping[str, Verdict]  # by item key, of drawn items only
    second_votes: SecondVoteCounts = field(default_factory=SecondVoteCounts)
    disputed: frozenset[str] = frozenset()  # by item key, of those without a verdict

    @property
    def reused(self) -> frozenset[str]:
        """Drawn items that nobody was asked about, by id."""
        return frozenset(draw.item for draw in self.draws if draw.reused)

    @property
    def first_use_share(self) -> float:
        """The share of the draws that no earlier window drew; 1 where nothing was drawn."""
        first = sum(not draw.reused if draw.first_use is None else draw.first_use for draw in self.draws)
        return first / len(self.draws) if self.draws else 1.0

    @property
    def ledger(self) -> VerdictsByItem:
        """The verdicts by item id."""
        return VerdictsByItem({d.item: self.verdicts[d.item_key] for d in self.draws if d.item_key in self.verdicts})


def load_labelled_cycle(
    tx: Transaction, spec: PanelSpec, cycle_id: int, candidates: Sequence[CandidateItem] | None = None
) -> LabelledCycle:
    """Read a cycle's design and ledger back from the store; its candidates too, unless they were read before."""
    draws, drawn = draws_by_round(tx, cycle_id)
    pools = tx.cycles.candidates(cycle_id) if candidates is None else candidates
    said = cycle_answers(tx, spec, cycle_id, draws)
    return LabelledCycle(
        design=design_of_cycle(spec, tx.cycles.atoms(cycle_id), pools, tx.cycles.get(cycle_id).variance_priors),
        draws=draws,
        drawn=drawn,
        verdicts=said.verdicts,
        second_votes=SecondVoteCounts.of(said.words.values()),
        disputed=said.disputed,
    )


def draws_by_round(tx: Transaction, cycle_id: int) -> tuple[tuple[DrawnItem, ...], DrawnItems]:
    """All draws of a cycle, by atom and digest, and the round of each."""
    rounds = [tx.rounds.draws(cycle_id, one.id) for one in tx.rounds.of(cycle_id)]
    draws = sorted(chain.from_iterable(rounds), key=lambda draw: (draw.atom, draw.digest, draw.item))
    return tuple(draws), DrawnItems.of_rounds([draw.item for draw in one] for one in rounds)


@dataclass(frozen=True)
class CycleAnswers:
    """What people said on a cycle's drawn items, by item key: verdicts, and the words on checked items in order.

    `events` are the statements that this is made of.
    """

    verdicts: Mapping[str, Verdict]
    words: Mapping[str, Sequence[SaidWord]]
    events: Sequence[LabelEvent] = ()

    @property
    def disputed(self) -> frozenset[str]:
        """The items without a verdict of which some people said yes and others no."""
        open_ = {key for key, verdict in self.verdicts.items() if verdict == "unresolved"}
        said = words_of(event for event in self.events if event.item_key in open_)
        return frozenset(key for key, words in said.items() if {"yes", "no"} <= {*words})


def cycle_answers(tx: Transaction, spec: PanelSpec, cycle_id: int, draws: Sequence[DrawnItem]) -> CycleAnswers:
    """What people said on a cycle's drawn items.

    Labels count that answer the question of the draw and were given at most `label_validity` before the cycle was
    opened. While it is labelled, what nobody could tell in an earlier window and is asked again has no answer yet.
    """
    cycle = tx.cycles.get(cycle_id)
    by_question: dict[str, list[str]] = defaultdict(list)
    for draw in draws:
        by_question[draw.question_key].append(draw.item_key)
    oldest = cycle.opened_at - spec.label_validity
    found = (event for question, keys in by_question.items() for event in tx.labels.of_items(keys, question))
    events = [event for event in found if event.at >= oldest]
    checked = checked_keys(spec, tx.cycles.atoms(cycle_id), draws) if spec.second_votes else frozenset[str]()
    has_ended = cycle.state not in (CycleState.FROZEN, CycleState.LABELLING)
    verdicts = verdicts_of(events, spec.votes, checked=checked, has_ended=has_ended)
    words = words_of(event for event in events if event.item_key in checked)
    if not has_ended:
        for key in _asked_again(tx, cycle, draws, verdicts, events):
            del verdicts[key]
            words.pop(key, None)
    return CycleAnswers(verdicts, words, events)


def _asked_again(
    tx: Transaction,
    cycle: Cycle,
    draws: Sequence[DrawnItem],
    verdicts: Mapping[str, Verdict],
    events: Iterable[LabelEvent],
) -> frozenset[str]:
    """The items of which nobody could tell in an earlier window, and nobody has said anything since this one opened.

    A label from before this cycle of an item that is new to it was given to a store that was lost: it counts.
    """
    asked = {draw.item_key for draw in draws if not draw.reused and verdicts.get(draw.item_key) == "unresolved"}
    silent = asked - {event.item_key for event in events if event.at >= cycle.opened_at}
    return tx.rounds.drawn_in_earlier_windows(cycle.id, silent) if silent else frozenset()


def cycle_verdicts(
    tx: Transaction, spec: PanelSpec, cycle_id: int, draws: Sequence[DrawnItem]
) -> Mapping[str, Verdict]:
    """The verdicts on a cycle's drawn items, by item key."""
    return cycle_answers(tx, spec, cycle_id, draws).verdicts


@dataclass(frozen=True)
class ReusableAnswers:
    """What earlier cycles left behind, by item id: verdicts, and checked items that have a first yes and no more."""

    verdicts: Mapping[str, Verdict]
    begun: frozenset[str] = frozenset()


def reusable_answers(
    tx: Transaction,
    spec: PanelSpec,
    items: Sequence[str],
    *,
    opened_at: datetime,
    checked_items: Collection[str] = (),
) -> ReusableAnswers:
    """What was said on the panel's question about these items, and has not expired."""
    question = tx.panels.question_key(spec)
    keys = {key: item for item, key in keys_of_items(tx, spec.items_of, question, items).items()}
    events = [e for e in tx.labels.of_items(list(keys), question) if e.at >= opened_at - spec.label_validity]
    checked = frozenset(key for key, item in keys.items() if item in checked_items)
    verdicts = verdicts_of(events, spec.votes, checked=checked, has_ended=False)
    words = words_of(event for event in events if event.item_key in checked)
    return ReusableAnswers(
        {keys[key]: verdict for key, verdict in verdicts.items() if verdict != "unresolved"},
        frozenset(keys[key] for key, said in words.items() if next_vote(said) is not None),
    )
