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

from benchmarks.papers.strat.brr import ClassifierCalls, of_metric, positives, side_totals, undefined_metric
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.cluster_design_effect import ClusterVariances, VarianceStrata, sums_by_unit
from stratawatch.core.estimation.replication.replicated_estimate import ROUNDING, ReplicatedEstimate
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Floats


@dataclass(frozen=True)
class Clustered:
    """A metric with its labels taken cluster by cluster, and as if each were alone.

    `design_effect` is the ratio of the two variances. With `mean_size` labels a cluster it is 1 + rho (mean_size - 1);
    rho, the correlation inside clusters, is Undefined if no cluster has two labels.
    """

    spread: ReplicatedEstimate
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
    """A metric, the items it is a share of, and z of every label."""

    value: float
    size: float
    each: Floats


def cluster_variances(strata: StratifiedUnits, pooled: VarianceStrata, moves: Floats) -> ClusterVariances:
    """Both variances; `moves` are labels x columns.

    >>> four = StratifiedUnits(np.zeros(4, dtype=np.int64), np.array([400.0]), np.array([0, 0, 1, 1]))
    >>> pooled = VarianceStrata.of(four)
    >>> effect = cluster_variances(four, pooled, np.array([[1.0], [1.0], [0.0], [0.0]])).design_effect
    >>> round(float(effect[0]), 6)  # 2 labels a cluster x (2/1) / (4/3)
    3.0
    """
    e = pooled.deviations(strata, moves)
    together = sums_by_unit(strata.units[pooled.rows], e * pooled.grown(pooled.units))
    return ClusterVariances((together**2).sum(axis=0), ((e * pooled.grown(pooled.labels)) ** 2).sum(axis=0))


def linearised(
    strata: StratifiedUnits, yes: Flags, calls: ClassifierCalls, metric_name: str
) -> ReplicatedEstimate | Undefined:
    """The stratified delta method; clusters are ignored."""
    alone = StratifiedUnits(strata.of, strata.sizes)
    found = _moves(alone, yes, calls, metric_name)
    if isinstance(found, Undefined):
        return found
    pooled = VarianceStrata.of(alone)
    if isinstance(pooled, Undefined):
        return pooled
    left, grown = 1 - 1 / alone.weights[pooled.rows], pooled.labels / (pooled.labels - 1)
    each = pooled.deviations(alone, found.each[:, None])[:, 0]
    variance = float((left * np.repeat(grown, pooled.labels) * each**2).sum())
    if variance <= ROUNDING * found.value**2 and len(pooled.labels) > 0:
        return Undefined("labels without any variation say nothing about their error")
    return ReplicatedEstimate(found.value, variance, np.inf, found.size)


def clustered(strata: StratifiedUnits, yes: Flags, calls: ClassifierCalls, metric_name: str) -> Clustered | Undefined:
    """With clusters as primary sampling units; t with as many degrees of freedom as clusters less strata."""
    if strata.clusters is None:
        return Undefined("no clusters are known")
    found = _moves(strata, yes, calls, metric_name)
    if isinstance(found, Undefined):
        return found
    pooled = VarianceStrata.of(strata)
    if isinstance(pooled, Undefined):
        return pooled
    both = cluster_variances(strata, pooled, found.each[:, None])
    variance, plain = float(both.together[0]), float(both.alone[0])
    clusters = int(strata.units.max(initial=-1)) + 1
    degrees = clusters - len(pooled.labels)
    if min(variance, plain) <= ROUNDING * found.value**2 or degrees < 1:
        return Undefined("clusters without any variation say nothing about their error")
    return Clustered(ReplicatedEstimate(found.value, variance, degrees, found.size), plain, clusters, len(strata.of))


def _moves(strata: StratifiedUnits, yes: Flags, calls: ClassifierCalls, metric_name: str) -> _Moves | Undefined:
    metric = metric_named(metric_name)
    obstacle = undefined_metric(metric, calls)
    if obstacle is not None:
        return obstacle
    statistic, values = of_metric(metric, calls), positives(yes, calls)
    totals = strata.weights @ values
    size = float(statistic.size(totals))
    if size <= 0:
        return Undefined("the labels hold nothing to make it of")
    slopes = np.array([float(slope) for slope in metric.slopes(side_totals(calls, totals))])
    return _Moves(float(statistic.value(totals)), size, values @ slopes)
