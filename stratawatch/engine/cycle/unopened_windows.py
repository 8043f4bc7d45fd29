"""The windows that are over and that `open` would open now: nothing happens to them until it is called."""

from collections.abc import Mapping
from dataclasses import dataclass

from stratawatch.engine.cycle.clock_check import free_slots
from stratawatch.engine.cycle.panel_pauses import panel_pauses
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.windows import due_periods, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.formatting import count_text


@dataclass(frozen=True)
class UnopenedWindows:
    """How many windows of a panel are over and not opened; `is_new`: it has no cycle yet."""

    panel: str
    windows: int
    is_new: bool = False

    @property
    def sentence(self) -> str:
        """How many there are.

        >>> UnopenedWindows("spam", 1).sentence
        '1 window of spam is over and not opened'
        """
        are = "is" if self.windows == 1 else "are"
        return f"{count_text(self.windows, 'window')} of {self.panel} {are} over and not opened"


def unopened_windows(ports: Ports, panels: Mapping[str, PanelSpec]) -> tuple[UnopenedWindows, ...]:
    """The panels that have some; none where a panel is paused, or has as many cycles under way as it may."""
    now, found = ports.clock.now(), []
    with ports.store.begin() as tx:
        for spec in panels.values():
            if spec.name in ports.paused.panels or free_slots(tx, spec.name) <= 0:
                continue
            newest = tx.cycles.find(panel=spec.name, newest=1)
            pauses = panel_pauses(tx, spec.name)
            due = [*due_periods(spec.windows, now, newest[0].period if newest else -1)]
            ends = [window_of_period(spec.windows, period).end for period in due] if pauses else []
            number = len(due) - sum(any(pause.covers(end) for pause in pauses) for end in ends)
            found += [UnopenedWindows(spec.name, number, not newest)] if number else []
    return tuple(found)
