"""Panels that left the configuration: what becomes of their cycles under way is a person's decision."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from stratawatch.engine.alarms.alarm_streams import close_incident
from stratawatch.engine.audit import note_action
from stratawatch.engine.cycle.open_cycles import DECIDED
from stratawatch.engine.cycle.operator_actions import cancel_cycle
from stratawatch.engine.model.states import ACTIVE_CYCLES, CycleState, Entity, may_move
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError

Decision = Literal["cancel", "finish"]


@dataclass(frozen=True)
class LeftPanel:
    """A panel without a configuration: its cycles under way, open incidents, and what was decided, if anything."""

    name: str
    cycles: tuple[int, ...]
    incidents: int
    decision: str = ""

    @property
    def is_open(self) -> bool:
        """Whether somebody has to decide."""
        return bool(self.cycles or self.incidents) and not self.decision


def left_panels(tx: Transaction, configured: Collection[str]) -> tuple[LeftPanel, ...]:
    """The panels of the store that are not configured, by name."""
    decided = tx.labels.cursor(DECIDED)
    incidents = Counter(incident.key.panel for incident in tx.alarms.incidents(only_open=True))
    return tuple(
        LeftPanel(name, _active(tx, name), incidents[name], decided.get(name, {}).get("decision", ""))
        for name in tx.panels.latest()
        if name not in configured
    )


def retire_panel(ports: Ports, name: str, configured: Collection[str], decision: Decision, why: str) -> tuple[int, ...]:
    """Decide about the cycles of a panel that left; returns those that were cancelled.

    "cancel" gives all of them up. "finish" lets those be labelled and judged whose items were drawn; a window that was
    not read yet cannot be read any more, and is cancelled. Its incidents end once none of its cycles is under way.
    """
    if name in configured:
        raise StratawatchError(
            f"panel '{name}' is in the configuration",
            hint="take its table out first; its windows would be opened again",
        )
    with ports.store.begin() as tx:
        if name not in tx.panels.latest():
            raise StratawatchError(f"there is no panel '{name}' in the store")
        cycles = [tx.cycles.get(number) for number in _active(tx, name)]
    ended = [
        cycle.id
        for cycle in cycles
        if may_move(Entity.CYCLE, cycle.state, CycleState.CANCELLED)
        and (decision == "cancel" or cycle.state == CycleState.OPEN)
    ]
    for number in ended:
        cancel_cycle(ports, number, why)
    with ports.store.begin() as tx:  # last, so that a command that was killed half-way is asked for again
        record = {"decision": decision, "why": why, "at": ports.clock.now().isoformat()}
        tx.labels.save_cursor(DECIDED, {**tx.labels.cursor(DECIDED), name: record}, ports.clock.now())
        note_action(tx, ports, "retired", f"panel {name} ({decision})", why)
        tx.commit()
    close_left_incidents(ports)
    return tuple(ended)


def close_left_incidents(ports: Ports) -> None:
    """End the incidents of retired panels that have no cycle under way: no judgement will ever do it."""
    with ports.store.begin() as tx:
        for name, decided in tx.labels.cursor(DECIDED).items():
            for incident in () if _active(tx, name) else tx.alarms.incidents(panel=name, only_open=True):
                close_incident(tx, ports, incident, f"panel '{name}' was retired: {decided['why']}")
        tx.commit()


def _active(tx: Transaction, name: str) -> tuple[int, ...]:
    return tuple(cycle.id for cycle in tx.cycles.find(panel=name, states=ACTIVE_CYCLES))
