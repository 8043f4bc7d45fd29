"""Bennett and Carvalho: the precision of one classifier, from a few labels at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.designs.classifier_option import ANOTHER, place_of
from stratawatch.core.designs.options import MOST_LABELS, MOST_STRATA, within
from stratawatch.core.designs.seeded_rng import dice
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.estimates import EstimationRequest, Estimator
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts, Floats
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.bennett.allocation_rules import ALLOCATION_RULES
from stratawatch.literature.bennett.bins import BINNINGS
from stratawatch.literature.bennett.positive_calls import SamplingFrame, cut_into_bins
from stratawatch.literature.bennett.precision_estimate import METHOD, estimate_precision, weighted_mean_variance
from stratawatch.literature.bennett.sampling_rounds import StoppingRule, plan_round

_PRECISION = "precision"
_WITH_KNOWN = 3
"""Pools hold up to so many times the budget where labels are known already."""


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
class Bennett(SamplingDesign):
    """Bins of the items that one classifier calls positive; rounds thrown into them until an interval is narrow.

    classifier: whose precision ("": the first of the panel). delta: the half-width to stop at (none: the budget is
    spent). per_bin: labels of a round for every bin. in_a_row: rounds that must be narrow enough before it stops.
    """

    name: ClassVar[str] = "bennett"
    paper: ClassVar[str] = "Bennett and Carvalho, CIKM 2010"
    estimator: ClassVar[Estimator] = "side_mean"
    estimates_segments: ClassVar[bool] = False

    classifier: str = ""
    bins: int = 4
    binning: str = "perc"
    style: str = "opt"
    delta: float | None = None
    per_bin: int = 2
    in_a_row: int = 2

    def __post_init__(self) -> None:
        for word, said, known in (("binning", self.binning, BINNINGS), ("style", self.style, ALLOCATION_RULES)):
            if said not in known:
                raise StratawatchError(f"there is no {word} {said!r}", expected=f"one of {', '.join(known)}")
        within("bins", self.bins, 1, MOST_STRATA)
        for word, count in (("per_bin", self.per_bin), ("in_a_row", self.in_a_row)):
            within(word, count, 1, MOST_LABELS)
        if self.delta is not None and not 0 < self.delta < 1:
            raise StratawatchError(
                "option 'delta' is no half-width", expected="a number between 0 and 1", got=f"{self.delta:g}"
            )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looking at labels costs."""
        first = _SPENDING if self.delta is None else _STOPPING
        return (first, _ONE_BIN) if self.bins == 1 else (first,)

    @property
    def remembered_rounds(self) -> int:
        """The rounds that must have been narrow enough, and the one before them."""
        return self.in_a_row + 1

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """The classifier whose precision is wanted, if it is said."""
        return (self.classifier,) if self.classifier else ()

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """Everything but the precision of one classifier."""
        whose = classifiers[self._place(classifiers)]
        if (metric, classifier) == (_PRECISION, whose):
            return ""
        return (
            f"design = 'bennett' does not tell {metric_named(metric).title} of {classifier}: only precision of {whose}"
        )

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """A rule that stops before a goal holds."""
        for goal in survey.goals if survey.goals != DEFAULT_GOALS else ():
            if self.delta is not None and goal.margin < self.delta:
                raise PlanImpossible(
                    f"design = 'bennett' stops at plus-minus {self.delta:g}, before a goal of {goal.margin:g} holds",
                    expected=f"option 'delta' of at most {goal.margin:g}",
                )

    def drawable(self, cells: Cells) -> Flags:
        """What the classifier calls positive."""
        return np.asarray(cells.positive[:, self._place(cells.classifiers)])

    def max_rounds(self, survey: SurveySpec) -> int:
        """As many as there are if all items are in one bin and two of three labels are known before, and so free.

        Pools hold no more than that. Rounds end with the budget, or earlier.
        """
        return max(-(-_WITH_KNOWN * (survey.budget or 0) // self.per_bin), 1)

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Bins of the items that the classifier calls positive, and the rest. PlanImpossible: delta is too loose."""
        self.validate(survey, {})
        place = self._place(census.classifiers)
        atoms = cut_into_bins(census, place, self.binning, self.bins)
        if self._called(Cells.of_atoms(census.classifiers, atoms)).sizes.size == 0:
            whose = census.classifiers[place]
            raise PlanImpossible(
                f"design = 'bennett' asks about items that {whose} calls positive, and there is none", hint=ANOTHER
            )
        return atoms

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """Labels may send all of the budget into any bin."""
        called = self._called(cells)
        return called.over_all_strata(np.minimum(called.sizes, survey.budget or 0))

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """One round of labels more, or none when the rule says so."""
        called = self._called(cells)
        wanted = self._next(called, survey, so_far)
        totals = np.maximum(np.minimum(wanted, pools), so_far.drawn)
        exhausted = np.flatnonzero(wanted > pools)
        return Plan(tuple(totals.tolist()), {}, self._words, tuple(int(stratum) for stratum in exhausted))

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """The labels that the style would buy if scores or history were right, up to where the rule stops."""
        called = self._called(cells)
        rates = called.rates(prior_rates(cells, history).rate)
        labels, width = self._until_narrow(called, rates, survey)
        told = _PRECISION in metrics and labels.sum() > 0
        widths = {(cells.classifiers[called.place], _PRECISION): width} if told else {}
        return Plan(tuple(called.over_all_strata(labels).tolist()), widths, self._words)

    def estimate(
        self,
        cells: Cells,
        atoms: Sequence[Atom],
        known: LabelledSample,
        request: EstimationRequest,
    ) -> tuple[Estimate, ...]:
        """A weighted mean of m-estimates; everything else is Undefined."""
        called = self._called(cells)
        told = called.counts(known)
        found = []
        for segment in request.segments:
            for name in cells.classifiers:
                for metric in request.metrics:
                    why = self.unsupported_reason(metric, name, cells.classifiers)
                    if segment is not None and not why:
                        why = f"design = 'bennett' does not tell precision inside segments: {segment}"
                    said = Undefined(why) if why else self._precision(called, told.labels, told.yes, request.confidence)
                    used = 0 if why else int(told.labels.sum())
                    found.append(Estimate(name, metric, segment, said, used, METHOD, request.confidence))
        return tuple(found)

    @property
    def _words(self) -> str:
        return f"{self.style} on {self.binning} bins"

    def _rule(self, survey: SurveySpec, budget: int) -> StoppingRule:
        return StoppingRule(
            self.delta, survey.confidence, self.style, self.per_bin, self.in_a_row, budget=max(budget, 1)
        )

    def _next(self, called: SamplingFrame, survey: SurveySpec, so_far: LabelsSoFar) -> Counts:
        """Cumulative totals by stratum. The rule counts all labels, so its budget grows by those that were known."""
        left = (survey.budget or 0) - so_far.new_label_cost(so_far.drawn)
        if called.sizes.size == 0 or left <= 0:
            return so_far.drawn
        rule = self._rule(survey, int(so_far.drawn.sum()) + left)
        rounds = [called.counts(known) for known in so_far.earlier]
        totals = plan_round(rule, called.sizes, rounds, dice(survey, called.sizes, so_far.ordinal))
        return so_far.drawn if totals is None else called.over_all_strata(np.array(totals, dtype=np.int64))

    def _until_narrow(self, called: SamplingFrame, rates: Floats, survey: SurveySpec) -> tuple[Counts, float]:
        """Labels by bin and the half-width that they should buy: of the budget, or of as many as the margin needs."""
        most = int(min(survey.budget or 0, called.sizes.sum()))
        if most == 0:
            return np.zeros_like(called.sizes), 0.5
        chances = ALLOCATION_RULES[self.style](called.sizes, rates)
        first, last = (most, most) if self.delta is None else (1, most)
        while first < last:
            middle = (first + last) // 2
            narrow = self._width(called, rates, chances, middle, survey)[1] <= (self.delta or 0)
            first, last = (first, middle) if narrow else (middle + 1, last)
        return self._width(called, rates, chances, first, survey)

    def _width(
        self, called: SamplingFrame, rates: Floats, chances: Floats, labels: int, survey: SurveySpec
    ) -> tuple[Counts, float]:
        shared = clip_and_round(chances, np.zeros_like(called.sizes), called.sizes, labels)
        spread = float(weighted_mean_variance(called.sizes, shared, rates, replacement=False))
        return shared, min(normal_quantile(survey.confidence) * spread**0.5, 0.5)

    def _precision(
        self, called: SamplingFrame, labels: Counts, yes: Counts, confidence: float
    ) -> IntervalEstimate | Undefined:
        if called.sizes.size == 0:
            return Undefined("it calls no item positive")
        return estimate_precision(called.sizes, labels, yes, confidence=confidence)

    def _called(self, cells: Cells) -> SamplingFrame:
        return SamplingFrame(cells, self._place(cells.classifiers))

    def _place(self, classifiers: Sequence[str]) -> int:
        return place_of(self.classifier, classifiers)
