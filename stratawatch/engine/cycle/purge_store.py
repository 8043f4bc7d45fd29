"""Take out of the store what its periods are over for: payload, rows set aside, stray labels, replaced estimates."""

from typing import Final

from stratawatch.engine.model.retention import Purged
from stratawatch.engine.ports import Ports

PURGE: Final = "purge"
"""The cursor of what was purged: the last transitions whose cycles lost their undrawn payload, and all payload."""
CYCLES_AT_ONCE: Final = 20
"""Bound on one advance; the rest goes at the next. An upgraded store has years of ended cycles."""


def purge_store(ports: Ports) -> Purged:
    """Purge what is due; it was asked for by `ports.retention`, and changes no estimate and no draw."""
    now, keep = ports.clock.now(), ports.retention
    with ports.store.begin() as tx:
        cursor = tx.labels.cursor(PURGE)
        ended, undrawn_mark = tx.retention.ended_cycles(int(cursor.get("undrawn", 0)), now, CYCLES_AT_ONCE)
        for cycle in ended:
            tx.retention.drop_undrawn_payload(cycle)
        old, payload_mark = tx.retention.ended_cycles(int(cursor.get("payload", 0)), now - keep.payload, CYCLES_AT_ONCE)
        for cycle in old:
            tx.retention.drop_payload(cycle)
        bad_rows = tx.retention.drop_bad_rows(now - keep.bad_rows)
        waiting = tx.retention.drop_waiting_labels(now - keep.waiting_labels)
        revisions = tx.retention.drop_replaced_revisions(now - keep.revisions)
        purged = Purged(len(ended), len(old), bad_rows, waiting, revisions)
        if purged != Purged():
            tx.labels.save_cursor(PURGE, {"undrawn": undrawn_mark, "payload": payload_mark}, now)
            tx.commit()
    return purged
