"""The windows that were over before a panel had its first cycle: what opening all of them would ask of people."""

from collections.abc import Mapping
from dataclasses import dataclass

from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.windows import due_periods
from stratawatch.engine.ports import Ports
from stratawatch.formatting import count_text


@dataclass(frozen=True)
class PastWindows:
    """A panel without a cycle, its windows that are over, and the most labels that each may ask for, if known."""

    panel: str
    windows: int
    budget: int | None

    @property
    def sentence(self) -> str:
        """How many there are, and what they cost."""
        labels = "" if self.budget is None else f": up to {count_text(self.windows * self.budget, 'label')}"
        return f"{self.windows:,} windows of panel '{self.panel}' are over{labels}"


def past_windows(ports: Ports, panels: Mapping[str, PanelSpec]) -> tuple[PastWindows, ...]:
    """The panels that would begin with several windows at once; those that are paused begin with none."""
    now, found = ports.clock.now(), []
    with ports.store.begin() as tx:
        for spec in panels.values():
            if spec.name in ports.paused.panels or tx.cycles.find(panel=spec.name, newest=1):
                continue
            windows = len([*due_periods(spec.windows, now, -1)])
            if windows > 1:
                found.append(PastWindows(spec.name, windows, spec.budget if ports.budget is None else None))
    return tuple(found)
