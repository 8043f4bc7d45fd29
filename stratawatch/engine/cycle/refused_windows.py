"""Refused windows that wait for a person."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stratawatch.engine.model.states import CycleState

if TYPE_CHECKING:
    from stratawatch.engine.model.cycle_facts import Cycle
    from stratawatch.engine.ports.transaction import Transaction


def refused_windows(tx: "Transaction", panels: Iterable[str]) -> "tuple[Cycle, ...]":
    """The refused cycles of these panels, oldest window first; those before a judged window are over."""
    found: list[Cycle] = []
    for panel in panels:
        judged = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], newest=1)
        since = judged[0].period if judged else -1
        refused = tx.cycles.find(panel=panel, states=[CycleState.REFUSED])
        found += [one for one in refused if one.period > since]
    return tuple(found)
