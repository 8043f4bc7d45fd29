"""Which incidents are silent. They go on; people are told of those that are still open when the silence ends."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from stratawatch.engine.model.alarm_records import Incident, Silence, covering
from stratawatch.engine.ports.transaction import Transaction


def silent_keys(tx: Transaction, now: datetime) -> frozenset[str]:
    """The dedup keys that nobody is told of now, since every stream with an open incident under them is silent."""
    silences = tx.silences.active(now)
    if not silences:
        return frozenset()
    several: dict[str, list[Incident]] = defaultdict(list)
    for incident in tx.alarms.incidents(only_open=True):
        several[incident.dedup_key].append(incident)
    return frozenset(key for key, incidents in several.items() if are_silent(silences, incidents))


def are_silent(silences: Sequence[Silence], incidents: Collection[Incident]) -> bool:
    """Whether each of these incidents is of a silent stream."""
    return all(covering(silences, incident.key) for incident in incidents)


def ended_over(silences: Sequence[Silence], incidents: Sequence[Incident], now: datetime) -> Silence | None:
    """The silence whose end let people be told of these incidents again; None where some were not silent."""
    ended = [one for one in silences if one.over_at <= now]
    last = [
        covering([one for one in ended if one.over_at > incident.opened_at], incident.key) for incident in incidents
    ]
    found = [one for one in last if one is not None]
    return max(found, key=lambda one: one.over_at) if len(found) == len(incidents) else None
