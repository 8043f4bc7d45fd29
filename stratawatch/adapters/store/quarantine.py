"""Rows that were set aside, each kept once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, delete, select

from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import quarantine
from stratawatch.adapters.store.upserts import in_parts, upsert
from stratawatch.engine.model.quarantined_row import QuarantinedRow


class SqlQuarantine:
    """The part of the repository of cycles that is about rows which were set aside."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def quarantine(self, cycle_id: int | None, rows: Sequence[QuarantinedRow], at: datetime) -> None:
        """Keep rows that were set aside, each once: one that is there already gets its time renewed.

        Rows with a `count` are added up: what was kept first stays, with the sum.
        """
        by_key = {hashed(str(cycle_id or ""), row.kind, row.key, row.reason): row for row in rows}
        counted = {key: row for key, row in by_key.items() if _is_counted(row)}
        self._write({key: row for key, row in by_key.items() if key not in counted}, ["seen_at"], cycle_id, at)
        self._write(self._added_up(counted), ["seen_at", "content"], cycle_id, at)

    def _write(
        self, rows: Mapping[str, QuarantinedRow], renewed: Sequence[str], cycle_id: int | None, at: datetime
    ) -> None:
        """Insert rows by their key; of one that is there, renew these columns."""
        if not rows:
            return
        insert = upsert(self._sql, quarantine)
        changes = {name: insert.excluded[name] for name in renewed}
        self._sql.execute(
            insert.on_conflict_do_update(index_elements=["row_key"], set_=changes),
            [row_of(row, quarantine, row_key=key, cycle_id=cycle_id, seen_at=at) for key, row in rows.items()],
        )

    def _added_up(self, rows: Mapping[str, QuarantinedRow]) -> dict[str, QuarantinedRow]:
        """The rows, with the counts of those that are there already."""
        query = select(quarantine.c.row_key, quarantine.c.content)
        parts = (query.where(quarantine.c.row_key.in_(part)) for part in in_parts(list(rows)))
        there = {key: content for one in parts for key, content in self._sql.execute(one)}
        added = {
            key: {**there[key], "count": there[key].get("count", 1) + row.content["count"]}
            for key, row in rows.items()
            if key in there
        }
        return {key: replace(row, content=added.get(key, row.content)) for key, row in rows.items()}

    def quarantined(self, cycle_id: int | None = None, newest: int = 100) -> tuple[QuarantinedRow, ...]:
        """Rows that were set aside: of one cycle, or the newest of all, in order of arrival."""
        query = select(quarantine).order_by(quarantine.c.id.desc()).limit(newest)
        if cycle_id is not None:
            query = query.where(quarantine.c.cycle_id == cycle_id)
        return tuple(record_of(QuarantinedRow, row) for row in reversed(self._sql.execute(query).all()))

    def labels_set_aside(self, newest: int) -> tuple[tuple[datetime, QuarantinedRow], ...]:
        """Labels that were set aside, by origin and reason, with the last time; those of the newest come last."""
        query = select(quarantine).where(quarantine.c.cycle_id.is_(None), quarantine.c.kind == "label")
        rows = self._sql.execute(query.order_by(quarantine.c.seen_at.desc(), quarantine.c.id.desc()).limit(newest))
        return tuple((row.seen_at, record_of(QuarantinedRow, row)) for row in reversed(rows.all()))

    def _forget_quarantined(self, cycle_id: int) -> None:
        """Drop the rows of a cycle that is read anew."""
        self._sql.execute(delete(quarantine).where(quarantine.c.cycle_id == cycle_id))


def _is_counted(row: QuarantinedRow) -> bool:
    """Whether the row stands for many labels."""
    return row.kind == "label" and "count" in row.content
