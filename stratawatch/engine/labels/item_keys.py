"""The names of items towards the queue: for each question of a panel its own."""

from collections.abc import Sequence

from stratawatch.engine.model.idempotency_keys import item_key, item_key_without_question
from stratawatch.engine.ports.transaction import Transaction


def keys_of_items(tx: Transaction, panel: str, question_key: str, items: Sequence[str]) -> dict[str, str]:
    """The key of each item for this question, by item id; `panel` is the one by whose name items are told apart.

    An item that was drawn for it before keys told questions apart keeps the key of then: labels may stand or be on
    their way under it. So does one whose labels wait under that key, as after the restore of a store of then, if the
    panel asked nothing else.
    """
    of_before = {item: item_key_without_question(panel, item) for item in items}
    out = tx.rounds.keys_drawn(list(of_before.values()), question_key)
    waiting = tx.labels.keys_waiting(list(of_before.values()))
    if waiting and tx.panels.question_keys(panel) == {question_key}:
        out |= waiting
    return {item: old if old in out else item_key(panel, item, question_key) for item, old in of_before.items()}
