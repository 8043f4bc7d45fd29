"""The variance and the interval that balanced replicates give any smooth statistic of weighted totals.

v = 1/(k (n - 1)) sum_alpha (theta_alpha - theta)^2 (STRAT eq. 10 and 18; with Fay's factor divided by (1 - fay)^2), and
theta +- t sqrt(v), t Student's quantile with as many degrees of freedom as there are strata. For a linear statistic of
balanced replicates v is the textbook variance of a stratified sample.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.effective_sample_size import effective_labels
from stratawatch.core.estimation.replication.replicates import Replicates, ReplicationOptions, replicates
from stratawatch.core.estimation.replication.units import ClassifierCalls, StratifiedUnits
from stratawatch.core.metrics import A, RatioMetric, SideTotals, metric_named
from stratawatch.core.population import Floats

ROUNDING: Final = 1e-24
"""A variance below this part of the squared value is rounding: whatever it was made of agrees."""
_LEFT: Final = 0.01
"""A replicate with less than this part of what a ratio is made of would be read off the crumbs of 1 - f."""


@dataclass(frozen=True)
class Statistic:
    """A function of totals (their axis is the last one), and the items that it is a share of; none: it is 0/0."""

    value: Callable[[Floats], Floats]
    size: Callable[[Floats], Floats]


@dataclass(frozen=True)
class ReplicatedEstimate:
    """An estimate, its variance v, and the degrees of freedom of the t that belongs to it.

    `size` are the items that it is a share of, as far as one can say.
    """

    value: float
    variance: float
    degrees: float
    size: float = np.inf

    def ends(self, confidence: float) -> tuple[float, float]:
        """The symmetric t interval, as the method has it: it may leave [0, 1].

        >>> tuple(round(end, 3) for end in ReplicatedEstimate(0.8, 0.0004, 10).ends(0.95))
        (0.755, 0.845)
        """
        half = t_quantile(self.degrees, confidence) * self.variance**0.5
        return self.value - half, self.value + half

    def share(self, confidence: float) -> IntervalEstimate:
        """As a metric between 0 and 1, its interval cut off there."""
        value, low, high = (min(max(end, 0.0), 1.0) for end in (self.value, *self.ends(confidence)))
        theta, v, least, most, size = np.array([value, self.variance, low, high, self.size])
        return IntervalEstimate(value, low, high, float(effective_labels(theta, v, least, most, size, confidence)))


def t_quantile(degrees: float, confidence: float) -> float:
    """The two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def brr(made: Replicates, values: Floats, statistic: Statistic) -> ReplicatedEstimate | Undefined:
    """A statistic of the weighted totals of `values` (labels x variables), and its variance."""
    whole, parts = made.weights @ values, made.replicated @ values
    size = float(statistic.size(whole))
    if size <= 0:
        return Undefined("the labels hold nothing to make it of")
    lacking = int((statistic.size(parts) < _LEFT * size).sum())
    if lacking:
        return Undefined(
            f"in {lacking} of {len(parts)} replicates no label is left to make it of; Fay's variant keeps them all"
        )
    return replicated_estimate(made, float(statistic.value(whole)), statistic.value(parts), size)


def replicated_estimate(
    made: Replicates, value: float, parts: Floats, size: float = np.inf
) -> ReplicatedEstimate | Undefined:
    """Of any statistic at all, from its value and its values in the replicates: a weighted median, a rank, a model."""
    if made.strata == 0:
        return ReplicatedEstimate(value, 0.0, np.inf, size)
    variance = float(((parts - value) ** 2).sum()) * made.scale
    if variance <= ROUNDING * value**2:
        return Undefined("all replicates agree: labels without any variation say nothing about their error")
    return ReplicatedEstimate(value, variance, made.strata, size)


def brr_of_metric(
    strata: StratifiedUnits,
    yes: Flags,
    calls: ClassifierCalls,
    metric_name: str,
    rng: np.random.Generator,
    how: ReplicationOptions | None = None,
) -> ReplicatedEstimate | Undefined:
    """Precision, recall, F1, ... of one classifier; what it calls is counted, the positives are estimated."""
    metric = metric_named(metric_name)
    obstacle = undefined_metric(metric, calls)
    if obstacle is not None:
        return obstacle
    made = replicates(strata, how or ReplicationOptions(), rng)
    if isinstance(made, Undefined):
        return made
    return brr(made, positives(yes, calls), of_metric(metric, calls))


def of_metric(metric: RatioMetric, calls: ClassifierCalls) -> Statistic:
    """A metric as a function of the two totals: positives among the items called positive, and among the others."""
    return Statistic(
        value=lambda totals: metric.value(side_totals(calls, totals)),
        size=lambda totals: metric.size(side_totals(calls, totals)),
    )


def side_totals(calls: ClassifierCalls, totals: Floats) -> SideTotals:
    """Counts of items from the two totals of `positives`."""
    shape = np.ones(totals.shape[:-1])
    return SideTotals(calls.positive_items * shape, calls.negative_items * shape, totals[..., 0], totals[..., 1])


def positives(yes: Flags, calls: ClassifierCalls) -> Floats:
    """The two variables of `of_metric`: a positive that is called so, a positive that is not."""
    return np.stack([yes & calls.positive, yes & calls.negative], axis=1).astype(np.float64)


def undefined_metric(metric: RatioMetric, calls: ClassifierCalls) -> Undefined | None:
    """Why these labels cannot tell the metric, or None."""
    of = {A: ("positive", calls.positive_items, calls.positive)}
    for side in metric.sides:
        word, items, labels = of.get(side, ("negative", calls.negative_items, calls.negative))
        if items > 0 and not labels.any():
            return Undefined(f"no label among the {items:,.0f} items it calls {word}")
        if items <= 0 and len(metric.sides) == 1:
            return Undefined(f"it calls no item {word}")
    return None
