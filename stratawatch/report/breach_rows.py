"""What the small charts of a breach draw: a classifier's flags, and a metric by segment, window by window."""

from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.goals import Limit


@dataclass(frozen=True)
class FlagCounts:
    """How many items a classifier flagged in each window, exactly; `usual` is the mean of some before its trouble."""

    classifier: str
    starts: tuple[datetime, ...]
    counts: tuple[int, ...]
    usual: float | None
    since: datetime | None  # the window in which a breach of it began, where that is shown

    @property
    def change(self) -> float | None:
        """By which part of the usual the newest window is above it."""
        return self.counts[-1] / self.usual - 1 if self.usual else None


@dataclass(frozen=True)
class Place:
    """A segment's values window by window; None where none could be told."""

    name: str
    moved_it: bool
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class PlacesChart:
    """A broken metric by segment."""

    classifier: str
    metric: str
    starts: tuple[datetime, ...]
    places: tuple[Place, ...]
    limit: Limit | None
    since: datetime | None
