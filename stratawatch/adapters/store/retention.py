"""What the purge takes out of the store."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, select, update

from stratawatch.adapters.store.tables import (
    batches,
    candidates,
    draws,
    estimates,
    label_inbox,
    quarantine,
    revisions,
    rounds,
    transitions,
)
from stratawatch.adapters.store.upserts import in_parts
from stratawatch.engine.model.states import CycleState, Entity

_ENDED: Final = (str(CycleState.JUDGED), str(CycleState.CANCELLED))


class SqlRetention:
    """The repository of what has a period."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def ended_cycles(self, after: int, by: datetime, most: int) -> tuple[tuple[int, ...], int]:
        """The next cycles that were judged or cancelled by a moment, and the last transition of them.

        `after` is the last transition of those before them.
        """
        t = transitions.c
        query = (
            select(t.id, t.entity_id)
            .where(t.id > after, t.entity == str(Entity.CYCLE), t.new_state.in_(_ENDED), t.at <= by)
            .order_by(t.id)
            .limit(most)
        )
        rows = self._sql.execute(query).all()
        return tuple(row.entity_id for row in rows), rows[-1].id if rows else after

    def drop_undrawn_payload(self, cycle_id: int) -> None:
        """Forget what was read of items that nobody was asked about."""
        # Not by EXISTS: SQLite would walk all draws of the cycle for every candidate.
        undrawn = candidates.c.item.not_in(select(draws.c.item).where(draws.c.cycle_id == cycle_id))
        self._sql.execute(update(candidates).where(candidates.c.cycle_id == cycle_id, undrawn).values(payload={}))

    def drop_payload(self, cycle_id: int) -> None:
        """Forget what labellers were shown of a cycle's items; their keys stay in the batches."""
        self._sql.execute(update(candidates).where(candidates.c.cycle_id == cycle_id).values(payload={}))
        its_rounds = select(rounds.c.id).where(rounds.c.cycle_id == cycle_id)
        asked = select(batches.c.id, batches.c.tasks).where(batches.c.round_id.in_(its_rounds))
        for row in self._sql.execute(asked).all():
            bare = [[key, {}] for key, _ in row.tasks]
            self._sql.execute(update(batches).where(batches.c.id == row.id).values(tasks=bare))

    def drop_bad_rows(self, before: datetime) -> int:
        """Forget rows that were last set aside before a moment; returns how many."""
        return self._sql.execute(delete(quarantine).where(quarantine.c.seen_at < before)).rowcount

    def drop_waiting_labels(self, before: datetime) -> int:
        """Forget labels in the inbox that were received before a moment; returns how many."""
        return self._sql.execute(delete(label_inbox).where(label_inbox.c.received_at < before)).rowcount

    def drop_replaced_revisions(self, before: datetime) -> int:
        """Forget estimates that a later revision of their cycle replaced before a moment; returns how many."""
        later = revisions.alias("later")
        successor = select(later.c.id).where(
            later.c.cycle_id == revisions.c.cycle_id, later.c.number == revisions.c.number + 1, later.c.at < before
        )
        replaced = select(revisions.c.id).where(successor.exists())
        old = self._sql.scalars(replaced).all()
        for part in in_parts(old):
            self._sql.execute(delete(estimates).where(estimates.c.revision_id.in_(part)))
            self._sql.execute(delete(revisions).where(revisions.c.id.in_(part)))
        return len(old)
