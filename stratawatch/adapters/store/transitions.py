"""Compare-and-set moves and their log."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, func, select, update

from stratawatch.adapters.store import tables
from stratawatch.engine.model.cycle_facts import Transition
from stratawatch.engine.model.states import TRANSITIONS, BatchState, CycleState, Entity, may_move
from stratawatch.errors import StaleState, StratawatchError

TABLES: Final[dict[Entity, Table]] = {
    Entity.CYCLE: tables.cycles,
    Entity.ROUND: tables.rounds,
    Entity.BATCH: tables.batches,
}

_AFRESH: Final[dict[tuple[Entity, str], dict[str, Any]]] = {
    # A person sends a failed batch again: its attempts are counted from nought.
    (Entity.BATCH, BatchState.PLANNED): {"attempts": 0, "claimed_by": None, "claimed_until": None},
    # A cycle that moves on has got over what it failed at, whatever state it moves to.
    (Entity.CYCLE, ""): {"failures": 0, "last_error": ""},
}
_ENDED: Final = frozenset({CycleState.JUDGED, CycleState.CANCELLED})


class ForbiddenMoveError(StratawatchError, ValueError):
    """A move that the TRANSITIONS table does not have."""


def move(sql: Connection, entity: Entity, entity_id: int, old: str, new: str, *, at: datetime, why: str) -> None:
    """One row from `old` to `new`, logged; StaleState when it is not in `old` any more."""
    if not may_move(entity, old, new):
        ways = ", ".join(sorted(TRANSITIONS[entity].get(old, ())))
        raise ForbiddenMoveError(f"a {entity} does not move from {old} to {new}", expected=ways or "no move at all")
    table = TABLES[entity]
    row = (table.c.id == entity_id) & (table.c.state == str(old))
    afresh = _AFRESH.get((entity, new), _AFRESH.get((entity, ""), {}))
    ended = {"ended_at": at} if entity == Entity.CYCLE and new in _ENDED else {}
    changed = sql.execute(update(table).where(row).values(state=str(new), **afresh, **ended))
    if changed.rowcount != 1:
        now = sql.scalar(select(table.c.state).where(table.c.id == entity_id))
        raise StaleState(
            f"{entity} {entity_id} did not move",
            expected=f"state {old}",
            got=f"state {now}" if now else "no such row",
            hint="someone else was faster; nothing was changed",
        )
    sql.execute(
        tables.transitions.insert().values(
            entity=str(entity), entity_id=entity_id, old_state=str(old), new_state=str(new), why=why, at=at
        )
    )


def newest_transition(sql: Connection) -> int:
    """The id of the newest line of the log; 0 when there is none."""
    return int(sql.scalar(select(func.max(tables.transitions.c.id))) or 0)


def logged_transitions(
    sql: Connection, entity: Entity | None, entity_id: int | None, after: int = 0, since: datetime | None = None
) -> tuple[Transition, ...]:
    """The log, oldest first, or its lines after one, or since a moment."""
    t = tables.transitions.c
    query = select(tables.transitions).order_by(t.id)
    if after:
        query = query.where(t.id > after)
    if since is not None:
        query = query.where(t.at >= since)
    if entity is not None:
        query = query.where(t.entity == str(entity))
    if entity_id is not None:
        query = query.where(t.entity_id == entity_id)
    return tuple(
        Transition(row.entity, row.entity_id, row.old_state, row.new_state, row.why, row.at)
        for row in sql.execute(query)
    )
