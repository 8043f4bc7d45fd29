"""Parse times that users write."""

from datetime import datetime

from stratawatch.errors import StratawatchError


def moment(value: datetime | str | None, whose: str) -> datetime | None:
    """A time with its offset from UTC, or None for None; `whose` names it in the error about a wrong one.

    >>> moment("2026-06-01T00:00:00+00:00", "the date of a baseline").year
    2026
    """
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        found = None
    if not isinstance(found, datetime) or found.tzinfo is None:
        raise StratawatchError(
            f"{whose} is not a moment with its offset from UTC", got=str(value), hint="write 2026-06-01T00:00:00+00:00"
        )
    return found
