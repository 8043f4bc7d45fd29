"""Every metric of every classifier, over everything and inside segments, from one set of labels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.borrowed_variance import BorrowedVariance
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator, ItemSubset
from stratawatch.core.estimation.followed_variance import FollowedVariance
from stratawatch.core.estimation.interval import MetricIntervals, metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined, undefined_reason
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.population import Atom, Floats, Segment

HISTORY_WORDS: Final = ", variance with history"
"""What the description of a method adds where history has a part in the variance."""
Estimator = Literal["difference", "share", "side_mean"]
"""How estimates use labels: differences from a working model, the plain share among the labels of every stratum, or
the mean of each side of a classifier in every stratum."""


@dataclass(frozen=True)
class EstimationRequest:
    """What is to be estimated; the segment None stands for everything. `survey`: what labels were drawn for.

    `priors`: what earlier periods say of variances, `follows_history`: whether intervals of everything follow what
    earlier labels expect of these; without either, intervals rest on these labels alone.
    """

    confidence: float
    metrics: tuple[str, ...]
    segments: tuple[Segment | None, ...]
    survey: SurveySpec = field(default_factory=SurveySpec)
    estimator: Estimator = "difference"
    priors: tuple[VariancePrior, ...] = ()
    follows_history: bool = False


def estimate_metrics(
    cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
) -> tuple[Estimate, ...]:
    """One estimate for every segment x classifier x metric, in that order."""
    evidence = DifferenceEstimator.of(cells, sample.everywhere)
    sides = evidence.sides(item_subsets(evidence, atoms, sample, request.segments))
    return estimates_of_sides(sides, cells.classifiers, request, _with_history(evidence, request))


def _with_history(
    evidence: DifferenceEstimator, request: EstimationRequest
) -> BorrowedVariance | FollowedVariance | None:
    if evidence.cells.prior_rate is None:
        return None
    if request.priors:
        return BorrowedVariance.of(evidence, request.priors)
    return FollowedVariance.of(evidence) if request.follows_history else None


def estimates_of_sides(
    sides: SideEstimates,
    classifiers: Sequence[str],
    request: EstimationRequest,
    with_history: BorrowedVariance | FollowedVariance | None = None,
) -> tuple[Estimate, ...]:
    """One estimate for every segment x classifier x metric, in that order, from both sides (segments x classifiers)."""
    reading = SideIntervals(sides, request.confidence)
    columns = [
        _column(metric_named(name), reading, request.segments, classifiers, with_history) for name in request.metrics
    ]
    return tuple(
        column[row][place]
        for row in range(len(request.segments))
        for place in range(len(classifiers))
        for column in columns
    )


def item_subsets(
    evidence: DifferenceEstimator, atoms: Sequence[Atom], sample: LabelledSample, segments: Sequence[Segment | None]
) -> list[ItemSubset]:
    """The items of every segment with their labels; those of the whole population for None."""
    return [evidence.everything if part is None else segment_items(atoms, sample, part) for part in segments]


def segment_items(atoms: Sequence[Atom], sample: LabelledSample, segment: Segment) -> ItemSubset:
    """A segment's items by atom, and the answers inside it."""
    sizes = np.array([atom.segments.get(segment, 0) for atom in atoms], dtype=np.float64)
    return ItemSubset(sizes, sample.inside(segment))


def method_description(metric: RatioMetric, logit: float) -> str:
    """How a value and its interval came about, in a few words."""
    if logit >= 1:
        return f"{metric.method}, logit"
    return f"{metric.method}, {metric.small_sample_interval}" + (" blended with logit" if logit > 0 else "")


def _column(
    metric: RatioMetric,
    reading: SideIntervals,
    segments: Sequence[Segment | None],
    classifiers: Sequence[str],
    with_history: BorrowedVariance | FollowedVariance | None,
) -> list[list[Estimate]]:
    """One metric: segments x classifiers. History says something of variances of everything, of a segment's nothing."""
    found, clear = metric_intervals(metric, reading), is_defined(metric, reading.sides)
    labels = reading.sides.labels[..., list(metric.sides)].sum(axis=-1)
    table, has_part = _numbers(found), np.zeros(len(classifiers), dtype=np.bool_)
    if with_history is not None:
        whole = with_history.intervals(metric, reading.confidence)
        table[[part is None for part in segments]] = _numbers(whole)
        has_part = np.ravel(with_history.has_part(metric, whole))
    numbers = np.concatenate([table, np.stack([labels, clear], axis=-1)], axis=-1).tolist()
    rows: list[list[Estimate]] = []
    for row, segment in enumerate(segments):
        where = "" if segment is None else f" in {segment}"
        rows.append([])
        for place, classifier in enumerate(classifiers):
            value, low, high, n_eff, logit, used, defined = numbers[row][place]
            outcome = (
                IntervalEstimate(value, low, high, n_eff)
                if defined
                else Undefined(undefined_reason(metric, reading.sides, (row, place)) + where)
            )
            words = method_description(metric, logit)
            if segment is None and has_part[place]:
                words += HISTORY_WORDS
            rows[-1].append(Estimate(classifier, metric.name, segment, outcome, round(used), words, reading.confidence))
    return rows


def _numbers(found: MetricIntervals) -> Floats:
    return np.stack([found.value, found.low, found.high, found.n_eff, found.logit_weight], axis=-1)
