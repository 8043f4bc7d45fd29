"""Which items of a window had a label before it was opened: where each window draws anew, they are its known part.

Numbers of a window say nothing of those before it. So given all that happened before, the items without a label are
drawn by chance alone, whether earlier windows drew them or not; those with one are looked up, whatever their numbers.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.engine.evidence.first_use import drawn_labels
from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.labels.labelled_cycle import LabelledCycle, candidates_of, verdicts_of
from stratawatch.engine.labels.second_votes import is_checked
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle
from stratawatch.engine.model.erasure import is_erased
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction


def items_labelled_by(tx: Transaction, spec: PanelSpec, opened_at: datetime) -> frozenset[str]:
    """The ids that have a verdict for a cycle that is opened now; none where random numbers are permanent."""
    if not spec.draws_anew:
        return frozenset()
    question = tx.panels.question_key(spec)
    said: dict[str, list[LabelEvent]] = defaultdict(list)
    key_of: dict[str, str] = {}
    for item, event in tx.labels.on_drawn_items(question, opened_at, opened_at - spec.label_validity):
        said[event.item_key].append(event)
        key_of[item] = event.item_key
    events = (event for several in said.values() for event in several)
    verdicts = verdicts_of(events, spec.votes, checked=said.keys() if spec.second_votes else (), has_ended=False)
    decided = [item for item, key in key_of.items() if verdicts.get(key) in ("yes", "no")]
    # Another panel may ask the same question of items of its own, which only share their ids with these.
    ours = keys_of_items(tx, spec.items_of, question, decided)
    return frozenset(item for item in decided if ours[item] == key_of[item])


def labels_of_before(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, items: Sequence[CandidateItem]
) -> list[DrawnLabel]:
    """What a window knew of these items when it was opened, with their verdicts of now, as e-values need it."""
    question, oldest = tx.panels.question_key(spec), cycle.opened_at - spec.label_validity
    key_of = keys_of_items(tx, spec.items_of, question, [item.item for item in items])
    erased = {item for item in key_of if is_erased(item)}
    if erased:  # their ids are gone, and answers stand under the keys of then
        drawn = tx.labels.on_drawn_items(question, datetime.max.replace(tzinfo=UTC), oldest)
        key_of |= {item: event.item_key for item, event in drawn if item in erased}
    events = tx.labels.of_items(list(key_of.values()), question)
    checked = frozenset(key_of[item.item] for item in items if is_checked(spec, item.pattern))
    verdicts = verdicts_of(events, spec.votes, not_before=oldest, checked=checked)
    return [
        DrawnLabel(item, first_use=False, bets=False, verdict=verdicts.get(key), answered_before=True)
        for item, key in key_of.items()
    ]


def with_further_items(design: FrozenDesign, items: Sequence[CandidateItem]) -> FrozenDesign:
    """The design with those of the items that are in none of its pools beside its candidates: to read, not to draw."""
    pools = frozenset(design.candidates.items)
    further = candidates_of([one for one in items if one.item not in pools], tuple(design.candidates.segments))
    return replace(design, candidates=design.candidates.joined(further))


def betting_labels(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, labelled: LabelledCycle
) -> tuple[FrozenDesign, list[list[DrawnLabel]]]:
    """What e-values of a window are made of: its design, and the labels of every round.

    Where the window drew anew, items that had a label before are known to every round, whichever drew them.
    """
    design, rounds = labelled.design, drawn_labels(tx, spec, cycle, labelled)
    if spec.draws_anew and rounds:
        known = tx.cycles.labelled_before(cycle.id)
        design = with_further_items(design, known)
        rounds[0] += labels_of_before(tx, spec, cycle, known)
    return design, rounds
