"""Silences: who asked for them, until when, and why."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, select, update

from stratawatch.adapters.store.alarm_tables import silences
from stratawatch.adapters.store.known_ids import unknown_id
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.engine.model.alarm_records import Silence


class SqlSilences:
    """The repository of silences."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, silence: Silence) -> int:
        """Keep a silence (its id is ignored); returns its id."""
        statement = silences.insert().returning(silences.c.id)
        return int(self._sql.execute(statement, row_of(silence, silences)).scalar_one())

    def end(self, silence_id: int, at: datetime) -> None:
        """End a silence before its time; one that ended keeps its end."""
        t = silences.c
        holds = (t.id == silence_id) & t.ended_at.is_(None) & (t.until > at)
        ended = self._sql.execute(update(silences).where(holds).values(ended_at=at)).rowcount
        if not ended and self._sql.scalar(select(t.id).where(t.id == silence_id)) is None:
            raise unknown_id(self._sql, t.id, "silence", silence_id, "`stratawatch alerts silences --all` shows them")

    def active(self, now: datetime) -> tuple[Silence, ...]:
        """The silences that hold now, oldest first."""
        return self._silences(silences.c.until > now, silences.c.ended_at.is_(None))

    def all(self) -> tuple[Silence, ...]:
        """Every silence there was, oldest first."""
        return self._silences()

    def _silences(self, *conditions: ColumnElement[bool]) -> tuple[Silence, ...]:
        query = select(silences).where(*conditions).order_by(silences.c.created_at, silences.c.id)
        return tuple(record_of(Silence, row) for row in self._sql.execute(query))
