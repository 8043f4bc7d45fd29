"""Rows that cannot be used, for people and as JSON: every fault counted, with an example, and some of the rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stratawatch.cli.printing import count_text, percent, say

if TYPE_CHECKING:
    from stratawatch.engine.records import BadRow, PanelSpec, Profile


def fault_rows(panel: "PanelSpec", profile: "Profile", bad_rows: "Sequence[BadRow]") -> list[dict[str, Any]]:
    """How many rows have each fault, the most frequent first; a row may have several."""
    from stratawatch.engine.faults import example, faults

    return [
        {"reason": fault.reason, "rows": fault.rows, "example": example(fault, bad_rows)}
        for fault in faults(panel, profile)
    ]


def bad_row_facts(row: "BadRow") -> dict[str, Any]:
    """What is told of one row."""
    return {"reason": row.reason, "unreadable": dict(row.unreadable)}


def say_faults(number: int, rows: int, told: list[dict[str, Any]]) -> None:
    """How many rows cannot be used, and why."""
    from stratawatch.engine.faults import such_as

    say(f"{number:,} of {count_text(rows, 'row')} ({percent(number / rows)}) cannot be used:")
    for fault in told:
        say(f"{fault['rows']:,}: {fault['reason']}{such_as(fault['example'])}", indent="  ")
    if sum(fault["rows"] for fault in told) > number:
        say("Some rows have several of these faults.", indent="  ")


def say_row(row: dict[str, Any]) -> None:
    """One row that was set aside."""
    from stratawatch.engine.faults import quoted

    values = ", ".join(quoted(value) for value in row["unreadable"].values())
    say(f"{row['key'] or '(no id)'}: {row['reason']}{f': {values}' if values else ''}", indent="  ")
