"""What a changed question costs, before a cycle is opened with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.verdicts import Verdict
from stratawatch.engine.labels.labelled_cycle import verdicts_of
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction


@dataclass(frozen=True)
class QuestionChange:
    """A panel's next cycle asks another question than its newest specification in the store.

    `labels_lost` are verdicts that a cycle could reuse today and that the changed question cannot; `labels_found` those
    of an earlier time at which the changed question was asked already. `items_asked` are those that people are asked
    the former question about, whose answers are not there yet or not read yet.
    """

    before: PanelSpec
    key_before: str
    labels_lost: int
    labels_found: int
    items_asked: int


def question_change(tx: Transaction, spec: PanelSpec, now: datetime) -> QuestionChange | None:
    """How the question of a specification differs from the panel's newest; None where it is the same or the first."""
    before = tx.panels.latest().get(spec.name)
    if before is None:
        return None
    old, new = tx.panels.question_key(before), tx.panels.question_key(spec)
    if old == new:
        return None
    lost, found = (_verdicts(tx, spec, question, now) for question in (old, new))
    return QuestionChange(before, old, _reusable(lost), _reusable(found), len(_asked(tx, spec.name, old) - {*lost}))


def _verdicts(tx: Transaction, spec: PanelSpec, question_key: str, now: datetime) -> Mapping[str, Verdict]:
    """The verdicts on the question that have not expired, by item key."""
    events = (event for _, event in tx.labels.of_panel(spec.name, question_key))
    return verdicts_of(events, spec.votes, not_before=now - spec.label_validity)


def _reusable(verdicts: Mapping[str, Verdict]) -> int:
    return sum(verdict != "unresolved" for verdict in verdicts.values())


def _asked(tx: Transaction, panel: str, question_key: str) -> set[str]:
    """The keys of the items that cycles under way ask the question about."""
    return {
        draw.item_key
        for cycle in tx.cycles.find(panel=panel, states=[CycleState.LABELLING])
        for draw in tx.rounds.draws(cycle.id)
        if draw.question_key == question_key and not draw.reused
    }
