"""The range in which a half-width is expected to end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HalfWidthRange:
    """Where a half-width is expected to end.

    >>> HalfWidthRange(0.03, 0.05).middle
    0.04
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Halfway between both ends."""
        return (self.low + self.high) / 2
