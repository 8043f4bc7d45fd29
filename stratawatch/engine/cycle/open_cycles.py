"""Open a cycle for every window that is over: in order, once, the past included."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from stratawatch.engine.cycle.budget_shares import BUDGET, BudgetShares, too_few
from stratawatch.engine.cycle.clock_check import free_slots, require_sound_clock, trust_clock
from stratawatch.engine.cycle.panel_pauses import keep_pauses, note_pause
from stratawatch.engine.lease import fenced, hold_lease
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.shared_budget import LEAST_BUDGET
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.model.windows import due_periods, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import ConfigError, StratawatchError
from stratawatch.formatting import length_text

PAUSED: Final = "the panel was paused"
DECIDED: Final = "panels that left"
"""The cursor of what was decided about panels that left the configuration, by panel."""


def open_cycles(
    ports: Ports, panels: Mapping[str, PanelSpec], *, trusted: bool = False, most: int | None = None
) -> tuple[int, ...]:
    """Open what is due, oldest window first; returns the new cycles' ids.

    A panel without a cycle begins with its newest windows, `most` of them, or with all.

    Raises ClockDoubted where the machine's clock cannot be right, unless it is `trusted`, and LeaseHeld where panels
    share a budget and somebody else is giving it out.
    """
    if trusted:
        trust_clock(ports)
    else:
        require_sound_clock(ports, panels)
    if ports.budget is None:
        return _open_panels(ports, panels, None, most)
    with hold_lease(ports, BUDGET) as holder:
        held = fenced(ports, BUDGET, holder)
        shares = BudgetShares(held, ports.budget, {**ports.configured, **panels})  # others keep their floors
        return _open_panels(held, panels, shares, most)


def _open_panels(
    ports: Ports, panels: Mapping[str, PanelSpec], shares: BudgetShares | None, most: int | None
) -> tuple[int, ...]:
    opened: list[int] = []
    troubles: list[StratawatchError] = []
    for spec in panels.values():
        try:
            with ports.store.begin() as tx:
                opened += _open_panel(tx, ports, spec, shares, most)
                tx.commit()
        except ConfigError as trouble:
            troubles.append(trouble)  # the other panels' windows open all the same
    if troubles:
        raise troubles[0] if len(troubles) == 1 else StratawatchError("; ".join(map(str, troubles)))
    return tuple(opened)


def _open_panel(
    tx: Transaction, ports: Ports, spec: PanelSpec, shares: BudgetShares | None, most: int | None
) -> list[int]:
    now = ports.clock.now()
    newest = tx.cycles.find(panel=spec.name, newest=1)
    if newest:
        require_same_windows(tx, spec, newest[0])
    version = tx.panels.save(spec, now)
    decided = tx.labels.cursor(DECIDED)
    if spec.name in decided:  # it came back; should it leave again, that is decided again
        tx.labels.save_cursor(DECIDED, {name: one for name, one in decided.items() if name != spec.name}, now)
    is_paused = spec.name in ports.paused.panels
    pauses = note_pause(tx, spec.name, now, is_paused=is_paused)
    free = 0 if is_paused else free_slots(tx, spec.name)
    opened: list[int] = []
    due = [*due_periods(spec.windows, now, newest[0].period if newest else -1)]
    for period in due if most is None or newest else due[-most:]:
        window = window_of_period(spec.windows, period)
        is_passed_over = any(pause.covers(window.end) for pause in pauses)
        if not is_passed_over and len(opened) >= free:
            break  # windows are opened in order, so that later ones wait for this one, passed over or not
        why_not = PAUSED if is_passed_over else ""
        if shares is None or is_passed_over:
            cycle = tx.cycles.open(spec.name, version, period, window, now)
        else:
            cycle, why_not = open_with_share(tx, ports, spec, period, shares)
        if cycle is not None and why_not:
            tx.cycles.explain(cycle, reason=why_not)
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.CANCELLED, at=now, why=why_not)
        elif cycle is not None:
            opened.append(cycle)
    else:  # no window is left that a pause which is over could be about
        complete = now - spec.windows.lateness
        kept = tuple(pause for pause in pauses if not pause.is_over or pause.until > complete)
        keep_pauses(tx, spec.name, pauses, kept, now)
    return opened


def open_with_share(
    tx: Transaction, ports: Ports, spec: PanelSpec, period: int, shares: BudgetShares, *, at: datetime | None = None
) -> tuple[int | None, str]:
    """Open a window whose budget is its share of what panels share; and why it is passed over, if it is.

    It is opened now, or `at` the moment at which the cycle was that it replaces.
    The share is the budget in the specification that the cycle keeps; the panel's newest one stays the configuration's.
    """
    now, window = ports.clock.now(), window_of_period(spec.windows, period)
    share = shares.share(tx, spec, period)
    why_not = too_few(share) if share.share < LEAST_BUDGET else ""
    version = tx.panels.save(spec if why_not else replace(spec, budget=share.share), now)
    cycle = tx.cycles.open(spec.name, version, period, window, at or now)
    if cycle is not None:
        shares.keep(tx, spec, period, replace(share, share=0, why=why_not) if why_not else share, cycle)
    tx.panels.save(spec, now)
    return cycle, why_not


def require_same_windows(tx: Transaction, spec: PanelSpec, newest: Cycle) -> None:
    """Windows may not overlap or leave gaps, so a panel keeps the rule it began with."""
    old = tx.panels.get(newest.panel_version).windows
    if (old.start, old.length) != (spec.windows.start, spec.windows.length):
        raise ConfigError(
            f"the windows of panel '{spec.name}' changed after its first cycle",
            expected=f"start {old.start.isoformat()} and length {length_text(old.length)}",
            got=f"start {spec.windows.start.isoformat()} and length {length_text(spec.windows.length)}",
            hint="restore them, or give the new rhythm a panel of its own name",
        )
