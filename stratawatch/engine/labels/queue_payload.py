"""Takes out of the queue what labellers were shown of items that the store has forgotten.

The store notes what is to go in the transaction in which it forgets it, so that a queue that is away holds nothing up.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from stratawatch.engine.labels.queue_identity import require_queue
from stratawatch.engine.ports import PayloadKeeper, Ports
from stratawatch.engine.ports.transaction import Transaction

IN_QUEUE: Final = "payload in the queue"
"""The cursor of what is to go: `cycles`, of which all payload is, and `batches` with some of their items."""
CYCLES_AT_ONCE: Final = 20
"""Bound on one advance; the rest goes at the next."""


def note_cycles(tx: Transaction, ports: Ports, cycles: Collection[int]) -> None:
    """Note that the payload of cycles is to go."""
    record = _record(tx)
    _save(tx, ports, {*record["cycles"], *cycles}, record["batches"])


def note_items(tx: Transaction, ports: Ports, batches: Mapping[str, Collection[str]]) -> None:
    """Note that the payload of items is to go, by the key of their batch."""
    record = _record(tx)
    noted = {key: sorted({*items, *record["batches"].get(key, ())}) for key, items in batches.items()}
    _save(tx, ports, record["cycles"], {**record["batches"], **noted})


def drop_queue_payload(ports: Ports) -> None:
    """Let the queue forget what is noted. Raises Unreachable where it is away; the next advance tries again."""
    with ports.store.begin() as tx:
        record = _record(tx)
        cycles, batches = sorted(record["cycles"])[:CYCLES_AT_ONCE], record["batches"]
        due = {key: {*items} for key, items in batches.items()}
        for batch in (one for cycle in cycles for one in tx.rounds.batches(cycle_id=cycle)):
            due.setdefault(batch.key, set()).update(task.item_key for task in batch.tasks)
    if not (cycles or batches):
        return
    if due and isinstance(ports.queue, PayloadKeeper):
        require_queue(ports)
        ports.queue.drop_payload(due)
    with ports.store.begin() as tx:
        record = _record(tx)
        left = {key: items for key, items in record["batches"].items() if items != batches.get(key)}
        _save(tx, ports, {*record["cycles"]}.difference(cycles), left)
        tx.commit()


def _record(tx: Transaction) -> Any:
    """What is noted. A store of before has forgotten payload of which the queue was not told."""
    found = tx.labels.cursor(IN_QUEUE, lock=True)
    return found or {"cycles": tx.retention.cycles_without_payload(), "batches": {}}


def _save(tx: Transaction, ports: Ports, cycles: Collection[int], batches: Mapping[str, Collection[str]]) -> None:
    tx.labels.save_cursor(IN_QUEUE, {"cycles": sorted(cycles), "batches": batches}, ports.clock.now())
