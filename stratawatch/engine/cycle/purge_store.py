"""Take out of the store what its periods are over for: payload, rows set aside, stray labels, replaced estimates."""

from datetime import datetime, timedelta
from typing import Final

from stratawatch.engine.model.retention import Purged, Retention
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

PURGE: Final = "purge"
"""The cursor of what was purged: the last transitions whose cycles lost their undrawn payload, and all payload."""
CYCLES_AT_ONCE: Final = 20
"""Bound on one advance; the rest goes at the next. An upgraded store has years of ended cycles."""
PAUSE: Final = timedelta(hours=6)
"""How long what has a period is left alone after a purge that was through."""
SLACK: Final = timedelta(days=1)
"""How late the next window may be opened."""


def purge_store(ports: Ports) -> Purged:
    """Purge what is due; it was asked for by `ports.retention`, and changes no estimate and no draw."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cursor = tx.labels.cursor(PURGE)
        ended, undrawn_mark = tx.retention.ended_cycles(int(cursor.get("undrawn", 0)), now, CYCLES_AT_ONCE)
        for cycle in ended:
            tx.retention.drop_undrawn_payload(cycle)
        purged, new = Purged(undrawn=len(ended)), {**cursor, "undrawn": undrawn_mark}
        is_due = _is_due(cursor.get("looked_at"), now)
        if is_due:
            purged, mark = _drop_old(tx, ports.retention, _sound(tx, now), int(cursor.get("payload", 0)), len(ended))
            new["payload"] = mark
            if purged.payloads < CYCLES_AT_ONCE:
                new["looked_at"] = now.isoformat()
        if is_due or ended:
            tx.labels.save_cursor(PURGE, new, now)
            tx.commit()
    return purged


def _drop_old(tx: Transaction, keep: Retention, now: datetime, mark: int, undrawn: int) -> tuple[Purged, int]:
    """Drop whatever is older than its period; returns what, and the last transition whose cycle lost its payload."""
    old, mark = tx.retention.ended_cycles(mark, now - keep.payload, CYCLES_AT_ONCE)
    for cycle in old:
        tx.retention.drop_payload(cycle)
    bad_rows = tx.retention.drop_bad_rows(now - keep.bad_rows)
    waiting = tx.retention.drop_waiting_labels(now - keep.waiting_labels)
    revisions = tx.retention.drop_replaced_revisions(now - keep.revisions)
    return Purged(undrawn, len(old), bad_rows, waiting, revisions), mark


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
