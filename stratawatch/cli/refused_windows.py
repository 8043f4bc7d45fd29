"""What `check`, `advance` and `status` say of refused windows: which they are, and what to type."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from stratawatch.cli.output import print_line, window_text
from stratawatch.engine.cycle.refused_windows import refused_windows
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.ports.transaction import Transaction

MOST_SHOWN: Final = 3
"""Windows of a panel that a person is told of, the newest ones."""

Row = Mapping[str, Any]


def refused_rows(tx: "Transaction", panels: Iterable[str]) -> list[dict[str, Any]]:
    """The refused windows of these panels that no later judged window followed."""
    return [
        with_command(
            {
                "cycle": one.id,
                "panel": one.panel,
                "window_start": one.window.start,
                "window_end": one.window.end,
                "reason": one.reason,
            }
        )
        for one in refused_windows(tx, panels)
    ]


def with_command(row: Row) -> dict[str, Any]:
    """A row with what opens its window again."""
    return {**row, "command": cycle_command("reopen", row["cycle"])}


def refused_text(row: Row) -> str:
    """Which window is refused."""
    return f"cycle {row['cycle']} of panel '{row['panel']}', window {window_text(row)}, is refused"


def show_refused(rows: Sequence[Row], *, told: Collection[int] = ()) -> None:
    """Print the newest refused windows of each panel, and what to type; the reasons of `told` were said already."""
    for panel in dict.fromkeys(row["panel"] for row in rows):
        mine = [row for row in rows if row["panel"] == panel]
        if left := len(mine[:-MOST_SHOWN]):
            older = f"{count_text(left, 'older window')} of panel '{panel}' {'is' if left == 1 else 'are'} refused"
            print_line(f"! {older}: `stratawatch cycles --state refused`")
        for row in mine[-MOST_SHOWN:]:
            why = "" if row["cycle"] in told else f": {row['reason']}"
            print_line(f"! {refused_text(row)}{why}")
            print_line(f"  once its input is mended: {row['command']}")
