"""What a plan is expected to buy: the half-width of every metric, by the rule that will report it."""

from collections.abc import Iterator

import numpy as np

from stratawatch.core.anticipation import Rates
from stratawatch.core.cells import Cells
from stratawatch.core.estimation.estimates import both_sides
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.estimation.sides import Tally, moments, sides
from stratawatch.core.population import Counts
from stratawatch.core.results import Known

CONFIDENCE = 0.95


def half_widths(cells: Cells, rates: Rates, totals: Counts) -> dict[tuple[str, str], float]:
    """Expected half-widths at 95%, by (classifier, metric); a metric that cannot be told is left out."""
    return dict(_forecast(cells, rates, totals))


def _forecast(cells: Cells, rates: Rates, totals: Counts) -> Iterator[tuple[tuple[str, str], float]]:
    n = totals.astype(float)
    spread = rates.floored * (1 - rates.floored)
    expected = Tally(cells.sizes, n, n * rates.plain, spread, cells.sizes / np.maximum(n, 1))
    found = sides([moments(expected, both_sides(cells))], CONFIDENCE)
    count = len(cells.classifiers)
    for classifier, positive, negative in zip(cells.classifiers, found[:count], found[count:], strict=True):
        for name, metric in METRICS.items():
            outcome = metric.outcome(positive, negative, CONFIDENCE)
            if isinstance(outcome, Known):
                yield (classifier, name), outcome.half_width
