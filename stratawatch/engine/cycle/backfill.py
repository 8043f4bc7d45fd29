"""Open past windows that have no cycle, whatever was opened since."""

from stratawatch.engine.audit import note_action
from stratawatch.engine.cycle.clock_check import free_slots
from stratawatch.engine.cycle.open_cycles import require_same_windows
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.windows import newest_ended_period, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text


def backfill(ports: Ports, spec: PanelSpec, first: int, last: int, why: str = "") -> tuple[tuple[int, ...], int]:
    """Open the windows from `first` to `last` that are over and have no cycle, oldest first.

    Returns the new cycles and how many windows are left for another time: one slot of the panel stays free for the
    window that `open` opens next.
    """
    if spec.name in ports.paused.panels:
        raise StratawatchError(f"panel '{spec.name}' is paused", hint="take `paused = true` out first")
    now = ports.clock.now()
    with ports.store.begin() as tx:
        newest = tx.cycles.find(panel=spec.name, newest=1)
        if newest:
            require_same_windows(tx, spec, newest[0])
        there = {cycle.period for cycle in tx.cycles.find(panel=spec.name, before=last + 1)}
        over = range(max(first, 0), min(last, newest_ended_period(spec.windows, now)) + 1)
        missing = [period for period in over if period not in there]
        chosen = missing[: max(free_slots(tx, spec.name) - 1, 0)]
        version = tx.panels.save(spec, now) if chosen else 0
        found = [tx.cycles.open(spec.name, version, one, window_of_period(spec.windows, one), now) for one in chosen]
        opened = tuple(cycle for cycle in found if cycle is not None)
        if opened:
            note_action(tx, ports, "backfilled", f"{count_text(len(opened), 'window')} of {spec.name}", why)
        tx.commit()
    return opened, len(missing) - len(chosen)
