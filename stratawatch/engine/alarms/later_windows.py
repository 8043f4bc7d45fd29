"""Finds what came after a window whose page is written when later ones were judged already."""

from typing import Final

from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction

_DECIDED: Final = (CycleState.JUDGED, CycleState.REFUSED)


def newest_after(tx: Transaction, cycle: Cycle) -> Cycle | None:
    """The newest window of a panel that was judged or refused, where it is later than a cycle's; else None."""
    newest = tx.cycles.find(panel=cycle.panel, states=_DECIDED, newest=1)
    return next((one for one in newest if one.period > cycle.period), None)
