"""Batches: outbox rows towards the label queue, with a short leased claim."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, or_, select, update

from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import batches, cycles, rounds
from stratawatch.adapters.store.upserts import in_parts, insert_all
from stratawatch.engine.model.label_events import Batch, LabelTask, NewBatch
from stratawatch.engine.model.states import BatchState
from stratawatch.errors import StratawatchError


class SqlBatches:
    """The part of the repository of rounds that is about their batches."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def batch(self, batch_id: int) -> Batch:
        """One batch."""
        row = self._sql.execute(select(batches).where(batches.c.id == batch_id)).one_or_none()
        if row is None:
            raise StratawatchError(f"there is no batch {batch_id}")
        return _batch_of(row)

    def batches(
        self, *, cycle_id: int | None = None, round_id: int | None = None, states: Sequence[BatchState] | None = None
    ) -> tuple[Batch, ...]:
        """Batches, oldest first."""
        query = select(batches).order_by(batches.c.id)
        if cycle_id is not None:
            query = query.join(rounds, rounds.c.id == batches.c.round_id).where(rounds.c.cycle_id == cycle_id)
        if round_id is not None:
            query = query.where(batches.c.round_id == round_id)
        if states is not None:
            query = query.where(batches.c.state.in_([str(state) for state in states]))
        return tuple(_batch_of(row) for row in self._sql.execute(query))

    def batch_ids(self, states: Sequence[BatchState], panel: str | None = None) -> tuple[tuple[str, int], ...]:
        """(panel, id) of the batches in these states, oldest first, without reading their tasks."""
        query = (
            select(cycles.c.panel, batches.c.id)
            .join_from(batches, rounds, rounds.c.id == batches.c.round_id)
            .join(cycles, cycles.c.id == rounds.c.cycle_id)
            .where(batches.c.state.in_([str(state) for state in states]))
            .order_by(batches.c.id)
        )
        if panel is not None:
            query = query.where(cycles.c.panel == panel)
        return tuple((row.panel, row.id) for row in self._sql.execute(query))

    def batch_keys(
        self, states: Sequence[BatchState] | None = None, *, among: Collection[str] | None = None
    ) -> frozenset[str]:
        """The keys of all batches, or of those in these states or among these keys, without reading their tasks."""
        query = select(batches.c.key)
        if states is not None:
            query = query.where(batches.c.state.in_([str(state) for state in states]))
        queries = [query] if among is None else [query.where(batches.c.key.in_(p)) for p in in_parts(list(among))]
        return frozenset(key for one in queries for key in self._sql.scalars(one))

    def claim(self, batch_id: int, holder: str, now: datetime, until: datetime) -> bool:
        """Take a planned batch for a short while; one UPDATE, so that of two holders one gets it."""
        free = or_(batches.c.claimed_until.is_(None), batches.c.claimed_until <= now, batches.c.claimed_by == holder)
        claim = update(batches).where(_waiting(batch_id), free).values(claimed_by=holder, claimed_until=until)
        return self._sql.execute(claim).rowcount == 1

    def release_claim(self, batch_id: int, message: str) -> int:
        """Give a claim back after a failed send, and count the attempt; returns the number of attempts.

        A batch that went out meanwhile stays as it is.
        """
        attempts = batches.c.attempts + 1
        values = {"attempts": attempts, "claimed_by": None, "claimed_until": None, "last_error": message}
        self._sql.execute(update(batches).where(_waiting(batch_id)).values(**values))
        return self.batch(batch_id).attempts

    def add_batches(self, round_id: int, new: Sequence[NewBatch]) -> None:
        """Write outbox rows of a round."""
        rows = [
            row_of(
                batch,
                batches,
                round_id=round_id,
                state=str(BatchState.PLANNED),
                tasks=[[task.item_key, task.payload] for task in batch.tasks],
            )
            for batch in new
        ]
        insert_all(self._sql, batches, rows)


def _waiting(batch_id: int) -> ColumnElement[bool]:
    return (batches.c.id == batch_id) & (batches.c.state == str(BatchState.PLANNED))


def _batch_of(row: Row[Any]) -> Batch:
    tasks = tuple(LabelTask(key, payload) for key, payload in row.tasks)
    return record_of(Batch, row, tasks=tasks, answers_since=None)
