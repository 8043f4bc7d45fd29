"""Counts the failures of a step in the store, until its cycle moves on; people hear of it once it keeps failing."""

from typing import Final

from stratawatch.engine.alarms.notifications import warn_of_cycle
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports import Ports
from stratawatch.errors import StratawatchError
from stratawatch.settings.revealed_secrets import without_secrets

WARN_AFTER: Final = 6
"""Failed attempts in a row before a person is told."""


def describe(trouble: Exception) -> str:
    """What went wrong, in words without secrets; a fault of this program says what kind it is."""
    kind = "" if isinstance(trouble, StratawatchError) else f"{type(trouble).__name__}: "
    return without_secrets(f"{kind}{trouble}")


def record_failure(ports: Ports, cycle_id: int, what: str, trouble: Exception) -> int:
    """Count a failed attempt at a cycle; returns how many there were since it last moved."""
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        failures = tx.cycles.count_failure(cycle_id, describe(trouble))
        if failures == WARN_AFTER:
            subject = f"{cycle.panel} is stuck: cycle {cycle_id} cannot be {what}"
            body = f"{describe(trouble)}\nwindow {cycle.window}, {failures} attempts so far; it is tried again"
            moves = len(tx.cycles.transitions(Entity.CYCLE, cycle_id))  # a cycle that moved on may get stuck again
            warn_of_cycle(tx, ports, cycle, f"{what}:{moves}", subject, body)
        tx.commit()
    return failures
