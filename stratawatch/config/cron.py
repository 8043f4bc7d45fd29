"""Cron expressions are checked where they are written, not when a schedule first fails to run."""

import re
from typing import Final

_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS: Final = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_FIELDS: Final[tuple[tuple[str, int, int, list[str]], ...]] = (
    ("minute", 0, 59, []),
    ("hour", 0, 23, []),
    ("day of the month", 1, 31, []),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _DAYS),
)
_PART: Final = re.compile(r"(?:\*|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>\d+))?", re.ASCII)


def check_cron(text: str) -> str:
    """The expression itself, if it has five fields and each is in its range.

    >>> check_cron("*/5 * * * mon-fri")
    '*/5 * * * mon-fri'
    """
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f'is not a cron expression: five fields as in "15 * * * *", got {len(fields)}')
    for field, (name, low, high, names) in zip(fields, _FIELDS, strict=True):
        if not all(_fits(part, low, high, names) for part in field.lower().split(",")):
            raise ValueError(f"has '{field}' as its {name}; {low} to {high}, *, lists, ranges and steps are allowed")
    return text


def _fits(part: str, low: int, high: int, names: list[str]) -> bool:
    found = _PART.fullmatch(part)
    if not found or (found["step"] and not 0 < int(found["step"]) <= high):
        return False
    ends = [_number(end, names, low) for end in (found["first"], found["last"]) if end]
    return all(end is not None and low <= end <= high for end in ends) and ends == sorted(
        ends, key=lambda end: end or 0
    )


def _number(text: str, names: list[str], low: int) -> int | None:
    if text in names:
        return names.index(text) + low
    return int(text) if text.isdigit() else None
