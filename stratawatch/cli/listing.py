"""Rows for people: a table where it fits, one block a row where the terminal is narrow. Nothing is cut off."""

import sys
from collections.abc import Mapping, Sequence
from typing import Final

from stratawatch.cli.printing import coloured, harmless, say, width

GAP: Final = 2
COLOURS: Final = {"BREACH": "bold red", "BLIND": "bold magenta", "AT RISK": "yellow", "OK": "green"}

Cells = Mapping[str, str]


def show_rows(rows: Sequence[Cells], *, numbers: Sequence[str] = ()) -> None:
    """Print rows of equal keys; the keys are the headings, `numbers` are aligned at their right."""
    if not rows:
        return
    clean = [{harmless(key): harmless(value) for key, value in row.items()} for row in rows]
    columns = [key for key in clean[0] if any(row[key] for row in clean)]
    needed = sum(max(len(key), *(len(row[key]) for row in clean)) + GAP for key in columns)
    if needed <= width() + GAP:
        _table(clean, columns, numbers)
    else:
        _blocks(clean, columns)


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
    """The first column is the block's title; the others follow by name."""
    for row in rows:
        say(row[columns[0]])
        for key in columns[1:]:
            if row[key]:
                say(f"{key}: {row[key]}", indent="  ")


def _style(cell: str) -> str:
    return next((style for state, style in COLOURS.items() if cell.endswith(f" {state}")), "")
