"""Cells of a CSV file that a spreadsheet opens: text that it would take for a formula is marked as text."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TextIO

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


def write_csv(handle: TextIO, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows below their names: what a cell holds by name gets a column each, as `payload.text`; a list is JSON."""
    flat = [dict(_columns(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    writer = csv.writer(handle)
    if names:
        writer.writerow([marked_as_text(name) for name in names])
    writer.writerows([row.get(name, "") for name in names] for row in flat)


def _columns(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        inside = {f"{name}.{one}": held for one, held in value.items()} if isinstance(value, Mapping) else {name: value}
        yield from ((column, _cell(held)) for column, held in inside.items())


def _cell(value: Any) -> str:
    """A number needs no mark: a spreadsheet calculates nothing of it."""
    match value:
        case None:
            return ""
        case str():
            return marked_as_text(value)
        case datetime():
            return value.isoformat()
        case bool() | list() | tuple() | dict():
            return json.dumps(value, ensure_ascii=False, default=str)
        case _:
            return str(value)
