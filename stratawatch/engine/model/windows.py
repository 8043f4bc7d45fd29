"""Windows of a panel: half-open, counted from the rule's start, in UTC, so that clock changes shift nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime

from stratawatch.engine.model.panel_spec import Window, WindowRule


def window_of_period(rule: WindowRule, period: int) -> Window:
    """The window with this ordinal."""
    start = _start(rule) + period * rule.length
    return Window(start, start + rule.length)


def newest_ended_period(rule: WindowRule, now: datetime) -> int:
    """The ordinal of the newest window that is over, its lateness included; -1 when there is none yet."""
    return int((now.astimezone(UTC) - rule.lateness - _start(rule)) // rule.length) - 1


def due_periods(rule: WindowRule, now: datetime, after: int) -> Iterator[int]:
    """Ordinals of complete windows later than `after`, oldest first."""
    yield from range(max(after + 1, 0), newest_ended_period(rule, now) + 1)


def _start(rule: WindowRule) -> datetime:
    """In UTC: sums and differences of moments in another zone go by its clocks, which change."""
    return rule.start.astimezone(UTC)
