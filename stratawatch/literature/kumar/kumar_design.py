"""Kumar and Raj: strata by how sure a classifier is of its calls, for accuracy and other shares of countable items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.design_options import MOST_LABELS, MOST_STRATA, check_range
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.difference_estimator import ItemSubset
from stratawatch.core.estimation.metric_estimates import EstimationRequest, Estimator, segment_items
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.budget_allocator import affordable_totals
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts, Segment
from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.allocations import (
    ALLOCATIONS,
    LEAST_LABELS,
    Allocation,
    OptA1,
    OptA2,
    optimal_weights,
    too_few_labels,
)
from stratawatch.literature.kumar.share_estimates import estimate_share, expected_half_width, supported_metrics
from stratawatch.literature.kumar.stratification import STRATIFIERS, call_probability, cut_points, stratum_numbers
from stratawatch.literature.one_classifier_design import OneClassifierDesign
from stratawatch.literature.paper_design import EstimateOne, EstimateResult
from stratawatch.literature.sampling_frame import SamplingFrame, describe_calls
from stratawatch.literature.stratum_counts import StratumCounts

_AT_ONCE: Final = ("PRO", "EQU")
_STEPWISE: Final = "OPT-A2"


# Measured; see docs/methods/kumar.md.
_INTERVAL: Final = (
    "The 95% intervals of design = 'kumar' hold the truth in 94 to 95% of cycles with PRO, but in 91% where only a few "
    "of the labels are of wrong calls (100 labels of a classifier that is 95% right)"
)
_EQUAL: Final = (
    "Allocation EQU of design = 'kumar' can be worse than random sampling, as nothing ties the labels of a stratum to "
    "its size: on scores like epsilon's the variance was 4 to 158% larger"
)
_PRINTED: Final = (
    "With pseudo_labels = 0, the paper as printed, an OPT stops asking where the first labels agree: accuracy came out "
    "up to {bias} points too high, and 95% intervals held the truth in {low} to {high}% of cycles; pseudo_labels = 1 "
    "keeps it asking"
)
_SMOOTHED: Final = (
    "Both OPTs let labels decide how many there are: with pseudo_labels = 1 accuracy came out up to .4 points too "
    "high, and 95% intervals held the truth in 91 to 94% of cycles"
)


@dataclass(frozen=True)
class KumarDesign(OneClassifierDesign):
    """Strata by one classifier's certainty, an allocation of the paper, and stratified shares as estimates.

    share: the metric that labels are for; all of them are drawn among the items that it is a share of. n_ini: labels of
    every stratum in the first round of OPT-A1 and OPT-A2; n_step: labels of each further round of OPT-A2.
    pseudo_labels: right and wrong labels added to every stratum when its standard deviation is estimated (0: the paper
    as printed).
    """

    name: ClassVar[str] = "kumar"
    paper: ClassVar[str] = "Kumar and Raj, PAKDD 2018"
    estimator: ClassVar[Estimator] = "share"
    method: ClassVar[str] = "stratified share, Wald"

    share: str = "accuracy"
    stratifier: str = "KM"
    allocation: str = "PRO"
    strata: int = 8
    n_ini: int = 5
    n_step: int = 20
    pseudo_labels: float = 1.0

    def __post_init__(self) -> None:
        for option, given, choices in (
            ("share of listed items", self.share, supported_metrics()),
            ("stratifier", self.stratifier, STRATIFIERS),
            ("allocation", self.allocation, ALLOCATIONS),
        ):
            if given not in choices:
                raise StratawatchError(f"there is no {option} {given!r}", expected=f"one of {', '.join(choices)}")
        check_range("strata", self.strata, 1, MOST_STRATA)
        check_range("n_ini", self.n_ini, 2, MOST_LABELS)
        check_range("n_step", self.n_step, 1, MOST_LABELS)
        if self.allocation == _STEPWISE and self.n_step < self.strata:
            raise StratawatchError(
                "option 'n_step' is too small: steps of fewer labels than strata round some of them out for ever",
                expected=f"at least {self.strata}, as there are strata; twice as many are better",
                got=str(self.n_step),
            )
        if not 0 <= self.pseudo_labels <= MOST_LABELS:
            raise StratawatchError(
                "option 'pseudo_labels' is no number of labels",
                expected=f"0 to {MOST_LABELS:,}",
                got=f"{self.pseudo_labels:g}",
            )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was measured of the interval and of the allocation."""
        if self.allocation == "PRO":
            return (_INTERVAL,)
        if self.allocation == "EQU":
            return (_INTERVAL, _EQUAL)
        if self.pseudo_labels > 0:
            return (_SMOOTHED,)
        bias, low, high = ("2.2", 26, 71) if self.allocation == "OPT-A1" else ("4.7", 9, 33)
        return (_PRINTED.format(bias=bias, low=low, high=high),)

    @property
    def metric(self) -> RatioMetric:
        """The metric that the option `share` names."""
        return metric_named(self.share)

    @property
    def plan_method(self) -> str:
        """The allocation and the stratifier."""
        return f"{self.allocation} on {self.stratifier} strata"

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """A reason for metrics whose items only labels can count, and for items that the option `share` leaves out."""
        title, whose = metric_named(metric).title, classifiers[self.place(classifiers)]
        if metric not in supported_metrics():
            return f"design = 'kumar' does not tell {title}: only labels say what it is a share of"
        sides = self.metric.sides
        if len(sides) > 1 or (classifier == whose and sides == metric_named(metric).sides):
            return ""
        asked = f"with share = '{self.share}' it asks about items that {whose} {describe_calls(self.metric)}"
        return f"design = 'kumar' does not tell {title} of {classifier}: {asked}"

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """Refuse a budget below the first labels of all strata; without a score there is one stratum."""
        classifiers, budget, each = list(scored), survey.budget or 0, self._first_labels
        strata = self.strata if scored[classifiers[self.place(classifiers)]] else 1
        if budget < each * strata:
            raise too_few_labels(budget, each, strata, each * strata)

    def least_budget(self, classifiers: int) -> int:
        """The first labels of all strata."""
        return self._first_labels * self.strata

    def max_rounds(self, survey: SurveySpec) -> int:
        """One; two with OPT-A1; with OPT-A2 as many as the budget has steps."""
        if self.allocation in _AT_ONCE:
            return 1
        rest = max((survey.budget or 0) - self.n_ini, 0)
        return 1 + (-(-rest // self.n_step) if self.allocation == _STEPWISE else 1)

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Strata of the classifier's certainty. Raises PlanImpossible also where the budget does not reach them all."""
        atoms = super().stratify(census, survey, history)
        sizes = self.frame(Cells.of_atoms(census.classifiers, atoms)).sizes
        self._rule.totals(sizes, StratumCounts.none_drawn(sizes.size), survey.budget or 0)
        return atoms

    def stratum_numbers(self, cells: Cells, scored: Flags) -> Counts:
        """Cells are cut by the probability of the classifier's call, section 3.5."""
        certainty = call_probability(cells.scores[scored], cells.positive[scored, self.place(cells.classifiers)])
        return stratum_numbers(certainty, cut_points(certainty, cells.sizes[scored], self.strata, self.stratifier))

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """What PRO and EQU draw; the labels of OPT-A1 and OPT-A2 may go to any stratum."""
        frame, budget = self.frame(cells), survey.budget or 0
        if self.allocation in _AT_ONCE:
            return frame.over_all_strata(
                self._rule.totals(frame.sizes, StratumCounts.none_drawn(frame.sizes.size), budget)
            )
        return frame.over_all_strata(np.minimum(frame.sizes, budget))

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """The allocation and half-widths if every cell has its expected rate of positives."""
        frame, rates = self.frame(cells), prior_rates(cells, history).rate
        totals = self.max_totals(cells, survey, history)
        if self.allocation not in _AT_ONCE:
            shares = frame.expected_shares(rates)
            weights = optimal_weights(frame.sizes, np.sqrt(shares * (1 - shares)))
            first = np.minimum(frame.sizes, self.n_ini)
            totals = frame.over_all_strata(clip_and_round(weights, first, frame.sizes, survey.budget or 0))
        widths = {
            (name, metric): width
            for place, name in enumerate(cells.classifiers)
            for metric in metrics
            if not self.unsupported_reason(metric, name, cells.classifiers)
            and np.isfinite(
                width := expected_half_width(cells, place, metric_named(metric), totals, rates, survey.confidence)
            )
        }
        return Plan(tuple(totals.tolist()), widths, self.plan_method)

    def estimator_for(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> EstimateOne:
        """Stratified shares with the interval that their variance implies."""

        def estimate_one(metric: str, place: int, segment: Segment | None) -> EstimateResult:
            items = segment_items(atoms, sample, segment) if segment else ItemSubset(cells.sizes, sample.everywhere)
            found, labels = estimate_share(cells, place, metric_named(metric), items, request.confidence)
            if isinstance(found, Undefined) and segment:
                found = Undefined(f"{found.reason} in {segment}")
            return found, labels, self.method

        return estimate_one

    def next_totals(self, frame: SamplingFrame, survey: SurveySpec, so_far: LabelsSoFar) -> Counts:
        """What the allocation draws next, as far as the budget pays for labels that do not exist already."""
        budget, counts = survey.budget or 0, frame.counts(so_far.drawn, so_far.labelled, so_far.positives)
        # A step of OPT-A2 is one of OPT-A1 with a budget that ends with the step.
        rule = OptA1(self.n_ini, self.pseudo_labels) if self.allocation == _STEPWISE else self._rule
        if so_far.ordinal > 1:
            if self.allocation in _AT_ONCE or (self.allocation != _STEPWISE and so_far.ordinal > 2):
                return so_far.drawn
            if self.allocation == _STEPWISE:
                budget = min(budget, so_far.new_label_cost(so_far.drawn) + self.n_step)
        elif self.allocation not in _AT_ONCE:
            return frame.over_all_strata(rule.totals(frame.sizes, counts, budget))
        # Existing labels are free, so a budget of new ones may be smaller than what the first round drew.
        least = 0 if self.allocation in _AT_ONCE else int(np.minimum(frame.sizes, self.n_ini).sum())

        def totals(labels: int) -> Counts:
            return frame.over_all_strata(rule.totals(frame.sizes, counts, max(labels, least)))

        return affordable_totals(totals, so_far, budget, int(frame.sizes.sum()))

    @property
    def _first_labels(self) -> int:
        return LEAST_LABELS if self.allocation in _AT_ONCE else self.n_ini

    @property
    def _rule(self) -> Allocation:
        if self.allocation == _STEPWISE:
            return OptA2(self.n_ini, self.n_step, self.pseudo_labels)
        return ALLOCATIONS[self.allocation] if self.allocation in _AT_ONCE else OptA1(self.n_ini, self.pseudo_labels)
