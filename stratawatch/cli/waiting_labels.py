"""Labels that wait for a draw of their item, as a table: of which item, by whom, since when, and why."""

from typing import TYPE_CHECKING, Final

from stratawatch.cli.output import time_text
from stratawatch.cli.table_output import show_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stratawatch.engine.model.label_events import LabelEvent
    from stratawatch.engine.ports.transaction import Transaction

NEWEST: Final = 5
"""Cycles of a panel whose pools are looked through for the item of a key."""
_UNKNOWN: Final = "its key is that of no item in the newest windows"


def show_waiting(tx: "Transaction", events: "Sequence[LabelEvent]") -> None:
    """Print a row for each label, in order of arrival."""
    items = _items(tx)
    rows = []
    for event in events:
        item, cycle = items.get(event.item_key, ("", 0))
        rows.append(
            {
                "item": item or f"key {event.item_key[:8]}...",
                "who": event.annotator,
                "value": event.value,
                "when": time_text(event.at),
                "why it waits": f"cycle {cycle} has not drawn the item" if item else _UNKNOWN,
            }
        )
    for first in rows[:1]:
        told = f"{first['who']} said {first['value']} of {first['item']} at {first['when']}; {first['why it waits']}"
        show_rows(rows, how_to_read=told)


def _items(tx: "Transaction") -> dict[str, tuple[str, int]]:
    """The items that may be drawn, or could have been, by key, with the newest cycle in whose pool each is."""
    from stratawatch.engine.labels.item_keys import keys_of_items

    found: dict[str, tuple[str, int]] = {}
    for name in tx.panels.latest():
        for cycle in tx.cycles.find(panel=name, newest=NEWEST):
            spec = tx.panels.get(cycle.panel_version)
            items = [one.item for one in tx.cycles.candidates(cycle.id)]
            keys = keys_of_items(tx, spec.items_of, tx.panels.question_key(spec), items)
            found |= {key: (item, cycle.id) for item, key in keys.items()}
    return found
