"""Options and arguments that several commands share."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from stratawatch import datetimes
from stratawatch.errors import StratawatchError
from stratawatch.formatting import did_you_mean

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", envvar="STRATAWATCH_CONFIG", help="The configuration file.", metavar="FILE")
]
MOST_NAMES = 20
"""Names that an error lists."""
DEFAULT_CONFIG = Path("stratawatch.toml")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON to standard output, and nothing else.")]

MethodOption = Annotated[
    bool, typer.Option("--method", help="Also how the numbers are made, in the words of statisticians.")
]

PanelOption = Annotated[str | None, typer.Option("--panel", "-p", help="Only this panel.", metavar="NAME")]

NowOption = Annotated[
    str | None, typer.Option("--now", help="Act as if it were this moment (simulated time).", metavar="TIME")
]


ByOption = Annotated[
    str | None,
    typer.Option("--by", help="Who does it, for the audit log; else the user of the process.", metavar="NAME"),
]
WhyOption = Annotated[str, typer.Option("--why", help="The reason; it is kept in the log.", metavar="TEXT")]
ReasonOption = Annotated[str, typer.Option("--why", help="The reason, for the audit log.", metavar="TEXT")]


def moment(text: str | None, option: str = "--now") -> datetime | None:
    """A moment from the command line."""
    found = datetimes.moment(text, option)
    return None if found is None else within_reach(found, option)


def within_reach(moment: datetime, option: str) -> datetime:
    """A moment, which must lie in the years that windows are counted in."""
    if not 1970 < moment.year < 2200:
        raise StratawatchError(f"{option} is out of reach", expected="a year from 1971 to 2199", got=str(moment))
    return moment


def chosen_panels(panel: str | None, names: list[str]) -> list[str]:
    """The panel that was named, or all of them."""
    return [existing_name(panel, names, "panel")] if panel else names


def stored_panel(name: str, stored: list[str], configured: Iterable[str]) -> str:
    """The name of a panel that has an opened window; raises StratawatchError otherwise."""
    if name in configured and name not in stored:
        raise StratawatchError(
            f"no window of panel '{name}' was opened yet", hint="`stratawatch open` opens those that are over"
        )
    return existing_name(name, stored, "panel")


def existing_name(name: str, names: list[str], what: str) -> str:
    """The name, which must be one of `names`; raises StratawatchError with them, and the nearest, otherwise."""
    if name not in names:
        more = f", ... ({len(names)} in all)" if len(names) > MOST_NAMES else ""
        raise StratawatchError(
            f"there is no {what} '{name}'",
            expected=f"{', '.join(names[:MOST_NAMES])}{more}",
            hint=did_you_mean(name.lower(), names) if names else f"there is no {what} yet",
        )
    return name
