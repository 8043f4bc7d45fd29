"""Simple random sampling of all items that some classifier judged, with Wilson's interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest, Estimator, segment_items
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import ConfusionCounts, RatioMetric, metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.allocation import drawable_items, strata_with_calls
from stratawatch.core.planning.budget_allocator import affordable_totals
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts, Floats, Segment
from stratawatch.core.stratification.initial_atoms import initial_atoms

METHOD: Final = "simple random sample, Wilson"


@dataclass(frozen=True)
class _Sampled:
    """How much of the population is labelled: N items, n of them."""

    items: float
    labels: float

    @property
    def left(self) -> float:
        """(N - n)/(N - 1), the share of a sample's variance that a finite population leaves."""
        return max(self.items - self.labels, 0.0) / max(self.items - 1, 1.0)


def _share(metric: RatioMetric, said: ConfusionCounts, sampled: _Sampled, confidence: float) -> IntervalEstimate | None:
    """Wilson's interval with n/left labels, and one item that has no label may always be the other way.

    None where there is nothing to divide by. n_eff counts labels of a plain sample from an endless population.
    """
    yes, n = (float(count) for count in metric.share(said))
    if n <= 0:
        return None
    share, labels = np.asarray(yes / n), n
    ends = IntervalEnds(share, share)
    if sampled.left > 0:
        labels, items = n / sampled.left, n * sampled.items / sampled.labels
        low, high = wilson_interval(share, np.asarray(labels), confidence)
        ends = IntervalEnds(
            np.minimum(low, max(0, 1 - (n - yes + 1) / items)), np.maximum(high, min(1, (yes + 1) / items))
        )
    value, bottom, top = (float(metric.of_share(end)) for end in (share, *ends))
    return IntervalEstimate(value, bottom, top, labels)


@dataclass(frozen=True)
class SimpleRandomSampling(SamplingDesign):
    """One stratum of all judged items, one round, and every metric the plain share among the labels."""

    name: ClassVar[str] = "srs"
    estimator: ClassVar[Estimator] = "share"
    spends_budget: ClassVar[bool] = True
    is_simple_random: ClassVar[bool] = True

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """A metric that weighs its errors unequally is no plain share of labels."""
        found = metric_named(metric)
        return "" if found.share_odds else f"design = 'srs' does not tell {found.title}: it is no plain share of labels"

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Fine cells, all that some classifier judged in one stratum."""
        atoms = initial_atoms(census)
        served = Cells.of_atoms(census.classifiers, atoms).has_call.tolist()
        first = 0 if any(served) else 1
        return tuple(replace(atom, stratum=0 if here else 1 - first) for atom, here in zip(atoms, served, strict=True))

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """The budget, from the judged items."""
        return np.minimum(drawable_items(cells), survey.budget or 0)

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The items with the smallest random numbers, until the budget is spent on new labels."""
        budget, available = survey.budget or 0, np.where(strata_with_calls(cells), pools, 0).astype(np.int64)
        first = so_far.ordinal == 1
        totals = so_far.drawn
        if first:
            totals = affordable_totals(lambda n: np.minimum(available, n), so_far, budget, int(available.sum()))
        short = first and so_far.new_label_cost(totals) < budget
        exhausted = np.flatnonzero((totals == pools) & (pools < drawable_items(cells))) if short else ()
        whole = self.plan_all_rounds(cells, survey, history, ())
        return replace(whole, totals=tuple(totals.tolist()), exhausted=tuple(int(stratum) for stratum in exhausted))

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """All labels at once, with half-widths by the rates that scores or history predict."""
        totals = self.max_totals(cells, survey, history)
        rates, served = prior_rates(cells, history).rate, cells.has_call
        n, size = float(totals.sum()), float(cells.sizes[served].sum())
        widths = {}
        for place, name in enumerate(cells.classifiers):
            said = _confusion(cells, place, cells.sizes * served * n / max(size, 1), rates)
            for metric in metrics:
                if self.unsupported_reason(metric, name, cells.classifiers):
                    continue
                found = _share(metric_named(metric), said, _Sampled(size, n), survey.confidence)
                if found is not None:
                    widths[name, metric] = found.half_width
        return Plan(tuple(totals.tolist()), widths, "simple random sample")

    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> tuple[Estimate, ...]:
        """Shares among the labels."""
        sampled = _Sampled(float(cells.sizes[cells.has_call].sum()), float(sample.labelled.sum()))
        return tuple(
            _estimate(cells, place, metric, segment, _said(cells, atoms, sample, segment, place), sampled, request)
            for segment in request.segments
            for place in range(len(cells.classifiers))
            for metric in request.metrics
        )


def _confusion(cells: Cells, place: int, answered: Floats, rates: Floats) -> ConfusionCounts:
    a, b = answered * cells.positive[:, place], answered * cells.negative[:, place]
    counts = (a @ rates, a @ (1 - rates), b @ rates, b @ (1 - rates))
    return ConfusionCounts(*(np.asarray(count) for count in counts))


def _said(
    cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, segment: Segment | None, place: int
) -> ConfusionCounts:
    answers = sample.everywhere if segment is None else segment_items(atoms, sample, segment).answers
    answered, yes = answers.labelled.sum(axis=0), answers.positive.sum(axis=0)
    return _confusion(cells, place, answered, yes / np.maximum(answered, 1))


def _estimate(
    cells: Cells,
    place: int,
    name: str,
    segment: Segment | None,
    said: ConfusionCounts,
    sampled: _Sampled,
    request: EstimationRequest,
) -> Estimate:
    metric, why = (
        metric_named(name),
        SimpleRandomSampling().unsupported_reason(name, cells.classifiers[place], cells.classifiers),
    )
    found = None if why else _share(metric, said, sampled, request.confidence)
    where = "" if segment is None else f" in {segment}"
    result = found or Undefined(why or metric.no_members + where)
    labels = (said.tp + said.fp, said.fn + said.tn)
    used = round(sum(float(labels[side]) for side in metric.sides))
    return Estimate(cells.classifiers[place], name, segment, result, used, METHOD, request.confidence)
