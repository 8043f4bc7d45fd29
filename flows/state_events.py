"""Prefect events for every move of a cycle, round or batch. The transition log is their outbox.

Moves are sent at least once. An event's id is computed from its line of the log: one that is sent again is stored once.
"""

from datetime import timedelta
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from prefect import get_client, get_run_logger
from prefect.events import Event, Resource

from stratawatch.engine.model.cycle_facts import Transition
from stratawatch.engine.ports import Ports

CURSOR: Final = "transitions told to Prefect"
"""How far the log was sent: moved when the server has taken the events, never before."""
NAMESPACE: Final = uuid5(NAMESPACE_URL, "stratawatch:transition")
OLDEST: Final = timedelta(days=7)
"""A server keeps events for a week, so older moves are not sent: an upgraded store has years of them."""
AT_ONCE: Final = 200


def send_state_events(ports: Ports) -> int:
    """Send every move since the last time; returns how many. What fails is sent by the next run."""
    try:
        return _send(ports)
    except Exception:  # noqa: BLE001 - whatever Prefect's server is up to, the store has every move
        get_run_logger().warning("state events could not be sent; the next run sends them", exc_info=True)
        return 0


def _send(ports: Ports) -> int:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        sent = int(tx.labels.cursor(CURSOR).get("mark", 0))
        newest = tx.cycles.newest_transition()
        moves = tx.cycles.transitions(after=sent) if newest != sent else ()
    if newest == sent:
        return 0
    events = [_event(move) for move in moves if move.at > now - OLDEST]
    with get_client(sync_client=True) as client:
        for first in range(0, len(events), AT_ONCE):
            batch = [event.model_dump(mode="json") for event in events[first : first + AT_ONCE]]
            client.request("POST", "/events", json=batch)
    with ports.store.begin() as tx:
        tx.labels.save_cursor(CURSOR, {"mark": newest}, now)
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
