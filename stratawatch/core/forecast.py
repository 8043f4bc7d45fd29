"""What a plan is expected to buy: the half-width of every metric, by the rule that will report it."""

from collections.abc import Sequence

import numpy as np

from stratawatch.core.anticipation import Rates
from stratawatch.core.cells import Cells
from stratawatch.core.estimation.expected import Foreseen
from stratawatch.core.estimation.metrics import METRICS, metric_named
from stratawatch.core.estimation.one_interval import interval
from stratawatch.core.estimation.reading import Reading
from stratawatch.core.estimation.untold import told
from stratawatch.core.population import Counts, Floats


def half_widths(
    cells: Cells, rates: Rates, totals: Counts, confidence: float, metrics: Sequence[str] = tuple(METRICS)
) -> dict[tuple[str, str], float]:
    """Expected half-widths by (classifier, metric); a metric that cannot be told is left out."""
    widths = half_width_curves(cells, rates, totals.astype(np.float64), confidence, metrics)
    return {
        (classifier, name): float(widths[name][place])
        for place, classifier in enumerate(cells.classifiers)
        for name in metrics
        if np.isfinite(widths[name][place])
    }


def half_width_curves(
    cells: Cells, rates: Rates, totals: Floats, confidence: float, metrics: Sequence[str] = tuple(METRICS)
) -> dict[str, Floats]:
    """The same for several plans at once (totals: plans x strata), by metric (plans x classifiers); inf: untold."""
    foreseen = rates.once("foreseen", cells, lambda: Foreseen.of(cells, rates.plain, rates.spread))
    reading = Reading(foreseen.sides(totals), confidence)
    found = {name: metric_named(name) for name in metrics}
    return {
        name: np.where(told(metric, reading.sides), interval(metric, reading).half_width, np.inf)
        for name, metric in found.items()
    }
