"""Cells of a CSV file that a spreadsheet opens: text that it would take for a formula is marked as text."""

import re
from typing import Final

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_MARKED: Final = re.compile(r"'+[=+\-@\t\r]")


def marked_as_text(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would calculate.

    >>> marked_as_text("=HYPERLINK(1)"), marked_as_text("m-17")
    ("'=HYPERLINK(1)", 'm-17')
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def without_mark(cell: str) -> str:
    """The cell as it was before `marked_as_text`.

    >>> without_mark("'=HYPERLINK(1)"), without_mark("'tis")
    ('=HYPERLINK(1)', "'tis")
    """
    return cell[1:] if _MARKED.match(cell) else cell
