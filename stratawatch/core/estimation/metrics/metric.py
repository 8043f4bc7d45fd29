"""What every metric can do, and the sentences they share when nothing can be told."""

from dataclasses import dataclass
from typing import Final, Protocol

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.effective import effective_labels
from stratawatch.core.estimation.sides import Side
from stratawatch.core.population import Floats
from stratawatch.core.results import Known, Undefined

MOST_UNSEEN: Final = 0.10
"""Largest share of a metric's items that may lie in cells without any answer."""


@dataclass(frozen=True)
class Called:
    """How many items a classifier calls positive and negative, and how many positives it met, if that can be told."""

    positive: float
    negative: float
    positives: float | None


@dataclass(frozen=True)
class Domain:
    """The items that a metric is a share of. `listed`: one can list them without a label, and so draw from them."""

    size: float
    listed: bool = True


class Metric(Protocol):
    """A metric of one classifier, from its two sides; everything that is particular to it stands here."""

    @property
    def name(self) -> str:
        """Its name in configurations and in the store."""
        ...

    @property
    def words(self) -> str:
        """Its name inside a sentence."""
        ...

    @property
    def small_is_good(self) -> bool:
        """Whether it is limited by a ceiling; others have a floor."""
        ...

    @property
    def default_margin(self) -> float:
        """The half-width that is wanted where no goal names one."""
        ...

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

    def domain(self, called: Called) -> Domain | None:
        """What plain random sampling would have to sample; None where that cannot be said."""
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
