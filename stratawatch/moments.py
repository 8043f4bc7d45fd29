"""Moments that somebody wrote down."""

from datetime import datetime

from stratawatch.errors import StratawatchError


def moment(said: datetime | str | None, whose: str) -> datetime | None:
    """A date as a moment, if anybody named one; `whose` it is, for the sentence about one that is none.

    >>> moment("2026-06-01T00:00:00+00:00", "the date of a baseline").year
    2026
    """
    if said is None:
        return None
    try:
        found = datetime.fromisoformat(said) if isinstance(said, str) else said
    except ValueError:
        found = None
    if not isinstance(found, datetime) or found.tzinfo is None:
        raise StratawatchError(
            f"{whose} is not a moment with its offset from UTC", got=str(said), hint="write 2026-06-01T00:00:00+00:00"
        )
    return found
