"""Take out of the store, and of the report folder, what its periods are over for."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from stratawatch.engine.labels.queue_payload import drop_queue_payload, note_cycles
from stratawatch.engine.model.retention import Purged, Retention
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

PURGE: Final = "purge"
"""The cursor of the purge: when it last looked for what is older than its period, and was through."""
CYCLES_AT_ONCE: Final = 20
"""Bound on one advance; the rest goes at the next. An upgraded store has years of ended cycles."""
PAUSE: Final = timedelta(hours=6)
"""How long what has a period is left alone after a purge that was through."""
SLACK: Final = timedelta(days=1)
"""How late the next window may be opened."""


def purge_store(ports: Ports) -> Purged:
    """Purge what is due; it was asked for by `ports.retention`, and changes no estimate and no draw.

    Raises Unreachable where the queue is away, once everything else was purged.
    """
    now = ports.clock.now()
    with ports.store.begin() as tx:
        looked_at = tx.labels.cursor(PURGE).get("looked_at")
        is_due, by = _is_due(looked_at, now), _sound(tx, now)
        old = tx.retention.cycles_with_payload(by - ports.retention.payload, CYCLES_AT_ONCE) if is_due else ()
    with ports.store.begin() as tx:
        ended = tx.retention.cycles_with_undrawn_payload(CYCLES_AT_ONCE)
        for cycle in ended:
            tx.retention.drop_undrawn_payload(cycle)
        purged = Purged(undrawn=len(ended))
        if is_due:
            purged = _drop_old(tx, ports.retention, by, len(ended), old)
            if old:
                note_cycles(tx, ports, old)
            if purged.payloads < CYCLES_AT_ONCE:
                tx.labels.save_cursor(PURGE, {"looked_at": now.isoformat()}, now)
        if is_due or ended:
            tx.commit()
    if is_due and ports.drop_pages is not None:
        # Outside of the transaction: a folder that hangs holds up no writer.
        pages = ports.drop_pages(by - ports.retention.reports, by - ports.retention.data_docs)
        purged = replace(purged, pages=pages)
    drop_queue_payload(ports)  # last, for a queue that is away
    return purged


def _drop_old(tx: Transaction, keep: Retention, now: datetime, undrawn: int, old: Sequence[int]) -> Purged:
    """Drop the payload of old cycles, and whatever else is older than its period; returns what."""
    for cycle in old:
        tx.retention.drop_payload(cycle)
    bad_rows = tx.retention.drop_bad_rows(now - keep.bad_rows)
    waiting = tx.retention.drop_waiting_labels(now - keep.waiting_labels)
    truth = tx.retention.drop_truth(now - keep.truth)
    revisions = tx.retention.drop_replaced_revisions(now - keep.revisions)
    transitions = tx.retention.drop_transitions(now - keep.transitions)
    return Purged(undrawn, len(old), bad_rows, waiting, truth, revisions, transitions)


def _is_due(looked_at: str | None, now: datetime) -> bool:
    return looked_at is None or not timedelta(0) <= now - datetime.fromisoformat(looked_at) < PAUSE


def _sound(tx: Transaction, now: datetime) -> datetime:
    """The present, as far as the newest window vouches for it: a clock that jumped a year ahead must delete nothing.

    Windows are not opened by a clock that cannot be right, so periods run at most until the next one is due.
    """
    newest = tx.cycles.find(newest=1)
    if not newest:
        return now
    window = newest[0].window
    return min(now, newest[0].opened_at + (window.end - window.start) + SLACK)
