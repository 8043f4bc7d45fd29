"""Rows that were set aside, each kept once."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select

from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import quarantine
from stratawatch.adapters.store.upserts import upsert
from stratawatch.engine.model.quarantined_row import QuarantinedRow


class SqlQuarantine:
    """The part of the repository of cycles that is about rows which were set aside."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def quarantine(self, cycle_id: int | None, rows: Sequence[QuarantinedRow], at: datetime) -> None:
        """Keep rows that were set aside, each once: one that is there already gets its time renewed."""
        by_key = {hashed(str(cycle_id or ""), row.kind, row.key, row.reason): row for row in rows}
        if not by_key:
            return
        insert = upsert(self._sql, quarantine)
        renewed = {"seen_at": insert.excluded.seen_at}
        others = {"cycle_id": cycle_id, "seen_at": at}
        self._sql.execute(
            insert.on_conflict_do_update(index_elements=["row_key"], set_=renewed),
            [row_of(row, quarantine, row_key=key, **others) for key, row in by_key.items()],
        )

    def quarantined(self, cycle_id: int | None = None, newest: int = 100) -> tuple[QuarantinedRow, ...]:
        """Rows that were set aside: of one cycle, or the newest of all, in order of arrival."""
        query = select(quarantine).order_by(quarantine.c.id.desc()).limit(newest)
        if cycle_id is not None:
            query = query.where(quarantine.c.cycle_id == cycle_id)
        return tuple(record_of(QuarantinedRow, row) for row in reversed(self._sql.execute(query).all()))

    def _forget_quarantined(self, cycle_id: int) -> None:
        """Drop the rows of a cycle that is read anew."""
        self._sql.execute(delete(quarantine).where(quarantine.c.cycle_id == cycle_id))
