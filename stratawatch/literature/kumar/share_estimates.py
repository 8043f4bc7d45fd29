"""Shares of known sets of items, stratum by stratum: what labels say of them, and how well they will be known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.estimates import EstimationRequest, segment_items
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import METRICS, A, B, RatioMetric
from stratawatch.core.population import Atom, Counts, Floats, Segment
from stratawatch.literature.kumar.allocations import LEAST_LABELS
from stratawatch.literature.kumar.stratified_share import stratified_share, wald_interval
from stratawatch.literature.kumar.variances import stratified_variance

METHOD: Final = "stratified share, Wald"


def listed_share(name: str) -> RatioMetric | None:
    """The metric of that name, if it is the share of a set of items that can be counted without labels."""
    metric = METRICS.get(name)
    return metric if metric and metric.is_listed and metric.is_plain_share else None


def listed_share_names() -> list[str]:
    """The metrics that are such shares; of the others only labels tell how many items they are a share of."""
    return [name for name in METRICS if listed_share(name)]


def condition(share: RatioMetric) -> str:
    """What the classifier does with the items of the set."""
    called = "positive" if A in share.sides else "negative"
    return "judged" if len(share.sides) > 1 else f"calls {called}"


def in_domain(share: RatioMetric, cells: Cells, place: int) -> Flags:
    """The cells of the set."""
    sides = (cells.positive[:, place] & (A in share.sides)) | (cells.negative[:, place] & (B in share.sides))
    return np.asarray(sides)


def counted_labels(share: RatioMetric, cells: Cells, place: int, answered: Floats, yes: Floats) -> Floats:
    """Of answers by cell, those that the share counts."""
    (tp, fp, fn, tn), no = share.numerator, answered - yes
    on_a, on_b = tp * yes + fp * no, fn * yes + tn * no
    return np.asarray(np.where(cells.positive[:, place], on_a, on_b), dtype=np.float64)


@dataclass(frozen=True)
class _Counts:
    """A set of items by stratum: how many there are, those with an answer, those whose answer is yes."""

    sizes: Floats
    labels: Floats
    yes: Floats

    @classmethod
    def of(cls, cells: Cells, place: int, share: RatioMetric, columns: tuple[Floats, Floats, Floats]) -> "_Counts":
        """From sizes, answers and yes answers by cell."""
        sizes, answered, yes = columns
        inside = in_domain(share, cells, place)
        said = counted_labels(share, cells, place, answered, yes)
        return cls(*(cells.by_stratum(column * inside) for column in (sizes, answered, said)))


def estimate_shares(
    cells: Cells,
    atoms: Sequence[Atom],
    known: LabelledSample,
    request: EstimationRequest,
    unsupported_reason: Callable[[str, str], str],
) -> tuple[Estimate, ...]:
    """An estimate of every segment x classifier x metric; Undefined with the `unsupported_reason`, if there is one."""
    answers = known.everywhere
    everything = cells.sizes, answers.labelled.sum(axis=0), answers.positive.sum(axis=0)
    found = []
    for segment in request.segments:
        columns = everything if segment is None else _inside(atoms, known, segment)
        where = "" if segment is None else f" in {segment}"
        for place, name in enumerate(cells.classifiers):
            for metric in request.metrics:
                outcome: IntervalEstimate | Undefined
                if why := unsupported_reason(metric, name):
                    outcome, labels = Undefined(why), 0
                else:
                    outcome, labels = _read(cells, place, METRICS[metric], columns, request.confidence)
                    if isinstance(outcome, Undefined):
                        outcome = Undefined(outcome.reason + where)
                found.append(Estimate(name, metric, segment, outcome, labels, METHOD, request.confidence))
    return tuple(found)


def expected_half_width(
    cells: Cells, place: int, share: RatioMetric, totals: Counts, rates: Floats, confidence: float
) -> float:
    """What an interval should be like with so many labels from each stratum; infinite where some get too few."""
    drawn = cells.sizes * (totals / np.maximum(cells.stratum_sizes, 1))[cells.strata]
    expected = _Counts.of(cells, place, share, (cells.sizes, cells.sizes, cells.sizes * rates))
    served = expected.sizes > 0
    sizes = np.rint(expected.sizes[served]).astype(np.int64)
    labels = cells.by_stratum(drawn * in_domain(share, cells, place))[served]
    if sizes.size == 0 or (labels < np.minimum(LEAST_LABELS, sizes)).any():
        return np.inf
    variance = stratified_variance(sizes, expected.yes[served] / sizes, labels)
    return min(normal_quantile(confidence) * float(np.sqrt(max(variance, 0.0))), 0.5)


def _inside(atoms: Sequence[Atom], known: LabelledSample, segment: Segment) -> tuple[Floats, Floats, Floats]:
    found = segment_items(atoms, known, segment)
    return found.sizes, found.answers.labelled.sum(axis=0), found.answers.positive.sum(axis=0)


def _read(
    cells: Cells, place: int, share: RatioMetric, columns: tuple[Floats, Floats, Floats], confidence: float
) -> tuple[IntervalEstimate | Undefined, int]:
    counts = _Counts.of(cells, place, share, columns)
    served = counts.sizes > 0
    sizes, labels, yes = (
        np.rint(column[served]).astype(np.int64) for column in (counts.sizes, counts.labels, counts.yes)
    )
    used, without = int(labels.sum()), int((labels == 0).sum())
    if sizes.size == 0:
        return Undefined(f"there is no item that it {condition(share)}"), 0
    if without:
        strata = "" if without == len(sizes) else f" in {without} of {len(sizes)} strata"
        return Undefined(f"no label among the items that it {condition(share)}{strata}"), used
    return wald_interval(stratified_share(sizes, labels, yes), confidence), used
