"""Kumar and Raj: strata by how sure a classifier is of its calls, for its accuracy and other shares of known sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.designs.classifier_option import ANOTHER, place_of
from stratawatch.core.designs.options import MOST_LABELS, MOST_STRATA, within
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.estimates import EstimationRequest, Estimator
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.budget_allocator import affordable_totals
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.kumar.allocations import (
    ALLOCATIONS,
    LEAST_LABELS,
    Allocation,
    OptA1,
    OptA2,
    optimal_weights,
    too_few_labels,
)
from stratawatch.literature.kumar.certainty_strata import ShareFrame, stratify_by_certainty
from stratawatch.literature.kumar.share_estimates import (
    condition,
    estimate_shares,
    expected_half_width,
    listed_share,
    listed_share_names,
)
from stratawatch.literature.kumar.stratification import STRATIFIERS
from stratawatch.literature.kumar.stratum_counts import StratumCounts

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
class Kumar(SamplingDesign):
    """Strata by one classifier's certainty, an allocation of the paper, and stratified shares as estimates.

    classifier: whose certainty is cut ("": the first of the panel). share: the metric that labels are for; all of them
    are drawn among the items that it is a share of. n_ini: labels of every stratum in the first round of OPT-A1 and
    OPT-A2; n_step: labels of each further round of OPT-A2. pseudo_labels: right and wrong labels added to every stratum
    when its standard deviation is estimated (0: the paper as printed).
    """

    name: ClassVar[str] = "kumar"
    paper: ClassVar[str] = "Kumar and Raj, PAKDD 2018"
    estimator: ClassVar[Estimator] = "share"

    classifier: str = ""
    share: str = "accuracy"
    stratifier: str = "KM"
    allocation: str = "PRO"
    strata: int = 8
    n_ini: int = 5
    n_step: int = 20
    pseudo_labels: float = 1.0

    def __post_init__(self) -> None:
        for word, said, known in (
            ("share of listed items", self.share, listed_share_names()),
            ("stratifier", self.stratifier, STRATIFIERS),
            ("allocation", self.allocation, ALLOCATIONS),
        ):
            if said not in known:
                raise StratawatchError(f"there is no {word} {said!r}", expected=f"one of {', '.join(known)}")
        within("strata", self.strata, 1, MOST_STRATA)
        within("n_ini", self.n_ini, 2, MOST_LABELS)
        within("n_step", self.n_step, 1, MOST_LABELS)
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
        """The interval, and what is measured of the allocation."""
        if self.allocation == "PRO":
            return (_INTERVAL,)
        if self.allocation == "EQU":
            return (_INTERVAL, _EQUAL)
        if self.pseudo_labels > 0:
            return (_SMOOTHED,)
        bias, low, high = ("2.2", 26, 71) if self.allocation == "OPT-A1" else ("4.7", 9, 33)
        return (_PRINTED.format(bias=bias, low=low, high=high),)

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """The classifier whose certainty is cut, if it is said."""
        return (self.classifier,) if self.classifier else ()

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """Shares of positives, or of negatives, which cannot be counted without labels; and what lies outside."""
        words, whose = metric_named(metric).title, classifiers[self._place(classifiers)]
        if listed_share(metric) is None:
            return f"design = 'kumar' does not tell {words}: only labels say what it is a share of"
        mine = self._metric
        if len(mine.sides) > 1 or (classifier == whose and mine.sides == metric_named(metric).sides):
            return ""
        asked = f"with share = '{self.share}' it asks about items that {whose} {condition(mine)}"
        return f"design = 'kumar' does not tell {words} of {classifier}: {asked}"

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """A budget below the first labels of all strata. Calls without a score are one stratum."""
        classifiers, budget, each = list(scored), survey.budget or 0, self._first_labels
        strata = self.strata if scored[classifiers[self._place(classifiers)]] else 1
        if budget < each * strata:
            raise too_few_labels(budget, each, strata, each * strata)

    def least_budget(self, classifiers: int) -> int:
        """The first labels of all strata."""
        return self._first_labels * self.strata

    def drawable(self, cells: Cells) -> Flags:
        """What the share is of."""
        return self._inside(cells).flags

    def max_rounds(self, survey: SurveySpec) -> int:
        """One; two with OPT-A1; with OPT-A2 as many as the budget has steps."""
        if self.allocation in _AT_ONCE:
            return 1
        rest = max((survey.budget or 0) - self.n_ini, 0)
        return 1 + (-(-rest // self.n_step) if self.allocation == _STEPWISE else 1)

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Strata of the classifier's certainty. PlanImpossible: none, or a budget that does not reach them all."""
        place = self._place(census.classifiers)
        atoms = stratify_by_certainty(census, place, self._metric, self.stratifier, self.strata)
        sizes = self._inside(Cells.of_atoms(census.classifiers, atoms)).sizes
        if sizes.size == 0:
            asked = f"asks about items that {census.classifiers[place]} {condition(self._metric)}"
            raise PlanImpossible(f"design = 'kumar' {asked}, and there is none", hint=ANOTHER)
        self._rule.totals(sizes, StratumCounts.none_drawn(sizes.size), survey.budget or 0)
        return atoms

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """What PRO and EQU draw; labels may send both OPTs anywhere."""
        inside, budget = self._inside(cells), survey.budget or 0
        if self.allocation in _AT_ONCE:
            return inside.over_all_strata(
                self._totals(inside.sizes, StratumCounts.none_drawn(inside.sizes.size), budget)
            )
        return inside.over_all_strata(np.minimum(inside.sizes, budget))

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """What the allocation wants next, of labels that the budget pays for."""
        inside = self._inside(cells)
        wanted = self._next(inside, survey.budget or 0, so_far) if inside.sizes.size else so_far.drawn
        totals = np.maximum(np.minimum(wanted, pools), so_far.drawn)
        exhausted = np.flatnonzero(wanted > pools)
        return Plan(tuple(totals.tolist()), {}, self._words, tuple(int(stratum) for stratum in exhausted))

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """By what scores or history foretell."""
        inside, rates = self._inside(cells), prior_rates(cells, history).rate
        totals = self.max_totals(cells, survey, history)
        if self.allocation not in _AT_ONCE:
            weights, first = (
                optimal_weights(inside.sizes, inside.expected_deviations(rates)),
                np.minimum(inside.sizes, self.n_ini),
            )
            totals = inside.over_all_strata(clip_and_round(weights, first, inside.sizes, survey.budget or 0))
        widths = {
            (name, metric): width
            for place, name in enumerate(cells.classifiers)
            for metric in metrics
            if not self.unsupported_reason(metric, name, cells.classifiers)
            and np.isfinite(
                width := expected_half_width(cells, place, metric_named(metric), totals, rates, survey.confidence)
            )
        }
        return Plan(tuple(totals.tolist()), widths, self._words)

    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], known: LabelledSample, request: EstimationRequest
    ) -> tuple[Estimate, ...]:
        """Stratified shares with the interval that their variance implies."""
        return estimate_shares(
            cells, atoms, known, request, lambda metric, name: self.unsupported_reason(metric, name, cells.classifiers)
        )

    @property
    def _first_labels(self) -> int:
        return LEAST_LABELS if self.allocation in _AT_ONCE else self.n_ini

    @property
    def _metric(self) -> RatioMetric:
        return metric_named(self.share)

    @property
    def _rule(self) -> Allocation:
        if self.allocation in _AT_ONCE:
            return ALLOCATIONS[self.allocation]
        if self.allocation == _STEPWISE:
            return OptA2(self.n_ini, self.n_step, self.pseudo_labels)
        return OptA1(self.n_ini, self.pseudo_labels)

    @property
    def _words(self) -> str:
        return f"{self.allocation} on {self.stratifier} strata"

    def _next(self, inside: ShareFrame, budget: int, so_far: LabelsSoFar) -> Counts:
        """Cumulative totals by stratum; those that are drawn if the allocation has had its rounds."""
        tally = inside.counts(so_far)
        if so_far.ordinal > 1:
            if self.allocation in _AT_ONCE or (self.allocation != _STEPWISE and so_far.ordinal > 2):
                return so_far.drawn
            if self.allocation == _STEPWISE:
                budget = min(budget, so_far.new_label_cost(so_far.drawn) + self.n_step)
        elif self.allocation not in _AT_ONCE:
            return inside.over_all_strata(self._totals(inside.sizes, tally, budget))
        least = self._least(inside.sizes)

        def totals(labels: int) -> Counts:
            """Known labels are free: a budget of new ones may be smaller than what the first round drew."""
            return inside.over_all_strata(self._totals(inside.sizes, tally, max(labels, least)))

        return affordable_totals(totals, so_far, budget, int(inside.sizes.sum()))

    def _least(self, sizes: Counts) -> int:
        return 0 if self.allocation in _AT_ONCE else int(np.minimum(sizes, self.n_ini).sum())

    def _totals(self, sizes: Counts, tally: StratumCounts, labels: int) -> Counts:
        """The allocation's totals; a step of OPT-A2 is one of OPT-A1 with the labels of a step."""
        rule = OptA1(self.n_ini, self.pseudo_labels) if self.allocation == _STEPWISE else self._rule
        return rule.totals(sizes, tally, labels) if sizes.size else sizes

    def _inside(self, cells: Cells) -> ShareFrame:
        return ShareFrame(cells, self._place(cells.classifiers), self._metric)

    def _place(self, classifiers: Sequence[str]) -> int:
        return place_of(self.classifier, classifiers)
