"""The half-widths that a plan is expected to give, by the interval that will be reported."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined
from stratawatch.core.metrics import METRICS, metric_named
from stratawatch.core.planning.expected_rates import ExpectedRates
from stratawatch.core.population import Counts, Floats

WIDEST: Final = 0.5
"""No interval of a share is wider to one side."""


def expected_half_widths(
    expected: "ExpectedTotals", totals: Counts, confidence: float, metrics: Sequence[str] = tuple(METRICS)
) -> dict[tuple[str, str], float]:
    """Expected half-widths by (classifier, metric); a metric that would be undefined is left out."""
    widths = half_widths_of_plans(expected, totals.astype(np.float64), confidence, metrics)
    return {
        (classifier, name): float(widths[name][place])
        for place, classifier in enumerate(expected.classifiers)
        for name in metrics
        if np.isfinite(widths[name][place])
    }


def half_widths_of_plans(
    expected: "ExpectedTotals", totals: Floats, confidence: float, metrics: Sequence[str] = tuple(METRICS)
) -> dict[str, Floats]:
    """Expected half-widths of several plans at once (totals: plans x strata), by metric: plans x classifiers.

    A metric that would be undefined is infinitely wide.
    """
    reading = SideIntervals(expected.sides(totals), confidence)
    found = {name: metric_named(name) for name in metrics}
    return {
        name: np.where(is_defined(metric, reading.sides), metric_intervals(metric, reading).half_width, np.inf)
        for name, metric in found.items()
    }


@dataclass(frozen=True)
class ExpectedTotals:
    """Both sides of every classifier (called positive, called negative) as expected, for any number of labels.

    `items`, `positives` and `variances` are sums of N_a, N_a rate_a and N_a variance_a over the cells of a side:
    classifiers x sides x strata. `without_history`: a positive that no label met would be a surprise, and widens
    intervals.
    """

    classifiers: tuple[str, ...]
    stratum_sizes: Floats
    items: Floats
    positives: Floats
    variances: Floats
    without_history: bool

    @classmethod
    def of(cls, cells: Cells, rates: ExpectedRates) -> "ExpectedTotals":
        """The sums over the cells of every classifier's sides."""
        columns = (cells.sizes, cells.sizes * rates.rate, cells.sizes * rates.variance)
        sides = np.stack([cells.positive.T, cells.negative.T], axis=1)
        items, positives, spreads = (cells.by_stratum(column * sides) for column in columns)
        return cls(cells.classifiers, cells.stratum_sizes, items, positives, spreads, cells.prior_rate is None)

    def sides(self, totals: Floats) -> SideEstimates:
        """Both sides with `totals` labels by stratum (leading axes: several plans at once).

        A total's variance is sum N_h (1 - f_h)/n_h of N_a variance_a over a stratum's cells of the side; its N_c^2/4
        for strata where no label falls into the side counts with the chance of that, (1 - N_c/N_h)^n_h.
        """
        # The labels of a stratum fall on a side in proportion to its items there; (1 - N_c/N_h)^n_h is the chance that
        # none does, and then the side's items there count as half positive, give or take all of them.
        items, positives = self.items, self.positives
        sizes = np.maximum(self.stratum_sizes, 1)
        n = np.asarray(totals, dtype=np.float64)[..., None, None, :]
        left = np.maximum(1 - n / sizes, 0)
        variance = np.where(n > 0, sizes * left / np.maximum(n, 1e-9) * self.variances, 0.0).sum(axis=-1)
        missed = np.where(n > 0, np.maximum(1 - items / sizes, 0.0) ** n, 1.0) * left
        labels, yes = (n * items / sizes).sum(axis=-1), (n * positives / sizes).sum(axis=-1)
        unseen = np.where(n > 0, 0.0, items).sum(axis=-1)
        form = np.stack([variance[..., 0], np.zeros_like(variance[..., 0]), variance[..., 1]], axis=-1)
        shape = labels.shape
        weights = _heaviest(sizes, n, items * left, left)
        return SideEstimates(
            sizes=np.broadcast_to(items.sum(axis=-1), shape),
            totals=np.broadcast_to(positives.sum(axis=-1), shape),
            labels=labels,
            yes=yes,
            max_weight=weights,
            unlabelled_strata=unseen,
            variance=form,
            smoothed_variance=form,
            unsampled_variance=(missed * items**2 / 4).sum(axis=-1),
            joint_max_weight=_heaviest(sizes, n[..., 0, :], items.sum(axis=1) * left[..., 0, :], left[..., 0, :]),
            surprise_weight=weights if self.without_history else np.zeros_like(weights),
        )


def _heaviest(sizes: Floats, n: Floats, unlabelled: Floats, left: Floats) -> Floats:
    each = np.where(n > 0, sizes / np.maximum(n, 1), sizes)
    return np.asarray((np.minimum(each, unlabelled) * np.sqrt(left)).max(axis=-1, initial=0.0))
