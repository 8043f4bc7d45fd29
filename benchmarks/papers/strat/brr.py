"""Balanced repeated replication of any statistic, and of a classifier's metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.papers.strat.replicates import ReplicationOptions, make_replicates
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.replicated_estimate import ReplicatedEstimate, replicated_estimate
from stratawatch.core.estimation.replication.replicates import Replicates
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.metrics import A, RatioMetric, SideTotals, metric_named
from stratawatch.core.population import Counts, Floats

_LEFT: Final = 0.01
"""A replicate with less than this part of what a ratio is made of would be read off the crumbs of 1 - f."""


@dataclass(frozen=True)
class ClassifierCalls:
    """What a classifier said of every label's item, and of how many items it says so in all."""

    positive: Flags
    negative: Flags
    positive_items: float
    negative_items: float

    @classmethod
    def of(cls, strata: StratifiedUnits, positive: Flags) -> "ClassifierCalls":
        """Calls of every item, of which as many are positive as the labels' items suggest."""
        called = float(strata.weights @ positive)
        return cls(positive, ~positive, called, float(strata.sizes.sum() - called))


def expand_counts(answered: Counts, yes: Counts) -> tuple[Counts, Flags]:
    """A row a label from counts by cell: the cell of each, and whether it is yes.

    >>> rows, said = expand_counts(np.array([2, 1]), np.array([1, 0]))
    >>> rows.tolist(), said.tolist()
    ([0, 0, 1], [True, False, False])
    """
    cells = np.tile(np.arange(len(answered), dtype=np.int64), 2)
    return np.repeat(cells, np.concatenate([yes, answered - yes])), np.arange(int(answered.sum())) < yes.sum()


@dataclass(frozen=True)
class Statistic:
    """A function of totals (their axis is the last one), and the items that it is a share of; none: it is 0/0."""

    value: Callable[[Floats], Floats]
    size: Callable[[Floats], Floats]


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
    made = make_replicates(strata, how or ReplicationOptions(), rng)
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
