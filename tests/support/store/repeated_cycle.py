"""Copies of a cycle, so that a store is as it will be after years.

They get ids, keys and times of their own, by bulk inserts in the database.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Engine, Table, func, literal, select

from stratawatch.adapters.store import tables
from stratawatch.adapters.store.alarm_tables import alarm_states
from stratawatch.adapters.store.evidence_tables import evidence, judgement_rules

WEEK: Final = timedelta(days=7)


def repeat_cycle(engine: Engine, weeks: int) -> None:
    """Copy all that belongs to the only cycle of a store, so that there is one for each week."""
    with engine.begin() as sql:
        cycle = int(sql.scalar(select(tables.cycles.c.id)) or 0)
        strides = {table: int(sql.scalar(select(func.max(table.c.id))) or 0) for table in _NUMBERED}
        for week in range(1, weeks):
            _copy_cycle(sql, cycle, week, {**strides, tables.cycles: 1})
        for table in _NUMBERED:
            _continue_ids(sql, table)


_NUMBERED: Final = (
    tables.cycles,
    tables.rounds,
    tables.batches,
    tables.revisions,
    tables.label_events,
    alarm_states,
    evidence,
    tables.transitions,
)


def _copy_cycle(sql: Connection, cycle: int, week: int, strides: Mapping[Table, int]) -> None:
    def later(table: Table, which: ColumnElement[bool], **changes: Any) -> None:
        """Copy rows: ids move on by whole strides, times by weeks, keys get the week's number."""
        for column in table.c:
            if column.name == "id" or column.name in _OWNERS:
                step = strides[table] if column.name == "id" else strides[_OWNERS[column.name]]
                changes.setdefault(column.name, column + week * step)
            elif column.name == "cycle_id":
                changes.setdefault(column.name, column + week)
            elif column.name in ("item", "item_key", "event_key", "key"):
                changes.setdefault(column.name, column + literal(f":{week}", column.type))
        columns = [changes.get(column.name, column).label(column.name) for column in table.c]
        sql.execute(table.insert().from_select(list(table.c.keys()), select(*columns).where(which)))

    t = tables

    def moment(of: datetime, column: Column[Any]) -> dict[str, Any]:
        return {column.name: literal(of + week * WEEK, column.type)}

    of_cycle = {table: table.c.cycle_id == cycle for table in t.METADATA.tables.values() if "cycle_id" in table.c}
    (first,) = sql.execute(select(t.cycles).where(t.cycles.c.id == cycle)).all()
    times = [getattr(first, name) for name in ("window_start", "window_end", "opened_at", "deadline_at")]
    names = (t.cycles.c.window_start, t.cycles.c.window_end, t.cycles.c.opened_at, t.cycles.c.deadline_at)
    shifted: dict[str, Any] = {"period": t.cycles.c.period + week}
    for at, column in zip(times, names, strict=True):
        shifted |= moment(at, column)
    later(t.cycles, t.cycles.c.id == cycle, **shifted)
    end = first.window_end + timedelta(hours=2)
    for table in (t.atoms, t.atom_segments):
        later(table, of_cycle[table])
    later(t.candidates, of_cycle[t.candidates], **moment(first.window_start, t.candidates.c.time))
    later(t.rounds, of_cycle[t.rounds], **moment(end, t.rounds.c.planned_at))
    later(t.draws, of_cycle[t.draws])
    rounds = select(t.rounds.c.id).where(t.rounds.c.cycle_id == cycle)
    _copy_batches(sql, rounds, week, strides)
    keys = select(t.draws.c.item_key).where(t.draws.c.cycle_id == cycle)
    said = moment(end, t.label_events.c.at) | moment(end, t.label_events.c.received_at)
    later(t.label_events, t.label_events.c.item_key.in_(keys), **said)
    marks = {"mark": t.revisions.c.mark + week * strides[t.label_events]}
    later(t.revisions, of_cycle[t.revisions], **marks, **moment(end, t.revisions.c.at))
    revisions = select(t.revisions.c.id).where(t.revisions.c.cycle_id == cycle)
    later(t.estimates, t.estimates.c.revision_id.in_(revisions))
    later(alarm_states, of_cycle[alarm_states], **moment(end, alarm_states.c.at))
    for table in (evidence, judgement_rules):
        later(table, of_cycle[table])
    batches = select(t.batches.c.id).where(t.batches.c.round_id.in_(rounds))
    for entity, ids, owner in (
        ("cycle", [cycle], t.cycles),
        ("round", rounds, t.rounds),
        ("batch", batches, t.batches),
    ):
        which = (t.transitions.c.entity == entity) & t.transitions.c.entity_id.in_(ids)
        moved = {"entity_id": t.transitions.c.entity_id + week * strides[owner]}
        later(t.transitions, which, **moved, **moment(end, t.transitions.c.at))


_OWNERS: Final = {"round_id": tables.rounds, "revision_id": tables.revisions}


def _copy_batches(sql: Connection, rounds: Any, week: int, strides: Mapping[Table, int]) -> None:
    """In Python: the keys of a batch's items stand in its tasks."""
    t = tables.batches
    rows = [dict(row._mapping) for row in sql.execute(select(t).where(t.c.round_id.in_(rounds)))]
    for row in rows:
        row["id"] += week * strides[t]
        row["round_id"] += week * strides[tables.rounds]
        row["key"] += f":{week}"
        row["tasks"] = [[f"{key}:{week}", payload] for key, payload in row["tasks"]]
    if rows:
        sql.execute(t.insert(), rows)


def _continue_ids(sql: Connection, table: Table) -> None:
    """PostgreSQL counts on from what its sequence gave out, not from what is there."""
    if sql.dialect.name == "postgresql":
        sequence = func.pg_get_serial_sequence(table.name, "id")
        sql.execute(select(func.setval(sequence, select(func.max(table.c.id)).scalar_subquery())))
