"""Clocks: the real one, and one that stands still (simulated time, backfill, tests)."""

from dataclasses import dataclass
from datetime import UTC, datetime

from stratawatch.errors import StratawatchError


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """The current time."""
        return datetime.now(UTC)


@dataclass(frozen=True)
class FixedClock:
    """A clock that shows one moment."""

    moment: datetime

    def __post_init__(self) -> None:
        if self.moment.tzinfo is None:
            raise StratawatchError(
                "a moment needs its offset from UTC",
                got=self.moment.isoformat(),
                hint="write 2026-01-05T00:00:00+00:00",
            )

    def now(self) -> datetime:
        """The clock's moment, in UTC."""
        return self.moment.astimezone(UTC)
