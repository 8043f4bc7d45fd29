"""Erase one item: what it said goes, from the store and from the queue; what estimates are made of stays."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stratawatch.engine.audit import note_action
from stratawatch.engine.labels.queue_payload import drop_queue_payload, note_items
from stratawatch.engine.lease import hold_lease, panel_lease_name
from stratawatch.engine.model.erasure import Erasure, item_digest
from stratawatch.engine.model.idempotency_keys import item_key, item_key_without_question
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import Unreachable

Remember = Callable[[Sequence[Erasure]], None]
"""Adds to the list of erasures, which lies apart from the store: a backup of before does not know of them."""


@dataclass(frozen=True)
class ErasedItem:
    """What was changed, by what it is; and the trouble of a queue that is away, which the next advance tells too."""

    digest: str
    counts: Mapping[str, int]
    away: str = ""


def about_item(tx: Transaction, panel: str, item: str) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Everything that the store keeps about an item of a panel."""
    return tx.erasures.about(panel, item, _keys(tx, panel, item))


def erase_item(
    ports: Ports, panels: Sequence[str], item: str, listed: Collection[tuple[str, str]], remember: Remember, why: str
) -> ErasedItem:
    """Erase an item of these panels, with one row in the audit log; `listed` are (panel, digest) of the list.

    Once more changes nothing, and notes nothing. Raises LeaseHeld while a worker is at one of the panels.
    """
    now, digest = ports.clock.now(), item_digest(item)
    again = [Erasure(now, panel, digest) for panel in panels]
    counts = _erase(
        ports, {(panel, item): now for panel in panels}, why, lambda found: _remember(again, found, listed, remember)
    )
    return ErasedItem(digest, counts, _away(ports))


def erase_again(ports: Ports, erasures: Sequence[Erasure], why: str = "") -> ErasedItem:
    """Erase what the list says from a store that was restored: of each item what came by the time of its erasure."""
    due: dict[tuple[str, str], datetime] = {}
    with ports.store.begin() as tx:
        for panel in {one.panel for one in erasures}:
            until = {one.digest: one.at for one in sorted(erasures, key=lambda one: one.at) if one.panel == panel}
            for item in tx.erasures.items(panel, max(until.values())):
                if at := until.get(item_digest(item)):
                    due[panel, item] = at
    counts = _erase(ports, due, why, lambda found: bool(+found)) if due else {}
    return ErasedItem("", counts, _away(ports))


def _erase(
    ports: Ports, due: Mapping[tuple[str, str], datetime], why: str, is_new: Callable[[Counter[str]], bool]
) -> Mapping[str, int]:
    panels = sorted({panel for panel, _ in due})
    counts: Counter[str] = Counter()
    with ExitStack() as leases:
        for panel in panels:  # a worker that has read the item would write it again
            leases.enter_context(hold_lease(ports, panel_lease_name(panel)))
        with ports.store.begin() as tx:
            for (panel, item), at in due.items():
                erased = tx.erasures.erase(panel, item, _keys(tx, panel, item), at)
                counts.update(erased.counts)
                if erased.batches:
                    note_items(tx, ports, erased.batches)
            if is_new(counts):
                digests = sorted({item_digest(item)[:16] for _, item in due})
                what = ", ".join(f"{number} {name}" for name, number in (+counts).items()) or "nothing was kept"
                note_action(tx, ports, "erased", f"{_named(digests)} of {', '.join(panels)}: {what}", why)
                tx.commit()
    return dict(counts)


def _named(digests: Sequence[str]) -> str:
    return f"item {digests[0]}" if len(digests) == 1 else f"{len(digests)} items"


def _remember(
    again: Sequence[Erasure], found: Counter[str], listed: Collection[tuple[str, str]], remember: Remember
) -> bool:
    """Add to the list before the store commits: a process that dies in between leaves what can be done again."""
    if not +found and all((one.panel, one.digest) in listed for one in again):
        return False
    remember(again)
    return True


def _away(ports: Ports) -> str:
    """Erase the item from the queue too; returns the trouble where the queue is away."""
    try:
        drop_queue_payload(ports)
    except Unreachable as trouble:
        return str(trouble)
    return ""


def _keys(tx: Transaction, panel: str, item: str) -> frozenset[str]:
    """The names of an item towards the queue, those that no label came under included."""
    owner = tx.panels.latest()[panel].items_of
    asked = (item_key(owner, item, question) for question in tx.panels.question_keys(panel))
    return tx.erasures.keys_drawn(panel, item) | {*asked, item_key_without_question(owner, item)}
