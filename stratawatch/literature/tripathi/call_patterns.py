"""Who calls how many items positive: all that the draws need to know of a population."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import NEGATIVE, POSITIVE, Counts
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.overlap import Overlap


@dataclass(frozen=True)
class CallPatterns:
    """Cells of items that the same classifiers call positive and the same negative: a row a cell.

    `positive` and `negative` have a column a classifier; neither is true where it did not say.
    """

    names: tuple[str, ...]
    positive: Flags
    negative: Flags
    sizes: Counts

    @classmethod
    def of(cls, names: Sequence[str], counts: Counts, classifiers: int) -> "CallPatterns":
        """The cells of a census, whose rows may repeat a pattern; letters after the classifiers' are not read.

        >>> import numpy as np
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

    @classmethod
    def of_calls(cls, calls: Flags) -> tuple["CallPatterns", Counts]:
        """The cells of items in memory (a row an item, a column a classifier), and the cell of each item."""
        keys = calls.astype(np.int64) @ (1 << np.arange(calls.shape[1])[::-1])
        found, cells, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        names = tuple(f"{key:0{calls.shape[1]}b}" for key in found.tolist())
        letters = np.array([list(name) for name in names], dtype="U1").reshape(len(names), calls.shape[1])
        return cls(names, letters == POSITIVE, letters == NEGATIVE, sizes.astype(np.int64)), cells.astype(np.int64)

    @property
    def classifiers(self) -> int:
        """K."""
        return int(self.positive.shape[1])

    @property
    def called_positive(self) -> Counts:
        """|A_c| of every classifier."""
        return np.asarray(self.sizes @ self.positive, dtype=np.int64)

    @property
    def called_negative(self) -> Counts:
        """|B_c| of every classifier."""
        return np.asarray(self.sizes @ self.negative, dtype=np.int64)

    def overlap(self, parent: int, child: int) -> Overlap:
        """Of two classifiers' A."""
        both = int(self.sizes @ (self.positive[:, parent] & self.positive[:, child]))
        return Overlap(int(self.called_positive[parent]), int(self.called_positive[child]), both)

    def checked_parent(self, parent: int) -> int:
        """The parent, if it is one of the classifiers and calls anything positive."""
        if not 0 <= parent < self.classifiers:
            raise StratawatchError(
                "the parent is none of the classifiers", expected=f"0 to {self.classifiers - 1}", got=str(parent)
            )
        if self.called_positive[parent] == 0:
            raise StratawatchError(
                "the parent calls no item positive, so nothing can be recycled", hint="name another parent"
            )
        return parent
