"""Refused windows that wait for a person."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stratawatch.engine.model.states import CycleState

if TYPE_CHECKING:
    from stratawatch.engine.model.cycle_facts import Cycle
    from stratawatch.engine.ports.transaction import Transaction


def refused_windows(tx: "Transaction", panels: Iterable[str]) -> "tuple[Cycle, ...]":
    """The refused cycles of these panels, oldest window first.

    Those before a judged window are over, unless they run a window again that was judged: nothing holds of it now.
    """
    found: list[Cycle] = []
    for panel in panels:
        judged = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], newest=1)
        since = judged[0].period if judged else -1
        refused = tx.cycles.find(panel=panel, states=[CycleState.REFUSED])
        found += [one for one in refused if one.period > since or _was_judged(tx, one)]
    return tuple(found)


def _was_judged(tx: "Transaction", cycle: "Cycle") -> bool:
    return any(run.state == CycleState.JUDGED for run in tx.cycles.earlier_runs(cycle))
