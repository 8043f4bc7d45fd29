"""Acknowledges incidents: somebody looks after them, so that nobody is reminded any more."""

from dataclasses import dataclass

from stratawatch.engine.alarms.notifications import notify_update
from stratawatch.engine.alarms.stream_words import stream_text
from stratawatch.engine.audit import note_action
from stratawatch.engine.model.alarm_records import ACKNOWLEDGED, Incident
from stratawatch.engine.ports import Ports
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, minute


@dataclass(frozen=True)
class Acknowledged:
    """The open incidents under one key, all of which somebody looks after, and how many nobody did before."""

    incidents: tuple[Incident, ...]
    fresh: int


def acknowledge_incident(ports: Ports, incident_id: int, why: str = "") -> Acknowledged:
    """Note that `ports.by` looks after an incident and all under the same key; returns them as they are then.

    Channels that heard of the beginning hear of it under that key. The first person stays; a second call does nothing.
    Raises StratawatchError when there is no such incident, or when it is over.
    """
    now = ports.clock.now()
    with ports.store.begin() as tx:
        asked = tx.alarms.incident(incident_id)
        several = [one for one in tx.alarms.keep_open() if one.dedup_key == asked.dedup_key]
        if incident_id not in {one.id for one in several}:
            ended = tx.alarms.incident(incident_id).resolved_at
            raise StratawatchError(
                f"incident {incident_id} is over", got=f"its end at {minute(ended or now)}", hint="nobody is reminded"
            )
        fresh = [one for one in several if one.acknowledged_at is None]
        for one in fresh:
            tx.alarms.acknowledge_incident(one.id, now, ports.by, why)
        if fresh:
            what = f"incident {fresh[0].id}" if len(fresh) == 1 else count_text(len(fresh), "incident")
            subject = f"ACKNOWLEDGED by {ports.by}: {fresh[0].kind}, {stream_text(fresh[0].key)}"
            lines = [*([why] if why else []), f"{what}, since {minute(now)} +00:00. There are no reminders any more."]
            notify_update(tx, ports, asked.dedup_key, ACKNOWLEDGED, subject, "\n".join(lines))
            numbers = ", ".join(str(one.id) for one in fresh)
            note_action(tx, ports, ACKNOWLEDGED, f"incident {numbers}", why)
        found = tuple(tx.alarms.incident(one.id) for one in several)
        tx.commit()
    return Acknowledged(found, len(fresh))
