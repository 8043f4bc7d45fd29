"""What is said where an id names nothing: the newest of those there are."""

from typing import Any, Final

from sqlalchemy import Column, Connection, select

from stratawatch.errors import NotFound

SHOWN: Final = 8


def unknown_id(sql: Connection, column: Column[Any], what: str, number: int, hint: str) -> NotFound:
    """The error of an id that is not there; `hint` is the sentence that says which command lists them."""
    newest = list(sql.scalars(select(column).order_by(column.desc()).limit(SHOWN + 1)))
    shown = ", ".join(map(str, newest[:SHOWN])) + (", ..." if len(newest) > SHOWN else "")
    return NotFound(f"there is no {what} {number}", hint=f"{hint}: {shown}" if newest else f"{hint}; there is none")
