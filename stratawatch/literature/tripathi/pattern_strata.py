"""Strata of recycled samples: one for each pattern of calls, and a few where nobody calls an item positive."""

from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.planning.expected_rates import ExpectedRates
from stratawatch.core.population import Counts, Floats

LABELS_A_STRATUM: Final = 25
MOST_STRATA: Final = 6
"""Strata of the items that nobody calls positive: one for so many labels, and so many at most."""


def stratum_numbers(cells: Cells, parent: int, rates: ExpectedRates, labels: int) -> Counts:
    """The stratum of every cell, for about so many labels among the items that the parent calls negative.

    Draws with replacement know patterns only, so every pattern that someone calls positive is a stratum. Items that
    the parent calls negative and nobody positive are cut, in the order of their expected rates, at equal steps of
    1/2 cum N + 1/2 cum N s.
    """
    count = len(cells.classifiers)
    all_negative = cells.negative[:, parent] & ~cells.called_by_any
    steps = np.zeros(len(cells.patterns), dtype=np.int64)
    most = int(np.clip(labels // LABELS_A_STRATUM, 1, MOST_STRATA))
    deviations = np.sqrt(rates.variance[all_negative])
    steps[all_negative] = _steps(cells.sizes[all_negative], rates.rate[all_negative], deviations, most)
    keys = [
        f"step {step}" if negative else pattern[:count]
        for pattern, step, negative in zip(cells.patterns, steps.tolist(), all_negative.tolist(), strict=True)
    ]
    return np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


def _steps(sizes: Floats, rates: Floats, deviations: Floats, most: int) -> Counts:
    """The step in which the middle of each cell lies, from 0 to most - 1."""
    order = np.argsort(rates, kind="stable")
    items, errors = sizes[order], (sizes * deviations)[order]
    measure = (items / max(float(items.sum()), 1.0) + errors / max(float(errors.sum()), 1e-300)) / 2
    steps = np.empty(len(sizes), dtype=np.int64)
    steps[order] = np.clip(((np.cumsum(measure) - measure / 2) * most).astype(np.int64), 0, most - 1)
    return steps
