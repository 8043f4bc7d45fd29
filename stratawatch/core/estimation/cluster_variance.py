"""Widen intervals for labels that come in clusters, so that they hold for the clusters to come.

V grows to deff V + E. The design effect deff (one below 1 counts as 1) is that of how far labels move the metric: the
slope of a label's side times its error, the label less its predicted rate (or, for a share of labels, its distance from
the share: `share_influence`), times sqrt(1 - f). Labels that all agree, on the side that moves the metric more, carry
no information about correlation; then a cluster counts as one label: deff = sum m^2 / sum m for clusters of m labels. E
gives clusters of several labels their 1 - f back: V is about the items of this window, but clusters are about the next
ones. A label that is alone in its cluster keeps its 1 - f, so nothing changes if all are.

Both ends of the interval lie sqrt(deff + E/V) times as far away on the scale asin sqrt(x), where the spread of a share
is 1/(2 sqrt(n)) whatever the share is; and t/z times, Student's t with as many degrees of freedom as there are clusters
less strata (less one, if clusters lie across strata). What is labelled wholly stays exact.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import asin, pi, sin
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.cluster_design_effect import ClusterVariances, VarianceStrata, sums_by_unit
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.differences import difference_gradient
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.label_table import LabelTable
from stratawatch.core.estimation.metric_estimates import EstimationRequest, item_subsets
from stratawatch.core.estimation.replication.replicated_estimate import t_quantile
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import A, B, RatioMetric, metric_named, safe_divide
from stratawatch.core.population import Atom, Floats

# Labels x columns in memory at one time.
_AT_ONCE: Final = 2_000_000
ONE_CLUSTER: Final = "all labels that tell it are of one cluster: they say nothing about how clusters differ"


@dataclass(frozen=True)
class InfluenceValues:
    """How far every label moves a metric, and which labels the metric uses on either side (0 or 1)."""

    each: Floats
    on_a: Floats
    on_b: Floats


@dataclass(frozen=True)
class ClusterAdjustment:
    """deff, E, and the degrees of freedom that clusters leave (infinite where every label is alone)."""

    design_effect: float = 1.0
    released: float = 0.0
    degrees: float = np.inf

    def widen(self, found: Estimate, stretched: Callable[[IntervalEstimate, float], tuple[float, float]]) -> Estimate:
        """The estimate with its interval widened for clusters; `stretched` moves an interval's ends by a factor."""
        outcome = found.result
        if isinstance(outcome, Undefined) or outcome.low == outcome.high:
            return found
        if self.degrees < 1:
            return replace(found, result=Undefined(ONE_CLUSTER))
        if self.degrees == np.inf:
            return replace(found, deff=self.design_effect)
        quantile = normal_quantile(found.confidence)
        growth = max(self.design_effect, 1.0) + self.released / (outcome.half_width / quantile) ** 2
        low, high = stretched(outcome, growth**0.5 * t_quantile(self.degrees, found.confidence) / quantile)
        return replace(
            found, result=IntervalEstimate(outcome.value, low, high, outcome.n_eff / growth), deff=self.design_effect
        )


