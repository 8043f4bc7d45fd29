"""Open a cycle for every window that is over: in order, once, the past included."""

from collections.abc import Mapping
from typing import Final

from stratawatch.engine.cycle.clock_check import free_slots, require_sound_clock, trust_clock
from stratawatch.engine.cycle.panel_pauses import keep_pauses, note_pause
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.model.windows import due_periods, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import ConfigError, StratawatchError

PAUSED: Final = "the panel was paused"
DECIDED: Final = "panels that left"
"""The cursor of what was decided about panels that left the configuration, by panel."""


def open_cycles(ports: Ports, panels: Mapping[str, PanelSpec], *, trusted: bool = False) -> tuple[int, ...]:
    """Open what is due, oldest window first; returns the new cycles' ids.

    Raises ClockDoubted where the machine's clock cannot be right, unless it is `trusted`.
    """
    if trusted:
        trust_clock(ports)
    else:
        require_sound_clock(ports, panels)
    opened: list[int] = []
    troubles: list[StratawatchError] = []
    for spec in panels.values():
        try:
            with ports.store.begin() as tx:
                opened += _open_panel(tx, ports, spec)
                tx.commit()
        except ConfigError as trouble:
            troubles.append(trouble)  # the other panels' windows open all the same
    if troubles:
        raise troubles[0] if len(troubles) == 1 else StratawatchError("; ".join(map(str, troubles)))
    return tuple(opened)


def _open_panel(tx: Transaction, ports: Ports, spec: PanelSpec) -> list[int]:
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
    for period in due_periods(spec.windows, now, newest[0].period if newest else -1):
        window = window_of_period(spec.windows, period)
        is_passed_over = any(pause.covers(window.end) for pause in pauses)
        if not is_passed_over and len(opened) >= free:
            break  # windows are opened in order, so that later ones wait for this one, passed over or not
        cycle = tx.cycles.open(spec.name, version, period, window, now)
        if cycle is not None and is_passed_over:
            tx.cycles.explain(cycle, reason=PAUSED)
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.CANCELLED, at=now, why=PAUSED)
        elif cycle is not None:
            opened.append(cycle)
    else:  # no window is left that a pause which is over could be about
        complete = now - spec.windows.lateness
        kept = tuple(pause for pause in pauses if not pause.is_over or pause.until > complete)
        keep_pauses(tx, spec.name, pauses, kept, now)
    return opened


def require_same_windows(tx: Transaction, spec: PanelSpec, newest: Cycle) -> None:
    """Windows may not overlap or leave gaps, so a panel keeps the rule it began with."""
    old = tx.panels.get(newest.panel_version).windows
    if (old.start, old.length) != (spec.windows.start, spec.windows.length):
        raise ConfigError(
            f"the windows of panel '{spec.name}' changed after its first cycle",
            expected=f"start {old.start.isoformat()} and length {old.length}",
            got=f"start {spec.windows.start.isoformat()} and length {spec.windows.length}",
            hint="restore them, or give the new rhythm a panel of its own name",
        )
