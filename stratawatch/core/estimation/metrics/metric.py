"""What every metric can do, and the sentences they share when nothing can be told."""

from typing import Final, Protocol

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.effective import effective_labels
from stratawatch.core.estimation.sides import Side
from stratawatch.core.population import Floats
from stratawatch.core.results import Known, Undefined

MOST_UNSEEN: Final = 0.10
"""Largest share of a metric's items that may lie in cells without any answer."""


class Metric(Protocol):
    """A metric of one classifier, from its two sides."""

    @property
    def method(self) -> str:
        """How the value and its interval come about, in a few words."""
        ...

    def gradient(self, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> Floats:
        """Change of the metric per unit change of an item's label, for the items of each cell."""
        ...

    def outcome(self, positive: Side, negative: Side, confidence: float) -> Known | Undefined:
        """The metric with its interval, or why it cannot be told."""
        ...

    def labels(self, positive: Side, negative: Side) -> int:
        """Labels that serve the metric."""
        ...


def known_share(side: Side, confidence: float) -> Known:
    """The share of positives on a side."""
    n_eff = effective_labels(side.share, side.variance, side.low, side.high, side.size, confidence)
    return Known(side.share, side.low, side.high, n_eff)


def untold(side: Side, whose: str) -> Undefined | None:
    """Why the share of positives on a side cannot be told, if so."""
    if side.size == 0:
        return Undefined(f"it calls no item {whose}")
    if side.labels == 0:
        return Undefined(f"no label among the {side.size:,.0f} items it calls {whose}")
    return too_much_unseen(side.unseen, side.size, f"the items it calls {whose}")


def too_much_unseen(unseen: float, size: float, what: str) -> Undefined | None:
    """Cells without an answer may hold a tenth of the items, not more."""
    if unseen <= MOST_UNSEEN * size:
        return None
    return Undefined(f"{unseen / size:.0%} of {what} are in strata without a label; at most {MOST_UNSEEN:.0%} may be")
