"""Labels that wait for a draw of a cycle: after a restore, those of a round that the lost store had planned."""

from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction


def labels_wait_for(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> bool:
    """Whether labels wait in the inbox for items that the cycle may draw.

    Its next round is then planned even after the deadline: people were asked in time, by a store that was lost.
    """
    if not tx.labels.waiting().events:
        return False
    items = [item.item for item in tx.cycles.candidates(cycle.id)]
    keys = keys_of_items(tx, spec.items_of, tx.panels.question_key(spec), items)
    return bool(tx.labels.keys_waiting(list(keys.values())))
