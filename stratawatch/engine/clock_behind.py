"""Asks whether the machine's clock is behind the store's newest commit, which one machine or another wrote."""

from datetime import datetime, timedelta
from typing import Final

from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import ClockDoubted

CLOCK_SKEW: Final = timedelta(minutes=5)
"""How far the clocks of two machines that work on one store may be apart."""
TRUSTED: Final = "clock trusted"
"""The cursor of the newest commit that a person has seen when they said that the clock is right."""
HINT: Final = "set the machine's clock; if it is right, `stratawatch open --trust-clock` goes on"


def require_after_newest_commit(tx: Transaction, now: datetime, undone: str) -> None:
    """Raise ClockDoubted, which begins with what was not done, where the clock is behind the newest commit."""
    newest = tx.newest_commit()
    trusted = tx.labels.cursor(TRUSTED).get("newest_commit")
    if newest is None or newest <= now + CLOCK_SKEW or (trusted and newest <= datetime.fromisoformat(trusted)):
        return
    raise ClockDoubted(
        f"{undone}: the machine's clock stands before the store's newest commit",
        expected=f"{time_text(newest)} or later",
        got=time_text(now),
        hint=HINT,
    )


def time_text(moment: datetime) -> str:
    """A moment, as sentences have it."""
    return f"{moment:%Y-%m-%d %H:%M} +00:00"
