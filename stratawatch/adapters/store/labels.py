"""The ledger of label events, append-only, and the queues' cursors."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, Connection, func, select

from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.earlier_identity import kept_by_line
from stratawatch.adapters.store.gold_tables import gold_asks
from stratawatch.adapters.store.label_inbox import keep_waiting, lock_ledger, waiting_events, waiting_labels
from stratawatch.adapters.store.past_draws import past_draws
from stratawatch.adapters.store.record_rows import record_maker, record_of, row_of
from stratawatch.adapters.store.tables import cursors, cycles, draws, label_events, label_inbox
from stratawatch.adapters.store.upserts import in_parts, insert_new, upsert
from stratawatch.engine.model.cycle_facts import PastDraw
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.label_events import NOWHERE, LabelEvent, WaitingLabels


class SqlLabels:
    """The repository of label events and poll cursors."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, events: Sequence[LabelEvent], at: datetime) -> tuple[int, int]:
        """Append events of drawn items, keep those of others in the inbox; returns how many of each were new.

        Each of a drawn item is kept as an answer to the question that its item was asked last.
        """
        if not events:
            return 0, 0
        lock_ledger(self._sql)
        drawn = self._questions([event.item_key for event in events])
        events_by_key = {_event_key(event): event for event in reversed(events)}  # the first of a pair counts
        there = self._present(label_events.c.event_key, list(events_by_key))
        there |= kept_by_line(self._sql, {key: event for key, event in events_by_key.items() if key not in there})
        new = [(key, event) for key, event in reversed(events_by_key.items()) if key not in there]
        ledger = [
            row_of(event, label_events, event_key=key, received_at=at, question_key=drawn[event.item_key])
            for key, event in new
            if event.item_key in drawn
        ]
        inbox = [
            row_of(event, label_inbox, event_key=key, received_at=at)
            for key, event in new
            if event.item_key not in drawn
        ]
        return len(insert_new(self._sql, label_events, ledger, label_events.c.id)), keep_waiting(self._sql, inbox)

    def waiting(self) -> WaitingLabels:
        """How many events wait in the inbox for the draw of their item, and since when."""
        return waiting_labels(self._sql)

    def keys_waiting(self, item_keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which labels wait in the inbox. Any number of keys."""
        return frozenset(self._present(label_inbox.c.item_key, item_keys))

    def waiting_events(self) -> tuple[LabelEvent, ...]:
        """The events in the inbox, in order of arrival."""
        return waiting_events(self._sql)

    def earliest_times(self, item_keys: Sequence[str]) -> Mapping[str, datetime]:
        """For items that were drawn, by key, the end of the first window that they were drawn from."""
        query = (
            select(draws.c.item_key, func.min(cycles.c.window_end))
            .join_from(draws, cycles, cycles.c.id == draws.c.cycle_id)
            .group_by(draws.c.item_key)
        )
        parts = (query.where(draws.c.item_key.in_(part)) for part in in_parts(item_keys))
        return {key: at for one in parts for key, at in self._sql.execute(one)}

    def of_items(self, item_keys: Sequence[str], question_key: str) -> tuple[LabelEvent, ...]:
        """All answers to this question on these items, by time and arrival. Any number of keys."""
        answers = select(label_events).where(label_events.c.question_key == question_key)
        found: list[tuple[datetime, int, LabelEvent]] = []
        for part in in_parts(item_keys):
            rows = self._sql.execute(answers.where(label_events.c.item_key.in_(part)))
            event_of = record_maker(LabelEvent, rows.keys(), dated=True, place=NOWHERE)
            found += [(row.at, row.id, event_of(row)) for row in rows]
        return tuple(event for _, _, event in sorted(found, key=itemgetter(0, 1)))

    def of_panel(self, panel: str, question_key: str | None = None) -> tuple[tuple[str, LabelEvent], ...]:
        """(item id, event) of a panel, or of one of its questions, in order of arrival."""
        items = (
            select(draws.c.item_key, func.max(draws.c.item).label("item"))
            .join_from(draws, cycles, cycles.c.id == draws.c.cycle_id)
            .where(cycles.c.panel == panel)
            .group_by(draws.c.item_key)  # an item that came again after it was erased has two names
            .subquery()
        )
        query = (
            select(items.c.item, label_events)
            .join_from(items, label_events, label_events.c.item_key == items.c.item_key)
            .order_by(label_events.c.id)
        )
        if question_key is not None:
            query = query.where(label_events.c.question_key == question_key)
        return tuple(
            (row.item, record_of(LabelEvent, row, dated=True, place=NOWHERE)) for row in self._sql.execute(query)
        )

    def past_draws(self, cycle_ids: Sequence[int], received_by: datetime, question_key: str) -> tuple[PastDraw, ...]:
        """What these cycles had drawn for a question by a moment, with the answers that had arrived by then, if any."""
        return past_draws(self._sql, cycle_ids, received_by, question_key)

    def on_drawn_items(
        self, question_key: str, received_by: datetime, not_before: datetime
    ) -> tuple[tuple[str, LabelEvent], ...]:
        """(item id, answer to a question) on items that any panel drew for it, received by a moment, by time.

        Answers that were given or received before `not_before` are left out.
        """
        e = label_events.c
        events = (
            select(label_events)
            .where(e.question_key == question_key, e.received_at.between(not_before, received_by), e.at >= not_before)
            .subquery()
        )
        items = (draws.c.item_key == events.c.item_key) & (draws.c.question_key == question_key)
        query = (
            select(draws.c.item, events)
            .distinct()
            .join_from(events, draws, items)
            .order_by(events.c.at, events.c.id, draws.c.item)
        )
        return tuple(
            (row.item, record_of(LabelEvent, row, dated=True, place=NOWHERE)) for row in self._sql.execute(query)
        )

    def newest_event_id(self) -> int:
        """The id of the newest label event, 0 when there is none."""
        return int(self._sql.scalar(select(func.max(label_events.c.id))) or 0)

    def cursor(self, queue: str, *, lock: bool = False) -> Json:
        """How far a queue was read; {} at first. With `lock` nobody else changes it before this transaction ends."""
        query = select(cursors.c.position).where(cursors.c.queue == queue)
        row = self._sql.execute(query.with_for_update() if lock else query).one_or_none()
        return row.position if row else {}

    def save_cursor(self, queue: str, cursor: Json, at: datetime) -> None:
        """Keep how far a queue was read; in the transaction that adds its events."""
        values = {"position": dict(cursor), "at": at}
        statement = upsert(self._sql, cursors).on_conflict_do_update(index_elements=["queue"], set_=values)
        self._sql.execute(statement, {"queue": queue, **values})

    def _questions(self, item_keys: Sequence[str]) -> dict[str, str]:
        """The question that was asked last under each of the keys; keys that asked for nothing are left out.

        A draw that reused a label asked nobody, so it counts only where there is no other. A key of a gold item is of
        that item alone.
        """
        gold = select(gold_asks.c.item_key, gold_asks.c.question_key)
        order = (draws.c.reused.desc(), draws.c.round_id)  # of the rows of a key, the last one stays
        columns = select(draws.c.item_key, draws.c.question_key).order_by(*order)
        queries = (
            query
            for part in in_parts(item_keys)
            for query in (gold.where(gold_asks.c.item_key.in_(part)), columns.where(draws.c.item_key.in_(part)))
        )
        return {row.item_key: row.question_key for query in queries for row in self._sql.execute(query)}

    def _present(self, column: Column[Any], keys: Sequence[str]) -> set[str]:
        """Those of the keys that some row has in this column."""
        queries = (select(column).where(column.in_(part)).distinct() for part in in_parts(keys))
        return {key for query in queries for key in self._sql.scalars(query)}


def _event_key(event: LabelEvent) -> str:
    """The key of an event: the same when delivered again, and another one where an id comes with another value."""
    return hashed(event.source, event.event_id, event.item_key, event.annotator, event.value)
