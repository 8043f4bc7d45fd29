"""How streams stand at their limits, as `plan` prints it: what would prove each inside, and what would page."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratawatch.cli.output import print_line, stream_text
from stratawatch.core.alarms.alarm_states import SYMBOLS


def show_limits(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a paragraph for each end of a limit, those that are not proven first."""
    if not rows:
        return
    print_line()
    print_line("Limits, by the newest judged window")
    for row in sorted(rows, key=lambda row: row["windows_to_ok"] == 0):
        print_line(f"{SYMBOLS[row['state']]} {stream_text(row)}: {row['sentence']}", indent="  ")