def widen_for_clusters(
    found: Sequence[Estimate], cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
) -> tuple[Estimate, ...]:
    """Estimates of every segment x classifier x metric, widened for clusters; unchanged where the sample has none."""
    rows = _label_table(cells, sample)
    if rows is None:
        return tuple(found)
    moves, effects = _influence_values(rows, atoms, sample, request), list[ClusterAdjustment]()
    while some := list(islice(moves, max(1, _AT_ONCE // len(rows.rows)))):
        effects += cluster_adjustments(rows, some)
    return tuple(effect.widen(one, _widened_on_arcsine_scale) for one, effect in zip(found, effects, strict=True))


def difference_with_clusters(
    found: Estimate, cells: Cells, sample: LabelledSample, first: str, second: str
) -> Estimate:
    """The difference of two classifiers in a metric, widened for clusters."""
    rows = _label_table(cells, sample)
    if rows is None or isinstance(found.result, Undefined):
        return found
    row = difference_gradient(rows.evidence, first, second, found.metric)[rows.atoms]
    moves = InfluenceValues(row * rows.errors, (row > 0).astype(np.float64), (row < 0).astype(np.float64))
    return cluster_adjustments(rows, [moves])[0].widen(found, _widened_difference)


def cluster_adjustments(rows: LabelTable, columns: Sequence[InfluenceValues]) -> list[ClusterAdjustment]:
    """The adjustment for clusters of every metric whose influence values are a column."""
    strata = rows.stratified_units(clusters=True)
    on_a, on_b = (np.stack([getattr(one, side) for one in columns], axis=1) for side in ("on_a", "on_b"))
    sizes = sums_by_unit(strata.units, on_a + on_b)
    shared = np.bincount(strata.units)[:, None] > 1
    alone, clusters = ~((sizes > 0) & shared).any(axis=0) | (sizes.sum(axis=0) < 2), (sizes > 0).sum(axis=0)
    pooled = VarianceStrata.of(strata)
    if isinstance(pooled, Undefined):
        return [ClusterAdjustment() if single else ClusterAdjustment(degrees=0.0) for single in alone.tolist()]
    each, kept = np.stack([one.each for one in columns], axis=1), np.sqrt(rows.sampling_correction)
    # `full` and `left` are sums over clusters without and with 1 - f; in `singly` every label is its own cluster.
    # Only shared clusters lose their 1 - f (`released`): full^2 - left^2 is what it had taken from their variance.
    e, units, rest = pooled.deviations(strata, each), strata.units[pooled.rows], kept[pooled.rows][:, None]
    full, left = (sums_by_unit(units, e * pooled.grown(pooled.units) * of) for of in (1.0, rest))
    singly = e * pooled.grown(pooled.labels) * rest
    effect = ClusterVariances((left**2).sum(axis=0), (singly**2).sum(axis=0)).design_effect
    dominant = _dominant_side(rows.yes, strata.weights[:, None] * each * kept[:, None], on_a, on_b)
    # Labels that agree deviate from their mean by nothing, so their effect would be 0/0: count them as one a cluster.
    agreeing = np.isnan(effect) | _agreeing(rows.yes, dominant)
    one_label = (sums_by_unit(strata.units, dominant) ** 2).sum(axis=0) / np.maximum(dominant.sum(axis=0), 1)
    effect = np.where(agreeing, one_label, effect)
    released = np.maximum(((full**2 - left**2) * shared).sum(axis=0), 0.0)
    taken = (np.add.reduceat((on_a + on_b)[pooled.rows], pooled.starts) > 0).sum(axis=0)
    degrees = np.where(clusters > 1, np.maximum(clusters - (1 if _crossing(strata, pooled) else taken), 1), 0)
    numbers = np.stack([effect, released, degrees], axis=1).tolist()
    return [
        ClusterAdjustment() if single else ClusterAdjustment(*each)
        for single, each in zip(alone.tolist(), numbers, strict=True)
    ]


def _label_table(cells: Cells, sample: LabelledSample) -> LabelTable | None:
    """The labels, if there are any and their clusters are known."""
    if sample.items is None or sample.items.candidates.clusters is None or not sample.items.rows.size:
        return None
    return LabelTable.of(DifferenceEstimator.of(cells, sample.everywhere), sample.items)


def _influence_values(
    rows: LabelTable, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
) -> Iterator[InfluenceValues]:
    """The influence values of every segment x classifier x metric, in this order."""
    cells, evidence = rows.cells, rows.evidence
    sides = evidence.sides(item_subsets(evidence, atoms, sample, request.segments))
    metrics = [metric_named(name) for name in request.metrics]
    every = [np.broadcast_arrays(*metric.slopes(sides.table)) for metric in metrics]
    for row, segment in enumerate(request.segments):
        inside = rows.inside(segment)
        for place in range(len(cells.classifiers)):
            errors = inside * (rows.errors if request.estimator == "difference" else rows.errors_about_means(place))
            a, b = (inside * side[rows.atoms, place] for side in (cells.positive, cells.negative))
            for metric, (on_a, on_b) in zip(metrics, every, strict=True):
                each = (a * on_a[row, place] + b * on_b[row, place]) * errors
                yield InfluenceValues(
                    share_influence(rows, metric, place, inside) if request.estimator == "share" else each,
                    a * (A in metric.sides),
                    b * (B in metric.sides),
                )


def share_influence(rows: LabelTable, metric: RatioMetric, place: int, inside: Floats) -> Floats:
    """How far every label moves a share that is taken of labels, stratum by stratum: (n - R d)/D.

    n and d are what the label adds to numerator and denominator, R the ratio in its stratum, D the denominator over
    all strata: the linearised ratio of two sums (Cochran 1977, 6.4). Such a design does not use how many items a
    classifier calls positive: a customer of many positive calls moves its recall, accuracy or prevalence also where
    all of its calls are as right as others'. So a move is about the mean of the set, and not of a side.
    """
    a, b = (inside * side[rows.atoms, place] for side in (rows.cells.positive, rows.cells.negative))
    outcomes = np.stack([a * rows.yes, a * (1 - rows.yes), b * rows.yes, b * (1 - rows.yes)], axis=1)
    n, d = outcomes @ np.array(metric.numerator), outcomes @ np.array(metric.denominator)
    whole = float(rows.stratified_units().weights @ d)
    if whole <= 0:
        return np.zeros(len(d))
    sums, sizes = (np.bincount(rows.strata_of_labels, weights=each) for each in (n, d))
    ratio = safe_divide(sums.astype(np.float64), sizes.astype(np.float64))[rows.strata_of_labels]
    return np.asarray((n - ratio * d) / whole, dtype=np.float64)


def _dominant_side(yes: Floats, moves: Floats, on_a: Floats, on_b: Floats) -> Floats:
    """The labels of the side that moves each column more; of both sides, where neither has a yes and a no."""
    a, b = ((moves**2 * side).sum(axis=0) for side in (on_a, on_b))
    both = _agreeing(yes, on_a) & _agreeing(yes, on_b)
    return np.where(both, on_a + on_b, np.where(a >= b, on_a, on_b))


def _agreeing(yes: Floats, labels: Floats) -> Flags:
    """Columns whose labels are all yes, or all no, or none."""
    said = yes @ labels
    return np.asarray((said == 0) | (said == labels.sum(axis=0)))


def _crossing(strata: StratifiedUnits, pooled: VarianceStrata) -> bool:
    """Whether some cluster has labels in several strata."""
    stratum = np.repeat(np.arange(len(pooled.labels)), pooled.labels)
    pairs = np.unique(np.stack([strata.units[pooled.rows], stratum]), axis=1)
    return bool((np.diff(pairs[0]) == 0).any())


def _widened_on_arcsine_scale(found: IntervalEstimate, by: float) -> tuple[float, float]:
    """Both ends `by` times as far from the value, on the scale asin sqrt(x).

    Wilson's interval of 90 of 100 becomes that of 45 of 50:

    >>> low, high = _widened_on_arcsine_scale(IntervalEstimate(0.9, 0.826, 0.945, 100), 2**0.5)
    >>> round(low, 2), round(high, 2)
    (0.79, 0.96)
    """
    value, low, high = (asin(min(max(x, 0.0), 1.0) ** 0.5) for x in (found.value, found.low, found.high))
    low, high = max(value - by * (value - low), 0.0), min(value + by * (high - value), pi / 2)
    return min(sin(low) ** 2, found.low), max(sin(high) ** 2, found.high)


def _widened_difference(found: IntervalEstimate, by: float) -> tuple[float, float]:
    """Both ends `by` times as far from the difference."""
    low, high = found.value - by * (found.value - found.low), found.value + by * (found.high - found.value)
    return max(low, -1.0), min(high, 1.0)
