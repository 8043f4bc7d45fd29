"""Bennett and Carvalho: the precision of one classifier, from a few labels at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.design_options import MOST_LABELS, MOST_STRATA, check_range
from stratawatch.core.designs.seeded_rng import seeded_generator
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.metric_estimates import EstimationRequest, Estimator
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts, Floats
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.bennett.allocation_rules import ALLOCATION_RULES
from stratawatch.literature.bennett.bins import BINNINGS, bin_numbers
from stratawatch.literature.bennett.precision_estimate import estimate_precision, weighted_mean_variance
from stratawatch.literature.bennett.sampling_rounds import StoppingRule, plan_round
from stratawatch.literature.one_classifier_design import OneClassifierDesign
from stratawatch.literature.paper_design import EstimateOne
from stratawatch.literature.sampling_frame import SamplingFrame
from stratawatch.literature.stratum_counts import StratumCounts

_PRECISION: Final = "precision"
# Pools hold up to so many times the budget where labels exist already.
_POOL_FACTOR: Final = 3


# Measured; see docs/methods/bennett.md.
_STOPPING: Final = (
    "Rounds of design = 'bennett' stop when the interval looks narrow enough: for a delta of .01 to .05 precision came "
    "out up to .9 points too high, and 95% intervals held the truth in 90 to 95% of runs at precision .7 to .9, in as "
    "few as 81% above"
)
_SPENDING: Final = (
    "Labels of design = 'bennett' decide where the next ones are drawn: with 200 to 400 of them precision came out up "
    "to .6 points too high, and 95% intervals held the truth in 89 to 95% of runs at precision .7 to .9, in as few as "
    "87% above"
)
_ONE_BIN: Final = (
    "With a single bin a run of nothing but yes looks certain: at precision .98 the 95% interval held the truth in 58% "
    "of runs"
)


@dataclass(frozen=True)
class BennettDesign(OneClassifierDesign):
    """Bins of the items that one classifier calls positive; rounds of random draws until an interval is narrow.

    delta: the half-width to stop at (none: the budget is spent). per_bin: labels of a round for every bin. in_a_row:
    rounds that must be narrow enough before sampling stops.
    """

    name: ClassVar[str] = "bennett"
    paper: ClassVar[str] = "Bennett and Carvalho, CIKM 2010"
    estimator: ClassVar[Estimator] = "side_mean"
    estimates_segments: ClassVar[bool] = False
    method: ClassVar[str] = "m-estimates by bin, normal interval"
    paper_metrics: ClassVar[tuple[str, ...]] = (_PRECISION,)

    bins: int = 4
    binning: str = "perc"
    style: str = "opt"
    delta: float | None = None
    per_bin: int = 2
    in_a_row: int = 2

    def __post_init__(self) -> None:
        for option, given, choices in (("binning", self.binning, BINNINGS), ("style", self.style, ALLOCATION_RULES)):
            if given not in choices:
                raise StratawatchError(f"there is no {option} {given!r}", expected=f"one of {', '.join(choices)}")
        check_range("bins", self.bins, 1, MOST_STRATA)
        for option, count in (("per_bin", self.per_bin), ("in_a_row", self.in_a_row)):
            check_range(option, count, 1, MOST_LABELS)
        if self.delta is not None and not 0 < self.delta < 1:
            raise StratawatchError(
                "option 'delta' is no half-width", expected="a number between 0 and 1", got=f"{self.delta:g}"
            )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was measured of stopping by labels, or of allocating by them."""
        first = _SPENDING if self.delta is None else _STOPPING
        return (first, _ONE_BIN) if self.bins == 1 else (first,)

    @property
    def remembered_rounds(self) -> int:
        """The rounds that must have been narrow enough, and the one before them."""
        return self.in_a_row + 1

    @property
    def metric(self) -> RatioMetric:
        """Precision."""
        return metric_named(_PRECISION)

    @property
    def plan_method(self) -> str:
        """The allocation rule and the binning."""
        return f"{self.style} on {self.binning} bins"

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """A reason for everything but the precision of one classifier, and one minus it."""
        whose = classifiers[self.place(classifiers)]
        if self.paper_metric(metric) and classifier == whose:
            return ""
        return (
            f"design = 'bennett' does not tell {metric_named(metric).title} of {classifier}: only precision of {whose}"
        )

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """Refuse goals that sampling would stop short of."""
        for goal in survey.goals if survey.goals != DEFAULT_GOALS else ():
            if self.delta is not None and goal.margin < self.delta:
                raise PlanImpossible(
                    f"design = 'bennett' stops at plus-minus {self.delta:g}, before a goal of {goal.margin:g} holds",
                    expected=f"option 'delta' of at most {goal.margin:g}",
                )

    def max_rounds(self, survey: SurveySpec) -> int:
        """Rounds if all items are in one bin and two of three labels exist already, and so are free.

        Pools hold no more than that. Rounds end with the budget, or earlier.
        """
        return max(-(-_POOL_FACTOR * (survey.budget or 0) // self.per_bin), 1)

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Bins of the items that the classifier calls positive. Raises PlanImpossible also where delta is too loose."""
        self.validate(survey, {})
        return super().stratify(census, survey, history)

    def stratum_numbers(self, cells: Cells, scored: Flags) -> Counts:
        """Cells are cut by score."""
        scores, items = cells.scores[scored], cells.sizes[scored]
        return bin_numbers(scores, BINNINGS[self.binning](scores, items, self.bins))

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """The whole budget in every bin, as labels decide where it goes."""
        frame = self.frame(cells)
        return frame.over_all_strata(np.minimum(frame.sizes, survey.budget or 0))

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """The labels that the style would draw if every bin had its expected share, up to where the rule stops."""
        frame = self.frame(cells)
        labels, width = self._until_narrow(frame.sizes, frame.expected_shares(prior_rates(cells, history).rate), survey)
        whose, served = cells.classifiers[frame.place], filter(self.paper_metric, metrics)
        widths = {(whose, metric): width for metric in served if labels.sum() > 0}
        return Plan(tuple(frame.over_all_strata(labels).tolist()), widths, self.plan_method)

    def estimator_for(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> EstimateOne:
        """A weighted mean of m-estimates for the only metric that is supported."""
        frame = self.frame(cells)
        counts = _counts(frame, sample)
        found = estimate_precision(frame.sizes, counts.labels, counts.yes, request.confidence)
        return lambda *_: (found, int(counts.labels.sum()), self.method)

    def next_totals(self, frame: SamplingFrame, survey: SurveySpec, so_far: LabelsSoFar) -> Counts:
        """One round more, as long as the budget pays for new labels and the rule does not stop."""
        left = (survey.budget or 0) - so_far.new_label_cost(so_far.drawn)
        if left <= 0:
            return so_far.drawn
        # The rule counts all labels, so its budget grows by those that existed already.
        budget = int(so_far.drawn.sum()) + left
        rule = StoppingRule(self.delta, survey.confidence, self.style, self.per_bin, self.in_a_row, budget=budget)
        rounds = [_counts(frame, sample) for sample in so_far.earlier]
        totals = plan_round(rule, frame.sizes, rounds, seeded_generator(survey, frame.sizes, so_far.ordinal))
        return so_far.drawn if totals is None else frame.over_all_strata(np.array(totals, dtype=np.int64))

    def _until_narrow(self, sizes: Counts, rates: Floats, survey: SurveySpec) -> tuple[Counts, float]:
        """Labels by bin and the half-width to expect of them: of the budget, or of as many as the margin needs."""
        chances, most = ALLOCATION_RULES[self.style](sizes, rates), int(min(survey.budget or 0, sizes.sum()))
        if most == 0:
            return np.zeros_like(sizes), 0.5

        def allocated(labels: int) -> tuple[Counts, float]:
            totals = clip_and_round(chances, np.zeros_like(sizes), sizes, labels)
            variance = float(weighted_mean_variance(sizes, totals, rates, replacement=False))
            return totals, min(normal_quantile(survey.confidence) * variance**0.5, 0.5)

        first, last = (most, most) if self.delta is None else (1, most)
        while first < last:
            middle = (first + last) // 2
            narrow = allocated(middle)[1] <= (self.delta or 0)
            first, last = (first, middle) if narrow else (middle + 1, last)
        return allocated(first)


def _counts(frame: SamplingFrame, sample: LabelledSample) -> StratumCounts:
    return frame.counts(sample.drawn, sample.labelled.sum(axis=0), sample.positive.sum(axis=0))
