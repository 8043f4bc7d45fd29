"""Rows that were set aside, each kept once."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select

from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import quarantine
from stratawatch.adapters.store.upserts import upsert
from stratawatch.engine.model.quarantined_row import QuarantinedRow


def keep(sql: Connection, cycle_id: int | None, rows: Sequence[QuarantinedRow], at: datetime) -> None:
    """Keep rows; one that was seen before only gets its time renewed."""
    by_key = {hashed(str(cycle_id or ""), row.kind, row.key, row.reason): row for row in rows}
    if not by_key:
        return
    insert = upsert(sql, quarantine)
    statement = insert.on_conflict_do_update(index_elements=["row_key"], set_={"seen_at": insert.excluded.seen_at})
    others = {"cycle_id": cycle_id, "seen_at": at}
    sql.execute(statement, [row_of(row, quarantine, row_key=key, **others) for key, row in by_key.items()])


def kept(sql: Connection, cycle_id: int | None, newest: int) -> tuple[QuarantinedRow, ...]:
    """The last rows in order of arrival: of one cycle, or of all."""
    query = select(quarantine).order_by(quarantine.c.id.desc()).limit(newest)
    if cycle_id is not None:
        query = query.where(quarantine.c.cycle_id == cycle_id)
    rows = sql.execute(query).all()
    return tuple(record_of(QuarantinedRow, row) for row in reversed(rows))


def forget(sql: Connection, cycle_id: int) -> None:
    """Drop the rows of a cycle that is read anew."""
    sql.execute(delete(quarantine).where(quarantine.c.cycle_id == cycle_id))
