"""The textbook variance to hold replicates against: the delta method, label by label, with clusters if there are any.

Every label moves a metric by e = w (z - the mean z of its stratum), z the metric's slope on its side if it is yes
(Cochran 1977, 5.3 and 6.4). Labels of one cluster move it together, also across strata:
V = sum over clusters of (sum over its labels of sqrt(C_h / (C_h - 1)) e)^2, C_h the clusters that stratum h has labels
of. Every label its own cluster gives the stratified variance, times 1 - f; one stratum gives Cochran's ratio estimator
for clusters (his 3.34).

A simple random draw of items is one whatever their clusters: for the items of this window the variance without
clusters holds, times 1 - f. That with clusters is for the customers that the next windows will bring, and has no 1 - f.
"""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.metrics import metric_named
from stratawatch.core.methods.strat.brr import ROUNDING, Spread, of_metric, positives, table, unserved
from stratawatch.core.methods.strat.labels import Calls, Strata
from stratawatch.core.population import Counts, Floats
from stratawatch.core.results import Undefined


@dataclass(frozen=True)
class Clustered:
    """A metric with its labels taken cluster by cluster, and as if each were alone.

    `design_effect` is the ratio of the two variances. With `mean_size` labels a cluster it is 1 + rho (mean_size - 1);
    rho, the correlation inside clusters, is Undefined if no cluster has two labels.
    """

    spread: Spread
    plain: float
    clusters: int
    labels: int

    @property
    def design_effect(self) -> float:
        """How many times larger the variance is for the clusters."""
        return self.spread.variance / self.plain

    @property
    def mean_size(self) -> float:
        """Labels a cluster, on average."""
        return self.labels / self.clusters

    @property
    def correlation(self) -> float | Undefined:
        """The rho that explains the design effect."""
        if self.labels == self.clusters:
            return Undefined("no cluster has two labels")
        return (self.design_effect - 1) / (self.mean_size - 1)


@dataclass(frozen=True)
class _Moves:
    """A metric, the items it is a share of, and how far every label moves it, with sqrt(C/(C - 1)) of its stratum."""

    value: float
    size: float
    each: Floats
    strata: int


def linearised(strata: Strata, yes: Flags, calls: Calls, metric_name: str) -> Spread | Undefined:
    """The stratified delta method; clusters are ignored."""
    alone = Strata(strata.of, strata.sizes)
    found = _moves(alone, yes, calls, metric_name)
    if isinstance(found, Undefined):
        return found
    variance = float(((1 - 1 / alone.weights) * found.each**2).sum())
    if variance <= ROUNDING * found.value**2 and found.strata > 0:
        return Undefined("labels without any variation say nothing about their error")
    return Spread(found.value, variance, np.inf, found.size)


def clustered(strata: Strata, yes: Flags, calls: Calls, metric_name: str) -> Clustered | Undefined:
    """With clusters as primary sampling units; t with as many degrees of freedom as clusters less strata."""
    if strata.clusters is None:
        return Undefined("no clusters are known")
    # Labels as units of their own, and without 1 - f, so that the two variances differ by the clusters alone.
    alone = _moves(Strata(strata.of, strata.sizes, np.full(len(strata.of), -1)), yes, calls, metric_name)
    if isinstance(alone, Undefined):
        return alone
    found = _moves(strata, yes, calls, metric_name)
    if isinstance(found, Undefined):
        return found
    together = np.bincount(strata.units, weights=found.each)
    variance, plain = float((together**2).sum()), float((alone.each**2).sum())
    degrees = len(together) - found.strata
    if min(variance, plain) <= ROUNDING * found.value**2 or degrees < 1:
        return Undefined("clusters without any variation say nothing about their error")
    return Clustered(Spread(found.value, variance, degrees, found.size), plain, len(together), len(strata.of))


def _moves(strata: Strata, yes: Flags, calls: Calls, metric_name: str) -> _Moves | Undefined:
    metric = metric_named(metric_name)
    obstacle = unserved(metric, calls)
    if obstacle is not None:
        return obstacle
    statistic, values = of_metric(metric, calls), positives(yes, calls)
    totals = strata.weights @ values
    size = float(statistic.size(totals))
    if size <= 0:
        return Undefined("the labels hold nothing to make it of")
    slopes = np.array([float(slope) for slope in metric.slopes(table(calls, totals))])
    readable = strata.readable(2)
    if isinstance(readable, Undefined):
        return readable
    each = np.zeros(len(yes))
    for rows in readable:
        each[rows] = _deviations(strata.weights[rows], values[rows] @ slopes, strata.units[rows])
    return _Moves(float(statistic.value(totals)), size, each, len(readable))


def _deviations(w: Floats, z: Floats, units: Counts) -> Floats:
    """sqrt(C / (C - 1)) w (z - mean z) for the labels of one stratum."""
    count = len(np.unique(units))
    return np.asarray((count / (count - 1)) ** 0.5 * w * (z - (w @ z) / w.sum()), dtype=np.float64)
