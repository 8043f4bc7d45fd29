"""Intervals whose variance lies between what history expects of these labels and what they scatter by.

The larger of a raw and a smoothed variance is too large where both are right: with a history they are made of different
labels, so each is by chance the larger one in half of the periods. Here history's variance is moved towards the raw one
by the part that history's error has in both errors. `BorrowedVariance` does more, where goals decide how many labels
there are. See docs/adr/0066-variances-follow-what-history-expects.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import MetricIntervals, metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.metrics import RatioMetric
from stratawatch.core.population import Floats
from stratawatch.core.tuning import BORROWED, FOLLOWED


@dataclass(frozen=True)
class FollowedVariance:
    """One period's labels of everything, read with a history; the first axis of every array is of one part or of runs.

    `sides` are the estimates with the variances that everything else has, `by_history` the same smoothed by history's
    rates, as these labels move them on each side of the calls. Where `is_trusted` is False history may raise the larger
    variance of `sides`, and never lower it.
    """

    sides: SideEstimates
    by_history: SideEstimates
    is_trusted: Flags

    @classmethod
    def of(cls, estimator: DifferenceEstimator) -> "FollowedVariance":
        """Of all items of the population, whose rates earlier labels predicted.

        History is not trusted where these labels contradict it, and where any stratum has a single one: nobody knows
        what they scatter by there.
        """
        smoothed = estimator.smoothed_by(estimator.sided_rates.rates)
        strata = estimator.strata
        has_single = bool(((strata.answers == 1) & (strata.sampling_correction > 0)).any())
        is_contradicted = estimator.sided_rates.surprise > BORROWED.surprise
        sides, by_history = (one.sides([one.everything]) for one in (estimator, smoothed))
        return cls(sides, by_history, np.array([not (is_contradicted or has_single)]))

    @classmethod
    def stack(cls, runs: Sequence["FollowedVariance"]) -> "FollowedVariance":
        """Several along a new first axis."""
        return cls(
            SideEstimates.stack([one.sides for one in runs]),
            SideEstimates.stack([one.by_history for one in runs]),
            np.stack([one.is_trusted for one in runs]),
        )

    def intervals(self, metric: RatioMetric, confidence: float) -> MetricIntervals:
        """The metric of every classifier."""
        return metric_intervals(metric, SideIntervals(self.sides, confidence), self.variance(metric))

    def has_part(self, metric: RatioMetric, found: MetricIntervals) -> Flags:
        """Whether history has a part in these intervals of the metric; in those for small counts it has none."""
        usual = self.sides.variance_of(*metric.slopes(self.sides.table))
        return np.asarray((found.variance != usual) & (found.logit_weight > 0))

    def variance(self, metric: RatioMetric) -> Floats:
        """V = S + e^2/(e^2 + w^2/S) (R - S), of history's variance S, the raw one R and w of the heaviest label.

        w^2/S is about the squared relative error of R: one label more or less of much weight makes it noisy. What no
        label fell into is added. V is at most 1.5 times the larger variance of `sides`.
        """
        on_a, on_b = metric.slopes(self.sides.table)
        larger = self.sides.variance_of(on_a, on_b)
        raw, expected = self.sides.raw_variance_of(on_a, on_b), self.by_history.smoothed_variance_of(on_a, on_b)
        slopes = np.stack(np.broadcast_arrays(on_a, on_b), axis=-1)
        of_history = FOLLOWED.history_error**2 * expected
        of_labels = ((slopes * self.sides.max_weight) ** 2).max(axis=-1)
        part = of_history / np.where(of_history + of_labels > 0, of_history + of_labels, 1.0)
        unsampled = larger - np.maximum(raw, self.sides.smoothed_variance_of(on_a, on_b))
        found = np.minimum(expected + part * (raw - expected) + unsampled, FOLLOWED.at_most * larger)
        return np.asarray(np.where(self.is_trusted[..., None], found, np.maximum(found, larger)), dtype=np.float64)
