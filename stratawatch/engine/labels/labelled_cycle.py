"""From stored facts to the statistics' own terms: the design as it was frozen, the ledger as it stands."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.verdicts import Verdict, VerdictsByItem, Vote, resolve_votes
from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.model.cycle_facts import CandidateItem, DrawnItem
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import PanelSpec
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


def design_of_cycle(spec: PanelSpec, atoms: Sequence[Atom], items: Sequence[CandidateItem]) -> FrozenDesign:
    """The frozen design of a cycle."""
    names = tuple(classifier.name for classifier in spec.classifiers)
    candidates = candidates_of(items, spec.columns.segments)
    return FrozenDesign(classifiers=names, atoms=tuple(atoms), candidates=candidates, survey=survey_of_panel(spec))


def verdicts_of(events: Iterable[LabelEvent], votes: int, *, not_before: datetime | None = None) -> dict[str, Verdict]:
    """Verdicts by item key. Events older than `not_before` have expired and count for nothing."""
    said: dict[str, list[Vote]] = defaultdict(list)
    for order, event in enumerate(events):
        if not_before is None or event.at >= not_before:
            said[event.item_key].append(Vote(event.annotator, event.value, order))
    resolved = {key: resolve_votes(words, votes) for key, words in said.items()}
    return {key: verdict for key, verdict in resolved.items() if verdict is not None}


def fingerprint(verdicts: Mapping[str, Verdict]) -> str:
    """The same verdicts, the same text."""
    lines = "\n".join(f"{key} {verdicts[key]}" for key in sorted(verdicts))
    return sha256(lines.encode()).hexdigest()


@dataclass(frozen=True)
class LabelledCycle:
    """A cycle's design, what was drawn from it, and what people said so far."""

    design: FrozenDesign
    draws: tuple[DrawnItem, ...]
    verdicts: Mapping[str, Verdict]  # by item key, of drawn items only

    @property
    def drawn(self) -> frozenset[str]:
        """Drawn items, by id."""
        return frozenset(draw.item for draw in self.draws)

    @property
    def reused(self) -> frozenset[str]:
        """Drawn items that nobody was asked about, by id."""
        return frozenset(draw.item for draw in self.draws if draw.reused)

    @property
    def ledger(self) -> VerdictsByItem:
        """The verdicts by item id."""
        return VerdictsByItem({d.item: self.verdicts[d.item_key] for d in self.draws if d.item_key in self.verdicts})


def load_labelled_cycle(
    tx: Transaction, spec: PanelSpec, cycle_id: int, candidates: Sequence[CandidateItem] | None = None
) -> LabelledCycle:
    """Read a cycle's design and ledger back from the store; its candidates too, unless they were read before."""
    draws = tx.rounds.draws(cycle_id)
    pools = tx.cycles.candidates(cycle_id) if candidates is None else candidates
    return LabelledCycle(
        design=design_of_cycle(spec, tx.cycles.atoms(cycle_id), pools),
        draws=draws,
        verdicts=cycle_verdicts(tx, spec, cycle_id, draws),
    )


def cycle_verdicts(tx: Transaction, spec: PanelSpec, cycle_id: int, draws: Sequence[DrawnItem]) -> dict[str, Verdict]:
    """What people said on a cycle's drawn items, by item key.

    Labels count that answer the question of the draw and were given at most `label_validity` before the cycle was
    opened.
    """
    oldest = tx.cycles.get(cycle_id).opened_at - spec.label_validity
    by_question: dict[str, list[str]] = defaultdict(list)
    for draw in draws:
        by_question[draw.question_key].append(draw.item_key)
    events = (event for question, keys in by_question.items() for event in tx.labels.of_items(keys, question))
    return verdicts_of(events, spec.votes, not_before=oldest)


def reusable_verdicts(
    tx: Transaction, spec: PanelSpec, items: Sequence[str], *, opened_at: datetime
) -> dict[str, Verdict]:
    """Verdicts on the panel's question, by item id, that earlier cycles left behind and that have not expired."""
    question = tx.panels.question_key(spec)
    keys = {key: item for item, key in keys_of_items(tx, spec.name, question, items).items()}
    events = tx.labels.of_items(list(keys), question)
    verdicts = verdicts_of(events, spec.votes, not_before=opened_at - spec.label_validity)
    return {keys[key]: verdict for key, verdict in verdicts.items() if verdict != "unresolved"}
