"""What a changed question costs, before a cycle is opened with it."""

from dataclasses import dataclass
from datetime import datetime

from stratawatch.engine.labels.labelled_cycle import verdicts_of
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction


@dataclass(frozen=True)
class QuestionChange:
    """A panel's next cycle asks another question than its newest specification in the store.

    `labels_lost` are verdicts that a cycle could reuse today and that the changed question cannot; `labels_found` those
    of an earlier time at which the changed question was asked already.
    """

    before: PanelSpec
    key_before: str
    labels_lost: int
    labels_found: int


def question_change(tx: Transaction, spec: PanelSpec, now: datetime) -> QuestionChange | None:
    """How the question of a specification differs from the panel's newest; None where it is the same or the first."""
    before = tx.panels.latest().get(spec.name)
    if before is None:
        return None
    old, new = tx.panels.question_key(before), tx.panels.question_key(spec)
    if old == new:
        return None
    return QuestionChange(before, old, _reusable(tx, spec, old, now), _reusable(tx, spec, new, now))


def _reusable(tx: Transaction, spec: PanelSpec, question_key: str, now: datetime) -> int:
    """Items with a verdict on the question that has not expired."""
    events = (event for _, event in tx.labels.of_panel(spec.name, question_key))
    verdicts = verdicts_of(events, spec.votes, not_before=now - spec.label_validity)
    return sum(verdict != "unresolved" for verdict in verdicts.values())
