"""Recognises label events that a program before schema 0008 kept under the id of the line that they stood on."""

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, select

from stratawatch.adapters.store.tables import label_events, label_inbox
from stratawatch.adapters.store.upserts import in_parts
from stratawatch.engine.model.idempotency_keys import BY_TIME, TURN
from stratawatch.engine.model.label_events import LabelEvent

_LINE_ID: Final = re.compile("[0-9a-f]{40}")


def kept_by_line(sql: Connection, events: Mapping[str, LabelEvent]) -> set[str]:
    """Those of the events, by any key, that are in the ledger or the inbox already under the id of a line.

    An answer with a time is there if one with that time is; the second of equal answers without one if two are.
    """
    without_own_id = {key: event for key, event in events.items() if _turn(event) or event.event_id.endswith(BY_TIME)}
    if not without_own_id:
        return set()
    times = _times_by_answer(sql, [event.item_key for event in without_own_id.values()])
    return {key for key, event in without_own_id.items() if _is_there(event, times[_answer(event)])}


def _is_there(event: LabelEvent, times: list[datetime]) -> bool:
    turn = _turn(event)
    return len(times) >= turn if turn else event.at in times


def _turn(event: LabelEvent) -> int:
    """Which of the equal answers of its file it is, from 1; 0 for an event with an id or a time of its own."""
    _, found, turn = event.event_id.partition(TURN)
    return int(turn) if found and turn.isdecimal() else 0


def _times_by_answer(sql: Connection, item_keys: list[str]) -> defaultdict[tuple[str, ...], list[datetime]]:
    """When each answer was given that was kept by its line."""
    times: defaultdict[tuple[str, ...], list[datetime]] = defaultdict(list)
    for t in (label_events.c, label_inbox.c):
        query = select(t.source, t.item_key, t.annotator, t.value, t.event_id, t.at)
        for part in in_parts(item_keys):
            for row in sql.execute(query.where(t.item_key.in_(part))):
                if _LINE_ID.fullmatch(row.event_id):
                    times[row.source, row.item_key, row.annotator, row.value].append(row.at)
    return times


def _answer(event: LabelEvent) -> tuple[str, ...]:
    return event.source, event.item_key, event.annotator, event.value
