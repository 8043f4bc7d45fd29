"""Counts the failures of a step in the store, until its cycle moves on; people hear of it once it keeps failing."""

from typing import Final

from stratawatch.engine.alarms.notifications import notify_update, warn_of_cycle, warning_of_cycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
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
            _tell(tx, ports, cycle, what, describe(trouble))
        tx.commit()
    return failures


def _tell(tx: Transaction, ports: Ports, cycle: Cycle, what: str, why: str) -> None:
    """Warn of a window that is stuck; where an earlier window is stuck at the same step, it joins that warning."""
    alike = tx.cycles.find(panel=cycle.panel, states=[cycle.state])
    first = next((one for one in alike if one.period < cycle.period and one.failures >= WARN_AFTER), cycle)
    moves = len(tx.cycles.transitions(Entity.CYCLE, first.id))  # a cycle that moved on may get stuck again
    about = f"{what}:{moves}"
    lines = [why, f"window {cycle.window}, {WARN_AFTER} attempts so far; it is tried again"]
    if first is cycle:
        subject = f"{cycle.panel} is stuck: cycle {cycle.id} cannot be {what}"
        warn_of_cycle(tx, ports, cycle, about, subject, "\n".join(lines))
    else:
        subject = f"{cycle.panel} is still stuck: cycle {cycle.id} cannot be {what} either"
        key = f"stratawatch:{warning_of_cycle(tx, first, about)}"
        notify_update(tx, ports, key, f"stuck {cycle.id}", subject, "\n".join(lines))
