"""Rows on the terminal: a table where it fits, one block for each row where the terminal is narrow; nothing is cut.

Below them stands in one sentence how to read a row.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Final

from stratawatch.cli.output import coloured, print_line, width
from stratawatch.formatting import READ_AS, printable

GAP: Final = 2
COLOURS: Final = {"BREACH": "bold red", "BLIND": "bold magenta", "AT RISK": "yellow", "OK": "green"}

Cells = Mapping[str, str]


def show_rows(rows: Sequence[Cells], *, how_to_read: str, numbers: Sequence[str] = ()) -> None:
    """Print rows of equal keys; the keys are the headings, `numbers` are aligned at their right.

    `how_to_read` says one of the rows as a sentence.
    """
    if not rows:
        return
    clean = [{printable(key): printable(value) for key, value in row.items()} for row in rows]
    columns = [key for key in clean[0] if any(row[key] for row in clean)]
    needed = sum(max(len(key), *(len(row[key]) for row in clean)) + GAP for key in columns)
    if needed <= width() + GAP:
        _table(clean, columns, numbers)
    else:
        _blocks(clean, columns)
    print_line(f"{READ_AS}{how_to_read}.")


def _table(rows: Sequence[Cells], columns: Sequence[str], numbers: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for key in columns:
        table.add_column(key, justify="right" if key in numbers else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(row[key], style=_style(row[key])) for key in columns))
    console = Console(file=sys.stdout, width=width() + GAP, highlight=False, no_color=not coloured())
    console.print(table)


def _blocks(rows: Sequence[Cells], columns: Sequence[str]) -> None:
    """Print each row as a block: its first cell as the title, then the others by name."""
    for row in rows:
        print_line(row[columns[0]])
        for key in columns[1:]:
            if row[key]:
                print_line(f"{key}: {row[key]}", indent="  ")


def _style(cell: str) -> str:
    return next((style for state, style in COLOURS.items() if cell.endswith(f" {state}")), "")
