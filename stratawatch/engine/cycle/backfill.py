"""Open past windows that have no cycle, whatever was opened since."""

from stratawatch.engine.audit import note_action
from stratawatch.engine.cycle.budget_shares import BUDGET, BudgetShares
from stratawatch.engine.cycle.clock_check import free_slots
from stratawatch.engine.cycle.open_cycles import open_with_share, require_same_windows
from stratawatch.engine.lease import fenced, hold_lease
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.shared_budget import LEAST_BUDGET
from stratawatch.engine.model.windows import newest_ended_period, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text


def backfill(ports: Ports, spec: PanelSpec, first: int, last: int, why: str = "") -> tuple[tuple[int, ...], int]:
    """Open the windows from `first` to `last` that are over and have no cycle, oldest first.

    Returns the new cycles and how many windows are left for another time: one slot of the panel stays free for the
    window that `open` opens next. Where panels share a budget, each window has its share of it, as with `open`.
    """
    if spec.name in ports.paused.panels:
        raise StratawatchError(f"panel '{spec.name}' is paused", hint="take `paused = true` out first")
    if ports.budget is None:
        return _backfill(ports, spec, range(first, last + 1), why, None)
    with hold_lease(ports, BUDGET) as holder:
        held = fenced(ports, BUDGET, holder)
        return _backfill(held, spec, range(first, last + 1), why, BudgetShares(held, ports.budget, ports.configured))


def _backfill(
    ports: Ports, spec: PanelSpec, periods: range, why: str, shares: BudgetShares | None
) -> tuple[tuple[int, ...], int]:
    now = ports.clock.now()
    opened: list[int] = []
    with ports.store.begin() as tx:
        newest = tx.cycles.find(panel=spec.name, newest=1)
        if newest:
            require_same_windows(tx, spec, newest[0])
        there = {cycle.period for cycle in tx.cycles.find(panel=spec.name, before=periods.stop)}
        over = range(max(periods.start, 0), min(periods.stop, newest_ended_period(spec.windows, now) + 1))
        missing = [period for period in over if period not in there]
        chosen = missing[: max(free_slots(tx, spec.name) - 1, 0)]
        version = tx.panels.save(spec, now) if chosen else 0
        for period in chosen:
            if shares is None:
                cycle = tx.cycles.open(spec.name, version, period, window_of_period(spec.windows, period), now)
            else:
                cycle = _open_if_enough(tx, ports, spec, period, shares, is_first=not opened)
            opened += [] if cycle is None else [cycle]
        if opened:
            note_action(tx, ports, "backfilled", f"{count_text(len(opened), 'window')} of {spec.name}", why)
        tx.commit()
    return tuple(opened), len(missing) - len(opened)


def _open_if_enough(
    tx: Transaction, ports: Ports, spec: PanelSpec, period: int, shares: BudgetShares, *, is_first: bool
) -> int | None:
    """Open a window with its share of the budget; where too little is left of that, leave it for another time."""
    share = shares.share(tx, spec, period).share
    if share >= LEAST_BUDGET:
        return open_with_share(tx, ports, spec, period, shares)[0]
    if is_first:
        window = window_of_period(spec.windows, period)
        raise StratawatchError(
            f"the shared budget leaves {count_text(share, 'label')} for window {window}",
            expected=f"at least {LEAST_BUDGET}",
            hint="raise `labels` in [budget], or lower the floors of other panels in that time",
        )
    return None
