"""Totals of items with weights, none below 0, read as a share of the most that the total could be."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimation.difference_estimator import DifferenceEstimator, Residuals, max_expansion
from stratawatch.core.estimation.interval import logit_blend_by_events, logit_blend_by_max_weight, logit_ends
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.estimation.side_intervals import share_interval
from stratawatch.core.population import Floats


@dataclass(frozen=True)
class LinearTotal:
    """A weighted sum over the positives, with its variance, of which `unsampled` is what unsampled parts may add.

    `most` is the sum if every label were yes, `max_weight` the most that one label stands for; `least` and `greatest`
    are what the labels leave possible; `surprise_weight` is `max_weight`, or 0 where earlier labels predicted the rates
    (see `SideEstimates`).
    """

    total: float
    variance: float
    unsampled: float
    max_weight: float
    most: float
    least: float
    greatest: float
    surprise_weight: float

    @classmethod
    def of(cls, evidence: DifferenceEstimator, row: Floats) -> "LinearTotal":
        """The sum of weights (by cell) over the items whose label is yes."""
        found = Residuals.of(evidence, [evidence.everything])
        raw, smooth = (float(part[0]) for part in evidence.variances(row[None]))
        unsampled, weight = _by_kind(evidence, found, row)
        least, no = float(row @ found.yes[0]), float(row @ (found.answered - found.yes)[0])
        most = float(row @ found.sizes[0])
        unmet = weight if evidence.cells.prior_rate is None else 0.0
        total = float(np.clip(row @ found.totals[0], least, most - no))
        return cls(total, max(raw, smooth) + unsampled, unsampled, weight, most, least, most - no, unmet)

    def ends(self, confidence: float) -> IntervalEnds:
        """The interval of the total, from that of its share of `most`."""
        if self.most <= 0:
            return IntervalEnds(np.zeros(1), np.zeros(1))
        share, variance = np.array([self.total]) / self.most, np.array([self.variance]) / self.most**2
        share = np.clip(share, 0, 1)
        small = share_interval(share, variance, np.array([self.max_weight]) / self.most, confidence)
        large = logit_ends(share, variance, confidence)
        part = np.minimum(
            logit_blend_by_events(share, variance),
            logit_blend_by_max_weight(variance, np.array([(self.surprise_weight / self.most) ** 2])),
        )
        low = self.most * (part * large.low + (1 - part) * small.low)
        high = self.most * (part * large.high + (1 - part) * small.high)
        return IntervalEnds(np.clip(low, self.least, self.total), np.clip(high, self.total, self.greatest))


def _by_kind(evidence: DifferenceEstimator, found: Residuals, row: Floats) -> tuple[float, float]:
    """What unsampled parts may add, and the most that a label stands for; a kind is the cells of one weight."""
    strata, unsampled, weight = evidence.strata, 0.0, 0.0
    for value in np.unique(row[row > 0]).tolist():
        kind = row == value
        items, answers = strata.sums(np.stack([found.sizes[0] * kind, found.answered[0] * kind]))
        unsampled += value**2 * float((np.where(answers > 0, 0.0, items) ** 2).sum()) / 4
        weight = max(weight, value * float(max_expansion(strata, items - answers)))
    return unsampled, weight
