"""Intervals whose variance is history's: what its model expects of these labels, times how well it did in past periods.

A period's own variance estimate is off by a third as often as not, because a few labels of much weight make it. The
model of history says what each stratum's labels scatter by, and the state of the weeks (`variance_priors`) how far it
is off. This period's labels may always raise that. Where they contradict the model on either side of the calls, the
variance is no smaller than theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimation.collapsed_strata import CollapsedStrata
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import MetricIntervals, metric_intervals
from stratawatch.core.estimation.side_intervals import LOGIT_EVENTS, SMALL_SAMPLE_EVENTS, SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.history.sided_rates import SidedRates
from stratawatch.core.history.variance_priors import VariancePrior, updated
from stratawatch.core.metrics import A, B, RatioMetric, metric_named
from stratawatch.core.population import Floats
from stratawatch.core.tuning import BORROWED


@dataclass(frozen=True)
class BorrowedVariance:
    """One period's labels of everything, and what earlier periods said of the variances.

    `sides` are the estimates of these labels alone, classifiers x sides, without further axes.
    """

    estimator: DifferenceEstimator
    sides: SideEstimates
    priors: Sequence[VariancePrior]

    @classmethod
    def of(cls, estimator: DifferenceEstimator, priors: Sequence[VariancePrior]) -> "BorrowedVariance":
        """Of all items of the population."""
        return cls(estimator, estimator.sides([estimator.everything]).at((0,)), priors)

    @cached_property
    def metrics(self) -> frozenset[str]:
        """The metrics that borrow."""
        return frozenset(prior.metric for prior in self.priors)

    @property
    def rates(self) -> SidedRates:
        """What history expects of every cell, at the level of these labels and after the breaks that they speak of."""
        return self.estimator.sided_rates

    @property
    def is_contradicted(self) -> bool:
        """Whether these labels contradict history more than chance would."""
        return self.rates.surprise > BORROWED.surprise

    @property
    def events(self) -> tuple[float, float]:
        """Between how many effective events intervals turn into logit ones."""
        if self.is_contradicted:
            return SMALL_SAMPLE_EVENTS, LOGIT_EVENTS
        return BORROWED.small_sample_events, BORROWED.logit_events

    def intervals(self, metric: RatioMetric, confidence: float) -> MetricIntervals:
        """The metric of every classifier; one that does not borrow has the larger variance."""
        if metric.name not in self.metrics:
            return metric_intervals(metric, SideIntervals(self.sides, confidence))
        ratio, model = self.ratio(metric), self._model_variance
        sides = with_variance(self.sides, model[:, A] * ratio, model[:, B] * ratio)
        return metric_intervals(metric, SideIntervals(sides, confidence, self.events))

    def has_part(self, metric: RatioMetric, found: MetricIntervals) -> Flags:
        """Whether the metric borrows, for every classifier."""
        return np.full(found.value.shape, metric.name in self.metrics)

    def ratio(self, metric: RatioMetric) -> Floats:
        """By what the variance that the model expects is multiplied, for every classifier.

        This period's labels may always raise it: the model may not know of a new kind of error.
        """
        on_a, on_b = metric.slopes(self.sides.table)
        model = on_a**2 * self._model_variance[:, A] + on_b**2 * self._model_variance[:, B]
        per_model = 1 / np.where(model > 0, model, 1.0)
        today = np.where(model > 0, self.sides.variance_of(on_a, on_b) * per_model, 1.0)
        if metric.name not in self.metrics:
            return today
        seen = np.where(model > 0, self.sides.raw_variance_of(on_a, on_b) * per_model, 1.0)
        noise = np.where(model > 0, self._noise(on_a, on_b) * per_model**2, 0.0)
        ratio, variance = self._prior(metric)
        followed = updated(ratio, variance, seen, noise).ratio
        found = np.maximum(followed, seen / (1 + BORROWED.own_labels * np.sqrt(noise)))
        return np.asarray(np.maximum(found, today) if self.is_contradicted else found, dtype=np.float64)

    @property
    def _cells(self) -> Cells:
        return self.estimator.cells

    @property
    def _strata(self) -> CollapsedStrata:
        return self.estimator.strata

    def _prior(self, metric: RatioMetric) -> tuple[Floats, Floats]:
        of = {prior.classifier: prior for prior in self.priors if prior.metric == metric.name}
        rows = [of[name] for name in self._cells.classifiers]
        return np.array([row.ratio for row in rows]), np.array([row.variance for row in rows])

    def _sums(self, values: Floats) -> Floats:
        """Sums over the cells of each side: classifiers x sides x strata."""
        sides = np.stack([self._cells.positive.T, self._cells.negative.T], axis=1)
        return self._strata.sums(values * sides)

    @cached_property
    def _left(self) -> Floats:
        """1/n - 1/N by stratum; a stratum without an answer counts as one with a single one."""
        strata = self._strata
        return np.where(strata.answers > 0, strata.sampling_correction / np.maximum(strata.answers, 1), 1.0)

    @cached_property
    def _spreads(self) -> Floats:
        p = self.rates.rates
        return self._sums(self._cells.sizes * p * (1 - p))

    @cached_property
    def _model_variance(self) -> Floats:
        """The variance of the total of every side that the model expects: classifiers x sides."""
        return np.asarray(self._spreads @ (self._strata.sizes * self._left), dtype=np.float64)

    def _noise(self, on_a: Floats, on_b: Floats) -> Floats:
        """The variance of the raw variance where the model is right, for a metric with these slopes.

        sum_h c_h^2 (var(s^2)), c_h = N_h^2 (1 - f_h)/n_h and var(s^2) = (M4 - M2^2)/n + 2 M2^2/(n (n - 1)).
        """
        strata, p = self._strata, self.rates.rates
        sizes, n = np.maximum(strata.sizes, 1), np.maximum(strata.answers, 2)
        fourth = self._sums(self._cells.sizes * p * (1 - p) * ((1 - p) ** 3 + p**3))
        on = np.stack([on_a, on_b], axis=-1)[..., None]
        second, fourth = (on**2 * self._spreads).sum(axis=1) / sizes, (on**4 * fourth).sum(axis=1) / sizes
        of_spread = np.maximum(fourth - second**2, 0) / n + 2 * second**2 / (n * (n - 1))
        return np.asarray(of_spread @ (strata.sizes**2 * self._left) ** 2, dtype=np.float64)


def with_variance(sides: SideEstimates, on_a: Floats, on_b: Floats) -> SideEstimates:
    """Estimates with these variances of both sides' totals, and nothing else that widens them."""
    form = np.stack([on_a, np.zeros_like(on_a), on_b], axis=-1)
    return replace(
        sides, variance=form, smoothed_variance=form, unsampled_variance=np.zeros_like(sides.unsampled_variance)
    )


def prior_ratios(priors: Sequence[VariancePrior], classifiers: Sequence[str], metric: str) -> Floats:
    """What plans multiply the model's variances of a metric with, by classifier; 1 where nothing is borrowed."""
    of = {prior.classifier: prior.ratio for prior in priors if prior.metric == metric_named(metric).name}
    return np.array([of.get(name, 1.0) for name in classifiers], dtype=np.float64)
