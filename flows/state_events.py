"""Prefect events for every move of a cycle, round or batch. The transition log is their outbox.

Moves are sent at least once: those of some minutes before the newest one that was sent are looked at again, because a
transaction that began earlier may have been committed later. An event's id is computed from its line of the log: one
that is sent again is stored once.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from prefect import get_client, get_run_logger
from prefect.events import Event, Resource

from stratawatch.engine.model.cycle_facts import Transition
from stratawatch.engine.ports import Ports
from stratawatch.errors import StratawatchError
from tasks.policy import SERVER_TROUBLE, STORE_TROUBLE

CURSOR: Final = "transitions told to Prefect"
"""The `newest` moment that was sent and the events `sent` of shortly before; saved when the server has taken them.

An upgraded store has the `mark` too, the number of the newest line that the earlier version sent.
"""
NAMESPACE: Final = uuid5(NAMESPACE_URL, "stratawatch:transition")
OLDEST: Final = timedelta(days=7)
"""A server keeps events for a week, so older moves are not sent: an upgraded store has years of them."""
OVERLAP: Final = timedelta(minutes=10)
"""No transaction is open for longer, so a move cannot appear that is older than the newest one by more than this."""
AT_ONCE: Final = 200


def send_state_events(ports: Ports) -> int:
    """Send every move since the last time; returns how many. While server or store are away the next run sends them."""
    try:
        return _send(ports)
    except (*SERVER_TROUBLE, *STORE_TROUBLE, StratawatchError):
        get_run_logger().warning("state events could not be sent; the next run sends them", exc_info=True)
        return 0


def _send(ports: Ports) -> int:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cursor = tx.labels.cursor(CURSOR)
        newest = datetime.fromisoformat(cursor["newest"]) if "newest" in cursor else now - OLDEST
        since = max(min(newest, now) - OVERLAP, now - OLDEST)
        moves = tx.cycles.transitions(after=int(cursor.get("mark", 0)), since=since)
    sent = frozenset(cursor.get("sent", ()))
    events = [event for event in map(_event, moves) if str(event.id) not in sent]
    if not events:
        return 0
    with get_client(sync_client=True) as client:
        for first in range(0, len(events), AT_ONCE):
            batch = [event.model_dump(mode="json") for event in events[first : first + AT_ONCE]]
            client.request("POST", "/events", json=batch)
    newest = max(move.at for move in moves)
    again = sorted({str(event_id(move)) for move in moves if move.at >= min(newest, now) - OVERLAP})
    with ports.store.begin() as tx:
        tx.labels.save_cursor(CURSOR, {**cursor, "newest": newest.isoformat(), "sent": again}, now)
        tx.commit()
    return len(events)


def _event(move: Transition) -> Event:
    entity = f"{move.entity} {move.entity_id}"
    return Event(
        id=event_id(move),
        occurred=move.at,
        event=f"stratawatch.{move.entity}.{move.new}",
        resource=Resource.model_validate(
            {"prefect.resource.id": f"stratawatch.{move.entity}.{move.entity_id}", "prefect.resource.name": entity}
        ),
        payload={"old": move.old, "new": move.new, "why": move.why},
    )


def event_id(move: Transition) -> UUID:
    """The id of the event of a line of the log, the same whenever it is computed."""
    line = (move.entity, str(move.entity_id), move.old, move.new, move.why, move.at.isoformat())
    return uuid5(NAMESPACE, "\n".join(line))
