"""Strata of recycled samples: the patterns; what nobody calls positive may be cut by what is expected of it."""

from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.planning.expected_rates import Rates
from stratawatch.core.population import Counts, Floats

LABELS_A_STRATUM: Final = 25
MOST_STRATA: Final = 6
"""Strata of the items that nobody calls positive: one for so many labels, and so many at most."""


def stratum_numbers(cells: Cells, parent: int, rates: Rates, labels: int) -> Counts:
    """The stratum of every cell, for about so many labels among the items that the parent calls negative.

    Draws with replacement know patterns only, so every pattern that someone calls positive is a stratum. Items that
    the parent calls negative and nobody positive are cut, in the order of their expected rates, at equal steps of
    1/2 cum N + 1/2 cum N s.
    """
    count = len(cells.classifiers)
    quiet = cells.negative[:, parent] & ~cells.called_by_any
    steps = np.zeros(len(cells.patterns), dtype=np.int64)
    most = int(np.clip(labels // LABELS_A_STRATUM, 1, MOST_STRATA))
    steps[quiet] = _steps(cells.sizes[quiet], rates.rate[quiet], np.sqrt(rates.variance[quiet]), most)
    keys = [
        f"step {step}" if calm else pattern[:count]
        for pattern, step, calm in zip(cells.patterns, steps.tolist(), quiet.tolist(), strict=True)
    ]
    return np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


def _steps(sizes: Floats, rates: Floats, spread: Floats, most: int) -> Counts:
    """The step on which the middle of each cell lies."""
    order = np.argsort(rates, kind="stable")
    items, errors = sizes[order], (sizes * spread)[order]
    measure = (items / max(float(items.sum()), 1.0) + errors / max(float(errors.sum()), 1e-300)) / 2
    steps = np.empty(len(sizes), dtype=np.int64)
    steps[order] = np.clip(((np.cumsum(measure) - measure / 2) * most).astype(np.int64), 0, most - 1)
    return steps
