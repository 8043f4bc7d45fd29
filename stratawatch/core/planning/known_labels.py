"""The labels that are there before a cycle's first round: a forecast's draw takes them in for nothing."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.history.model import imputed_scores, nearest_cells
from stratawatch.core.history.past_labels import History
from stratawatch.core.population import Counts, Floats


@dataclass(frozen=True)
class KnownLabels:
    """Items with a label, by stratum: a draw of n of N items takes in those whose random number is below n/N.

    >>> known = KnownLabels(np.array([0, 0, 1]), np.array([0.001, 0.2, 0.3]), np.array([1000.0, 100.0]))
    >>> known.unlabelled_in(np.array([50, 50])).tolist()
    [49, 49]
    """

    strata: Counts
    numbers: Floats
    sizes: Floats
    asked: int = 0

    @property
    def unlabelled(self) -> Flags:
        """None of them costs a label."""
        return np.zeros(len(self.strata), dtype=np.bool_)

    def unlabelled_in(self, totals: Counts) -> Counts:
        """How many of totals[h] items of every stratum h are expected to cost a label."""
        share = totals / np.maximum(self.sizes, 1)
        met = np.bincount(self.strata[self.numbers < share[self.strata]], minlength=len(totals))
        return np.asarray(np.maximum(totals - met, 0), dtype=np.int64)


def known_labels(cells: Cells, history: History) -> KnownLabels | None:
    """The items of the history that may be drawn now, in the strata of these cells; None where it has none.

    An item that several periods drew has a row for each of them, and one random number.
    """
    if history.numbers is None:
        return None
    rows = np.flatnonzero(np.isfinite(history.numbers))
    rows = rows[np.unique(history.numbers[rows], return_index=True)[1]]
    near = nearest_cells(cells, [history.patterns[row] for row in rows.tolist()], imputed_scores(history)[rows])
    found = near >= 0
    if not found.any():
        return None
    return KnownLabels(cells.strata[near[found]], history.numbers[rows[found]], cells.stratum_sizes)
