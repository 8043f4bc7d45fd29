"""The truth about a panel in one week: sizes, positives and overlaps of what its classifiers call positive."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Final

import numpy as np

from benchmarks.labels.worlds import Floats, Integers, Items

Z: Final = 1.959963984540054
PRECISION, RECALL = 0.03, 0.05
"""The margins of the goals: half-widths at 95%."""
FEW_PATTERNS: Final = 16
"""Up to here, patterns are strata; beyond, the number of positive calls stands for them."""
_CLASSES_WITHOUT_CALLS, _CLASSES = 8, 3


@dataclass(frozen=True)
class Truth:
    """Counts of a week. `overlaps[c, d]` items are called positive by c and d; `found[c, d]` of them are positives."""

    items: Items
    overlaps: Floats
    found: Floats

    @classmethod
    def of(cls, items: Items) -> "Truth":
        """Count a week."""
        calls = items.calls.astype(np.float64)
        return cls(items, calls.T @ calls, calls[items.truth].T @ calls[items.truth])

    @property
    def called(self) -> Floats:
        """|A_c|, the items that each classifier calls positive."""
        return np.diag(self.overlaps)

    @property
    def precision(self) -> Floats:
        """p_c, the share of positives in A_c."""
        return np.diag(self.found) / self.called

    @property
    def positives(self) -> int:
        """P, all positives."""
        return int(self.items.truth.sum())

    @property
    def recall(self) -> Floats:
        """r_c, the share of the positives that is in A_c."""
        return np.diag(self.found) / self.positives

    @property
    def omission(self) -> Floats:
        """f_c, the share of positives in B_c."""
        return (self.positives - np.diag(self.found)) / (len(self.items) - self.called)

    @cached_property
    def precision_labels(self) -> Integers:
        """n = z^2 p (1 - p)/margin^2 labels of A_c, rounded up."""
        p = self.precision
        return np.array([ceil(n) for n in (Z / PRECISION) ** 2 * p * (1 - p)], dtype=np.int64)

    @cached_property
    def strata(self) -> Integers:
        """Pattern x classes of z at equal steps of cumulated sqrt(z (1 - z)): 8 where nobody calls, else 3."""
        groups = self.items.patterns
        if len(np.unique(groups)) > FEW_PATTERNS:
            groups = self.items.calls.sum(axis=1)
        strata, first = np.empty(len(self.items), dtype=np.int64), 0
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            classes = _CLASSES if group else _CLASSES_WITHOUT_CALLS
            strata[rows] = first + _classes(self.items.z[rows], classes)
            first += classes
        return np.unique(strata, return_inverse=True)[1]


def _classes(z: Floats, classes: int) -> Integers:
    order = np.argsort(z)
    spread = np.cumsum(np.sqrt(z[order] * (1 - z[order])))
    found = np.empty(len(z), dtype=np.int64)
    found[order] = np.minimum(spread / spread[-1] * classes, classes - 1).astype(np.int64)
    return found
