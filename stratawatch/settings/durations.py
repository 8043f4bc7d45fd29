"""Lengths of time as people write them: 90m, 2h, 3d, 1w, 1d12h."""

import re
from datetime import timedelta
from typing import Any, Final

_UNITS: Final = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_WHOLE: Final = re.compile(r"(?:\d+\s*[wdhms]\s*)+")
_PART: Final = re.compile(r"(\d+)\s*([wdhms])")
LONGEST: Final = timedelta(days=3660)


def parse_duration(value: Any) -> timedelta:
    """A length of time from its text.

    >>> parse_duration("1d12h")
    datetime.timedelta(days=1, seconds=43200)
    """
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str) or not _WHOLE.fullmatch(value.strip().lower()):
        raise ValueError('is not a length of time; write "90m", "2h", "3d" or "1w"')
    length = timedelta()
    for number, unit in _PART.findall(value.lower()):
        if len(number) > 6:
            raise ValueError("is absurdly long")
        length += timedelta(**{_UNITS[unit]: int(number)})
    if length > LONGEST:
        raise ValueError("is absurdly long; ten years are the most")
    return length
