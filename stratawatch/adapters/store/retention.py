"""What the purge takes out of the store."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, select, update

from stratawatch.adapters.store.tables import (
    batches,
    candidates,
    cycles,
    draws,
    estimates,
    label_inbox,
    quarantine,
    revisions,
    rounds,
    transitions,
)
from stratawatch.adapters.store.truth_tables import truth_statements
from stratawatch.adapters.store.upserts import in_parts
from stratawatch.engine.model.states import ACTIVE_CYCLES, Entity


class SqlRetention:
    """The repository of what has a period."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def cycles_with_undrawn_payload(self, most: int) -> tuple[int, ...]:
        """The first cycles that ended and still hold what was read of items that were not drawn."""
        return self._ended(~cycles.c.undrawn_purged, most)

    def cycles_with_payload(self, ended_by: datetime, most: int) -> tuple[int, ...]:
        """The first cycles that ended by a moment and still hold what labellers were shown."""
        return self._ended(~cycles.c.payload_purged & (cycles.c.ended_at <= ended_by), most)

    def cycles_without_payload(self) -> tuple[int, ...]:
        """The cycles of which nothing is held any more that labellers were shown."""
        return tuple(self._sql.scalars(select(cycles.c.id).where(cycles.c.payload_purged).order_by(cycles.c.id)))

    def drop_undrawn_payload(self, cycle_id: int) -> None:
        """Forget what was read of items that nobody was asked about."""
        # Not by EXISTS: SQLite would walk all draws of the cycle for every candidate.
        undrawn = candidates.c.item.not_in(select(draws.c.item).where(draws.c.cycle_id == cycle_id))
        self._sql.execute(update(candidates).where(candidates.c.cycle_id == cycle_id, undrawn).values(payload={}))
        self._sql.execute(update(cycles).where(cycles.c.id == cycle_id).values(undrawn_purged=True))

    def drop_payload(self, cycle_id: int) -> None:
        """Forget what labellers were shown of a cycle's items; their keys stay in the batches."""
        self._sql.execute(update(candidates).where(candidates.c.cycle_id == cycle_id).values(payload={}))
        its_rounds = select(rounds.c.id).where(rounds.c.cycle_id == cycle_id)
        asked = select(batches.c.id, batches.c.tasks).where(batches.c.round_id.in_(its_rounds))
        for row in self._sql.execute(asked).all():
            bare = [[key, {}] for key, _ in row.tasks]
            self._sql.execute(update(batches).where(batches.c.id == row.id).values(tasks=bare))
        self._sql.execute(update(cycles).where(cycles.c.id == cycle_id).values(payload_purged=True))

    def _ended(self, which: ColumnElement[bool], most: int) -> tuple[int, ...]:
        # By a column that is written with the move, not by a mark in the log of moves: on PostgreSQL ids are given out
        # before the commit, and a mark would pass a cycle that is cancelled at the same time.
        ended = which & cycles.c.ended_at.is_not(None)
        query = select(cycles.c.id).where(ended).order_by(cycles.c.ended_at, cycles.c.id).limit(most)
        return tuple(self._sql.scalars(query))

    def drop_bad_rows(self, before: datetime) -> int:
        """Forget rows that were last set aside before a moment; returns how many."""
        return self._sql.execute(delete(quarantine).where(quarantine.c.seen_at < before)).rowcount

    def drop_waiting_labels(self, before: datetime) -> int:
        """Forget labels in the inbox that were received before a moment; returns how many."""
        return self._sql.execute(delete(label_inbox).where(label_inbox.c.received_at < before)).rowcount

    def drop_truth(self, before: datetime) -> int:
        """Forget statements of truth that were received before a moment; returns how many."""
        return self._sql.execute(delete(truth_statements).where(truth_statements.c.received_at < before)).rowcount

    def drop_transitions(self, before: datetime) -> int:
        """Forget moves of rounds and batches before a moment, but of cycles under way; returns how many."""
        t = transitions.c
        under_way = select(rounds.c.id).join(cycles).where(cycles.c.state.in_([str(state) for state in ACTIVE_CYCLES]))
        batches_under_way = select(batches.c.id).where(batches.c.round_id.in_(under_way))
        over = ((t.entity == str(Entity.ROUND)) & t.entity_id.not_in(under_way)) | (
            (t.entity == str(Entity.BATCH)) & t.entity_id.not_in(batches_under_way)
        )
        return self._sql.execute(delete(transitions).where(t.at < before, over)).rowcount

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
