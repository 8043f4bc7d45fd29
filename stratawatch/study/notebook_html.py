"""Results as a notebook shows them: HTML tables, all of it escaped, with warnings as their last rows."""

from collections.abc import Sequence
from html import escape
from typing import Final

from stratawatch.chart_colours import VERMILLION
from stratawatch.formatting import READ_AS

WARNING_SIGN: Final = "⚠"
"""Before every warning: nothing is said by colour alone."""
_CAPTION: Final = "caption-side: bottom; text-align: left"


def html_table(
    names: Sequence[str], rows: Sequence[Sequence[str]], warnings: Sequence[str] = (), how_to_read: str = ""
) -> str:
    """A table with a row for each warning below it; its caption says one of its rows as a sentence.

    >>> html_table(["who"], [["<lr>"]])
    '<table><thead><tr><th>who</th></tr></thead><tbody><tr><td>&lt;lr&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    body += [_warning_cell(warning, max(len(names), 1)) for warning in warnings]
    lines = "".join(f"<tr>{cells}</tr>" for cells in body)
    caption = f'<caption style="{_CAPTION}">{escape(READ_AS + how_to_read)}.</caption>' if how_to_read else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def html_paragraph(text: str) -> str:
    """A sentence before a table."""
    return f"<p>{escape(text)}</p>"


def _warning_cell(warning: str, columns: int) -> str:
    style = f"border-left: 4px solid {VERMILLION}; text-align: left"
    return f'<td colspan="{columns}" style="{style}">{WARNING_SIGN} {escape(warning)}</td>'
