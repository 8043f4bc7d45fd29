"""What every metric can do: its value and slopes from the two sides of a classifier, and its small-count interval."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import A, B, Sides, Table
from stratawatch.core.population import Floats

POSITIVE_SIDE: Final = (A,)
NEGATIVE_SIDE: Final = (B,)
BOTH_SIDES: Final = (A, B)
_NOTHING: Final = 1e-24


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


class Metric(ABC):
    """A metric of one classifier, monotone in the positives of each side; everything particular to it stands here."""

    name: ClassVar[str]
    """Its name in configurations and in the store."""
    words: ClassVar[str]
    """Its name inside a sentence."""
    small_is_good: ClassVar[bool] = False
    """Whether it is limited by a ceiling; others have a floor."""
    default_margin: ClassVar[float]
    """The half-width that is wanted where no goal names one."""
    method: ClassVar[str] = "difference estimate"
    """How the value comes about, in a few words."""
    small_method: ClassVar[str] = "FF/MID"
    """How the interval comes about where counts are small."""
    reads: ClassVar[tuple[int, ...]] = BOTH_SIDES
    """The sides whose labels serve it."""
    wanting: ClassVar[str] = "label"
    """What it cannot do without (see `lacking`), in a word."""

    @abstractmethod
    def value(self, table: Table) -> Floats:
        """The metric; 0 where it is 0/0."""

    @abstractmethod
    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """Change of the metric per positive more on A, and on B."""

    @abstractmethod
    def small_ends(self, reading: Reading) -> Ends:
        """Ends of the interval that is honest at small counts."""

    @abstractmethod
    def size(self, table: Table) -> Floats:
        """The items that the metric is a share of, as far as one can say."""

    @abstractmethod
    def domain(self, called: Called) -> Domain | None:
        """What plain random sampling would have to sample; None where that cannot be said."""

    def lacking(self, sides: Sides) -> Flags:
        """Where the labels hold nothing to make the metric of."""
        return np.zeros(sides.sizes.shape[:-1], dtype=np.bool_)

    def gradient(self, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> Floats:
        """Change of the metric per unit change of an item's label, for the items of each cell."""
        a, b = sizes * positive, sizes * negative
        table = Table(*(np.asarray(total) for total in (a.sum(), b.sum(), a @ rates, b @ rates)))
        on_a, on_b = self.slopes(table)
        return np.where(positive, on_a, 0.0) + np.where(negative, on_b, 0.0)


def over(numerator: Floats, denominator: Floats) -> Floats:
    """A quotient; 0 where there is nothing to divide by, or nothing but rounding."""
    nothing = denominator < _NOTHING
    return np.where(nothing, 0.0, numerator / np.where(nothing, 1.0, denominator))
