"""One budget over many panels, and the spans that it is counted by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from stratawatch.engine.model.panel_spec import Window, WindowRule

LEAST_BUDGET: Final = 10
"""The fewest labels that a cycle can do with."""

Span = Literal["day", "week", "month"]
LONGEST: Final[Mapping[Span, timedelta]] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=31),
}


@dataclass(frozen=True)
class SharedBudget:
    """The most labels that the cycles of all panels ask for together, of windows that end in one day, week or month."""

    labels: int
    per: Span = "week"
    floors: Mapping[str, int] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)

    def span_of(self, moment: datetime) -> Window:
        """The day, the week from Monday or the month in UTC that a moment is in."""
        day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if self.per == "day":
            start = day
        elif self.per == "week":
            start = day - timedelta(days=day.weekday())
        else:
            start = day.replace(day=1)
        end = start + LONGEST[self.per]
        return Window(start, end.replace(day=1) if self.per == "month" else end)

    def floor(self, panel: str) -> int:
        """The labels that no other panel takes from a window of this one."""
        return self.floors.get(panel, LEAST_BUDGET)

    def priority(self, panel: str) -> int:
        """Panels with a larger one come first."""
        return self.priorities.get(panel, 0)


def periods_ending_in(rule: WindowRule, span: Window) -> range:
    """The ordinals of a panel's windows that end inside a span."""
    start = rule.start.astimezone(UTC)
    first, last = (-((start - moment) // rule.length) - 1 for moment in (span.start, span.end))
    return range(max(first, 0), max(last, 0))
