"""The window of a panel that a command reads."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from stratawatch.cli.options import within_reach
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from stratawatch.engine.model.panel_spec import PanelSpec, Window
    from stratawatch.wiring import Installation

WindowOption = Annotated[
    str | None, typer.Option("--window", help="The window that holds this day or moment (UTC).", metavar="TIME")
]


def newest_window(installation: "Installation", spec: "PanelSpec") -> tuple[int, "Window"]:
    """The newest complete window."""
    from stratawatch.engine.model.windows import newest_ended_period, window_of_period

    period = newest_ended_period(spec.windows, installation.ports.clock.now())
    if period < 0:
        first = window_of_period(spec.windows, 0)
        raise StratawatchError(f"panel '{spec.name}' has no complete window yet", hint=f"the first is {first}")
    return period, window_of_period(spec.windows, period)


def window_holding(spec: "PanelSpec", text: str, option: str = "--window") -> tuple[int, "Window"]:
    """The window that holds a moment."""
    from stratawatch.engine.model.windows import window_of_period

    rule = spec.windows
    period = (day_or_moment(text, option) - rule.start) // rule.length
    if period < 0:
        first = window_of_period(rule, 0)
        raise StratawatchError(f"panel '{spec.name}' has no window that early", got=text, hint=f"the first is {first}")
    return period, window_of_period(rule, period)


def day_or_moment(text: str, option: str) -> datetime:
    """A day or a moment from the command line, in UTC unless it says another offset."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise StratawatchError(
            f"{option} is not a day or a moment", got=text, hint="write 2026-01-05 or 2026-01-05T06:00:00+00:00"
        ) from None
    return within_reach(found if found.tzinfo else found.replace(tzinfo=UTC), option)
