"""How many items have the same calls, which is all that the draws need of a population, and how calls overlap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import NEGATIVE, POSITIVE, Counts


@dataclass(frozen=True)
class Overlap:
    """|A_P|, |A_C| and the number of items in both, A being the items that a classifier calls positive.

    >>> overlap = Overlap(parent=200, child=100, both=80)
    >>> overlap.parent_ratio, overlap.child_ratio, overlap.outside
    (0.4, 0.8, 20)
    """

    parent: int
    child: int
    both: int

    @property
    def parent_ratio(self) -> float:
        """PIR, the part of A_P that the child calls positive too; 0 where the parent calls nothing."""
        return self.both / self.parent if self.parent else 0.0

    @property
    def child_ratio(self) -> float:
        """CIR, the part of A_C that the parent calls positive too; 0 where the child calls nothing."""
        return self.both / self.child if self.child else 0.0

    @property
    def outside(self) -> int:
        """Items of A_C - A_P."""
        return self.child - self.both


@dataclass(frozen=True)
class CallPatterns:
    """Groups of items that the same classifiers call positive and the same negative, a row a pattern.

    `positive` and `negative` have a column a classifier; neither is true where it made no call.
    """

    names: tuple[str, ...]
    positive: Flags
    negative: Flags
    sizes: Counts

    @classmethod
    def of(cls, names: Sequence[str], counts: Counts, classifiers: int) -> "CallPatterns":
        """The patterns of a census, whose rows may repeat one; letters after the classifiers' are not read.

        >>> patterns = CallPatterns.of(["10", "11", "10"], np.array([5, 7, 2]), 2)
        >>> patterns.names, patterns.sizes.tolist()
        (('10', '11'), [7, 7])
        """
        cut = [name[:classifiers] for name in names]
        found, places = np.unique(np.array(cut, dtype=f"U{max(classifiers, 1)}"), return_inverse=True)
        letters = np.array([list(name) for name in found], dtype="U1").reshape(len(found), classifiers)
        sizes = np.zeros(len(found), dtype=np.int64)
        np.add.at(sizes, places, counts)
        return cls(tuple(map(str, found)), letters == POSITIVE, letters == NEGATIVE, sizes)

    @property
    def classifiers(self) -> int:
        """The number of classifiers."""
        return int(self.positive.shape[1])

    @property
    def called_positive(self) -> Counts:
        """|A_c|: how many items each classifier calls positive."""
        return np.asarray(self.sizes @ self.positive, dtype=np.int64)

    @property
    def called_negative(self) -> Counts:
        """|B_c|: how many items each classifier calls negative."""
        return np.asarray(self.sizes @ self.negative, dtype=np.int64)

    def overlap(self, parent: int, child: int) -> Overlap:
        """The overlap of what two classifiers call positive."""
        both = int(self.sizes @ (self.positive[:, parent] & self.positive[:, child]))
        return Overlap(int(self.called_positive[parent]), int(self.called_positive[child]), both)
