"""Rows that cannot be used, as text and as JSON: every reason with its count and an example, and some of the rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stratawatch.cli.output import print_line
from stratawatch.formatting import count_text, percent

if TYPE_CHECKING:
    from stratawatch.engine.model.input_profile import InputProfile
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.model.quarantined_row import QuarantinedRow


def fault_rows(
    panel: "PanelSpec", profile: "InputProfile", bad_rows: "Sequence[QuarantinedRow]"
) -> list[dict[str, Any]]:
    """How many rows have each fault, the most frequent first; a row may have several."""
    from stratawatch.engine.input.bad_row_reasons import bad_row_reasons, example

    return [
        {"reason": fault.reason, "rows": fault.rows, "example": example(fault, bad_rows)}
        for fault in bad_row_reasons(panel, profile)
    ]


def bad_row_facts(row: "QuarantinedRow") -> dict[str, Any]:
    """The JSON of one row."""
    return {"reason": row.reason, "unreadable": dict(row.unreadable)}


def print_faults(number: int, rows: int, faults: list[dict[str, Any]]) -> None:
    """Print how many rows cannot be used, by reason."""
    from stratawatch.engine.input.bad_row_reasons import example_clause

    print_line(f"{number:,} of {count_text(rows, 'row')} ({percent(number / rows)}) cannot be used:")
    for fault in faults:
        print_line(f"{fault['rows']:,}: {fault['reason']}{example_clause(fault['example'])}", indent="  ")
    if sum(fault["rows"] for fault in faults) > number:
        print_line("Some rows have several of these faults.", indent="  ")


def print_bad_row(row: dict[str, Any]) -> None:
    """Print one row that was set aside."""
    from stratawatch.engine.input.bad_row_reasons import quoted

    values = ", ".join(quoted(value) for value in row["unreadable"].values())
    print_line(f"{row['key'] or '(no id)'}: {row['reason']}{f': {values}' if values else ''}", indent="  ")
