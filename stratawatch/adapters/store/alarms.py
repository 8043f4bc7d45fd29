"""Alarm states, judgement by judgement, and the incidents they opened."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select, update

from stratawatch.adapters.store.alarm_tables import alarm_states, incidents
from stratawatch.adapters.store.known_ids import unknown_id
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.stream_keys import STREAM_KEY, is_stream, stream_values
from stratawatch.adapters.store.tables import cycles
from stratawatch.adapters.store.upserts import duplicate_as_stale, insert_all, insert_new
from stratawatch.engine.model.alarm_records import Incident, StreamKey, StreamState


class SqlAlarms:
    """The repository of alarm states and incidents."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add_states(self, states: Sequence[StreamState]) -> None:
        """Append the states of one judgement."""
        rows = [row_of(state, alarm_states, **stream_values(state.key)) for state in states]
        with duplicate_as_stale("these states were judged by someone else meanwhile"):
            insert_all(self._sql, alarm_states, rows)

    def current_states(self, panel: str | None = None) -> tuple[StreamState, ...]:
        """The newest state of every stream (newest window, then revision)."""
        t = alarm_states.c
        rank = func.row_number().over(
            partition_by=[t[name] for name in STREAM_KEY], order_by=[cycles.c.window_start.desc(), t.revision.desc()]
        )
        query = select(alarm_states, rank.label("age")).join(cycles, cycles.c.id == t.cycle_id)
        if panel is not None:
            query = query.where(t.panel == panel)
        ranked = query.subquery()
        rows = self._sql.execute(select(ranked).where(ranked.c.age == 1)).all()
        return tuple(sorted(map(_state_of, rows), key=_order))

    def of_cycle(self, cycle_id: int) -> tuple[StreamState, ...]:
        """States of a cycle's newest revision."""
        t = alarm_states.c
        newest = select(func.max(t.revision)).where(t.cycle_id == cycle_id).scalar_subquery()
        query = select(alarm_states).where(t.cycle_id == cycle_id, t.revision == newest).order_by(t.id)
        return tuple(_state_of(row) for row in self._sql.execute(query))

    def open_incident(self, incident: Incident) -> int:
        """Open an incident; returns the open one's id if the stream has one of this kind."""
        row = row_of(incident, incidents, **stream_values(incident.key))
        added = insert_new(self._sql, incidents, [row], incidents.c.id)
        if added:
            return int(added[0].id)
        return next(there.id for there in self.open_incidents_of(incident.key) if there.kind == incident.kind)

    def resolve_incident(self, incident_id: int, at: datetime) -> None:
        """End an incident; one that ended keeps its time."""
        still_open = (incidents.c.id == incident_id) & incidents.c.resolved_at.is_(None)
        self._sql.execute(update(incidents).where(still_open).values(resolved_at=at))

    def acknowledge_incident(self, incident_id: int, at: datetime, by: str, why: str = "") -> None:
        """Keep who looks after an incident, since when and why; the first who did stays."""
        first = (incidents.c.id == incident_id) & incidents.c.acknowledged_at.is_(None)
        values = {"acknowledged_at": at, "acknowledged_by": by, "acknowledged_why": why}
        self._sql.execute(update(incidents).where(first).values(values))

    def incident(self, incident_id: int) -> Incident:
        """One incident. Raises StratawatchError when there is none."""
        found = self._incidents(incidents.c.id == incident_id)
        if not found:
            raise unknown_id(self._sql, incidents.c.id, "incident", incident_id, "`stratawatch alerts list` shows them")
        return found[0]

    def incidents(self, *, panel: str | None = None, only_open: bool = False) -> tuple[Incident, ...]:
        """Incidents, oldest first."""
        conditions = [] if panel is None else [incidents.c.panel == panel]
        return self._incidents(*conditions, *([incidents.c.resolved_at.is_(None)] if only_open else []))

    def keep_open(self) -> tuple[Incident, ...]:
        """All open incidents, oldest first, which nobody else ends before this transaction does."""
        return self._incidents(incidents.c.resolved_at.is_(None), lock=True)

    def incidents_of(self, dedup_key: str) -> tuple[Incident, ...]:
        """Incidents that channels know by this key, oldest first."""
        return self._incidents(incidents.c.dedup_key == dedup_key)

    def open_incidents_of(self, key: StreamKey) -> tuple[Incident, ...]:
        """Open incidents of one stream."""
        return self._incidents(*is_stream(incidents, key), incidents.c.resolved_at.is_(None))

    def _incidents(self, *conditions: ColumnElement[bool], lock: bool = False) -> tuple[Incident, ...]:
        query = select(incidents).where(*conditions).order_by(incidents.c.opened_at, incidents.c.id)
        query = query.with_for_update() if lock else query
        return tuple(record_of(Incident, row, key=record_of(StreamKey, row)) for row in self._sql.execute(query))


def _state_of(row: Row[Any]) -> StreamState:
    return record_of(StreamState, row, key=record_of(StreamKey, row))


def _order(state: StreamState) -> tuple[str, ...]:
    key = state.key
    return key.panel, key.classifier, key.metric, key.segment or ""
