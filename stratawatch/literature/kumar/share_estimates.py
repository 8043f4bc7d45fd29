"""Estimates of metrics that are shares of countable items, and the half-widths to expect of them."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.difference_estimator import ItemSubset
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.metrics import METRICS, RatioMetric
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.kumar.allocations import LEAST_LABELS
from stratawatch.literature.kumar.stratified_share import expected_variance, stratified_share, wald_interval
from stratawatch.literature.sampling_frame import counted_labels, describe_calls, domain_flags


def supported_metrics() -> list[str]:
    """The metrics whose items can be counted without a label; of the others only labels tell how many there are."""
    return [name for name, metric in METRICS.items() if metric.is_listed and metric.is_plain_share]


def estimate_share(
    cells: Cells, place: int, metric: RatioMetric, items: ItemSubset, confidence: float
) -> tuple[IntervalEstimate | Undefined, int]:
    """A metric of the classifier in this place from the labels of these items, and how many of them it uses."""
    labelled, positive = items.answers.labelled.sum(axis=0), items.answers.positive.sum(axis=0)
    columns = np.rint(_by_stratum(cells, place, metric, items.sizes, labelled, positive)).astype(np.int64)
    sizes, labels, yes = columns[:, columns[0] > 0]
    used, without = int(labels.sum()), int((labels == 0).sum())
    if sizes.size == 0:
        return Undefined(f"there is no item that it {describe_calls(metric)}"), 0
    if without:
        strata = "" if without == len(sizes) else f" in {without} of {len(sizes)} strata"
        return Undefined(f"no label among the items that it {describe_calls(metric)}{strata}"), used
    return wald_interval(stratified_share(sizes, labels, yes), confidence), used


def expected_half_width(
    cells: Cells, place: int, metric: RatioMetric, totals: Counts, rates: Floats, confidence: float
) -> float:
    """The half-width to expect of these totals by stratum; infinite where a stratum gets fewer than two labels."""
    drawn = cells.sizes * (totals / np.maximum(cells.stratum_sizes, 1))[cells.strata]
    items, _, yes = _by_stratum(cells, place, metric, cells.sizes, cells.sizes, cells.sizes * rates)
    served = items > 0
    sizes = np.rint(items[served]).astype(np.int64)
    labels = cells.by_stratum(drawn * domain_flags(metric, cells, place))[served]
    if sizes.size == 0 or (labels < np.minimum(LEAST_LABELS, sizes)).any():
        return np.inf
    variance = expected_variance(sizes, yes[served] / sizes, labels)
    return min(normal_quantile(confidence) * float(np.sqrt(max(variance, 0.0))), 0.5)


def _by_stratum(
    cells: Cells, place: int, metric: RatioMetric, sizes: Floats, labelled: Floats, positive: Floats
) -> Floats:
    """Rows of the metric's items, their labels, and the labels that count as yes; a column a stratum."""
    yes = counted_labels(metric, cells, place, labelled, positive)
    return cells.by_stratum(np.stack([sizes, labelled, yes]) * domain_flags(metric, cells, place))
