"""The design of a cycle: which items to label, and what their labels say about every classifier."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs import design_of, who_plans_for_goals
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.designs.goal_checks import check_variance_method, reject_unreachable_goals
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.estimation.cluster_variance import difference_with_clusters, widen_for_clusters
from stratawatch.core.estimation.differences import compare_classifiers
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import WindowLabels
from stratawatch.core.estimation.round_weights import weighted_by_rounds
from stratawatch.core.estimation.variance_methods import variance_named
from stratawatch.core.goals import DEFAULT_VARIANCE, OWN_VARIANCES, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.labelled_sample import NONE_ASSUMED, LabelledSample, labelled_sample
from stratawatch.core.metrics import REPORTED
from stratawatch.core.plan import CycleForecast, Plan
from stratawatch.core.planning.allocation import drawable_items
from stratawatch.core.planning.labels_so_far import LabelsSoFar, UnlabelledCandidates
from stratawatch.core.population import Atom, Candidates, Census, Counts, Segment
from stratawatch.core.sampling import order_by_random_number, take_smallest
from stratawatch.core.second_votes import NO_SECOND_VOTES
from stratawatch.core.tuning import BORROWED
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.errors import PlanImpossible, StratawatchError

_SMALLEST_POOL: Final = 30
_POOL_FACTOR: Final = 3


def stratify_for_survey(census: Census, survey: SurveySpec, history: History = NO_HISTORY) -> tuple[Atom, ...]:
    """Cut a census into atoms and strata by the survey's design.

    Raises PlanImpossible for a budget, a variance method or goals that the design cannot serve.
    """
    kind = design_of(survey)
    if survey.stop_at_goals and not kind.plans_for_goals:
        raise PlanImpossible(
            f'design = "{survey.design}" does not know how many labels goals need',
            expected="a budget, to be spent",
            got="no budget" if survey.budget is None else "a stop rule that waits for goals",
            hint=who_plans_for_goals(),
        )
    if survey.budget is not None and survey.budget < 1:
        raise PlanImpossible(f"a budget of {survey.budget} labels tells nothing", expected="at least 1 label")
    check_variance_method(survey.variance, survey.design)
    reject_unreachable_goals(kind, survey, census.classifiers)
    return kind.stratify(census, survey, history)


def pool_sizes(
    atoms: Sequence[Atom], classifiers: Sequence[str], survey: SurveySpec, history: History = NO_HISTORY
) -> tuple[int, ...]:
    """Candidates to freeze for every stratum: max(30, 3 x what any plan draws), at most its items and the budget."""
    cells = Cells.of_atoms(classifiers, atoms)
    pools = np.maximum(_SMALLEST_POOL, _POOL_FACTOR * design_of(survey).max_totals(cells, survey, history))
    items = drawable_items(cells)
    most = items if survey.budget is None else np.minimum(items, survey.budget)
    return tuple(np.minimum(pools, most).tolist())


def method_warnings(survey: SurveySpec) -> tuple[str, ...]:
    """Whole sentences that users of a survey's design and variance method should know, because it was measured."""
    return (*design_of(survey).warnings, *variance_named(survey.variance).warnings)


@dataclass(frozen=True)
class FrozenDesign:
    """Classifiers, atoms and the pools of candidates of their strata, frozen before the first label.

    `survey` is the survey that it was made for; its design draws the labels and makes the estimates. `priors` are what
    earlier periods said of variances, where estimates borrow from them.
    """

    classifiers: tuple[str, ...]
    atoms: tuple[Atom, ...]
    candidates: Candidates
    survey: SurveySpec = field(default_factory=SurveySpec)
    priors: tuple[VariancePrior, ...] = ()

    def plan(
        self,
        survey: SurveySpec,
        ledger: VerdictsByItem,
        drawn: Collection[str],
        *,
        ordinal: int,
        history: History = NO_HISTORY,
        reused: Collection[str] = (),
        earlier: Sequence[Plan] = (),
    ) -> Plan:
        """Plan a cycle's next round (1 is its first); totals are cumulative, by stratum.

        `ledger` may hold verdicts of candidates that are not drawn yet: drawing those costs no label of the budget.
        `reused` are drawn items that had their verdict before, `earlier` the plans of the rounds before. A plan that
        adds nothing means: done.
        """
        if design_of(survey) != self.sampling_design:
            raise StratawatchError(
                f'a design that was cut as "{_words(self.survey)}" cannot be planned as "{_words(survey)}"',
                hint="name one design for all of a cycle",
            )
        survey = self._with_own_intervals(survey)
        sample = labelled_sample(self.candidates, self.cells.strata, ledger, drawn)
        order, strata = self._order
        labelled_items = ledger.verdicts.keys() | set(drawn)
        unlabelled = np.array(
            [self.candidates.items[row] not in labelled_items for row in order.tolist()], dtype=np.bool_
        )
        asked = len(set(drawn)) - len(set(reused))
        so_far = LabelsSoFar(
            ordinal=ordinal,
            drawn=sample.drawn,
            labelled=sample.labelled.sum(axis=0),
            positives=sample.positive.sum(axis=0),
            half_widths=self._half_widths(survey, ledger, drawn) if ordinal > 1 else {},
            costs=UnlabelledCandidates(asked, strata, unlabelled),
            earlier=tuple(
                self.sample(ledger, [self.candidates.items[row] for row in self.draw(plan)])
                for plan in earlier[max(len(earlier) - self.sampling_design.remembered_rounds, 0) :]
            ),
        )
        pools = np.bincount(strata, minlength=self.cells.stratum_count).astype(np.int64)
        return self.sampling_design.plan(self.cells, survey, history, so_far, pools)

    def forecast(
        self, survey: SurveySpec, history: History, streams: Collection[tuple[str, str]]
    ) -> CycleForecast | None:
        """What all rounds are expected to give each (classifier, metric), before any label.

        None where the design tells no ranges. `history` knows the random numbers of candidates whose label is there
        already: to draw them costs nothing.
        """
        kind = self.sampling_design
        if not kind.forecasts_ranges:
            return None
        metrics = sorted({metric for _, metric in streams})
        whole = kind.plan_all_rounds(self.cells, self._with_own_intervals(survey), history, metrics)
        ranges = {key: one for key, one in whole.ranges.items() if key in streams}
        return CycleForecast(whole.labels, {key: whole.half_widths[key] for key in ranges}, ranges)

    def draw(self, plan: Plan) -> tuple[int, ...]:
        """Indices of the drawn candidates, by (stratum, digest); a larger plan only adds to a smaller one."""
        order, strata = self._order
        return take_smallest(order, strata, plan.totals)

    def inclusion(self, plan: Plan) -> tuple[float, ...]:
        """Probability of every stratum's items to be drawn: n_h / N_h."""
        sizes = self.cells.stratum_sizes.tolist()
        return tuple(total / size for total, size in zip(plan.totals, sizes, strict=True))

    def estimate(
        self,
        ledger: VerdictsByItem,
        drawn: Collection[str],
        *,
        confidence: float = 0.95,
        metrics: Sequence[str] | None = None,
        segments: Sequence[Segment] = (),
        assumed: Mapping[str, Verdict] = NONE_ASSUMED,
        borrow: bool = True,
    ) -> tuple[Estimate, ...]:
        """These metrics (None: those that reports show) of every classifier, over everything and inside segments.

        `assumed` are verdicts that stand in for missing ones; working models do not learn from them.
        `borrow` False: history has no part in intervals, as in pages, whose tails were measured so. In those of more
        confidence than it was measured for it has none in any case, nor where verdicts are assumed and none borrow.
        """
        _a_confidence(confidence)
        names = tuple(REPORTED if metrics is None else metrics)
        with_history = borrow and confidence <= BORROWED.most_confidence
        request = EstimationRequest(
            confidence,
            names,
            (None, *segments),
            self.survey,
            self.sampling_design.estimator,
            priors=self.priors if with_history else (),
            follows_history=with_history and self._follows_history and not assumed,
        )
        sample = self.sample(ledger, drawn, assumed)
        found = self.sampling_design.estimate(self.cells, self.atoms, sample, request)
        found = variance_named(self.survey.variance).apply(found, self.cells, self.atoms, sample, request)
        return widen_for_clusters(found, self.cells, self.atoms, sample, request)

    def sample(
        self, ledger: VerdictsByItem, drawn: Collection[str], assumed: Mapping[str, Verdict] = NONE_ASSUMED
    ) -> LabelledSample:
        """The labels of the drawn items, as all that is estimated of them reads them.

        `DrawnItems` tell which round drew each; of another collection all are taken to be of one round. Where the later
        rounds of a difference estimate had no history to follow, they followed the first one's labels, and every label
        counts what joining the rounds makes it count (`core.estimation.round_weights`).
        """
        found = labelled_sample(self.candidates, self.cells.strata, ledger, drawn, assumed)
        if self.sampling_design.estimator != "difference" or self.cells.prior_rate is not None:
            return found
        return weighted_by_rounds(found, self.cells, DrawnItems.of(drawn))

    def items_stood_for(self, ledger: VerdictsByItem, drawn: Collection[str]) -> dict[str, float]:
        """How many items of its stratum every labelled one stands for: N_h / n_h where all were drawn in one round."""
        labels = self.sample(ledger, drawn).items
        if labels is None:
            return {}
        strata = self.cells.strata[self.candidates.atoms[labels.rows]]
        counts = np.ones(len(strata)) if labels.weights is None else labels.weights
        sums = np.bincount(strata, counts, self.cells.stratum_count)
        each = counts * (self.cells.stratum_sizes / np.where(sums > 0, sums, 1.0))[strata]
        return {self.candidates.items[row]: one for row, one in zip(labels.rows.tolist(), each.tolist(), strict=True)}

    def compare(
        self,
        ledger: VerdictsByItem,
        drawn: Collection[str],
        first: str,
        second: str,
        metric: str,
        confidence: float = 0.95,
    ) -> Estimate:
        """A metric of the first classifier minus that of the second, on the same items.

        It is a difference estimate under every design; where the design's own values are plain shares, it need not be
        the difference of those.
        """
        _a_confidence(confidence)
        sample = self.sample(ledger, drawn)
        found = compare_classifiers(self.cells, sample, first, second, metric, confidence)
        return difference_with_clusters(found, self.cells, sample, first, second)

    @property
    def pools_with_windows(self) -> bool:
        """Whether its labels can be counted together with those of other windows, label by label.

        They can where values are difference estimates with the design's own variances, and items are no clusters.
        """
        is_plain = self.survey.variance in OWN_VARIANCES and self.candidates.clusters is None
        return is_plain and self.sampling_design.estimator == "difference"

    def window_labels(
        self,
        ledger: VerdictsByItem,
        drawn: Collection[str],
        segments: Sequence[Segment | None] = (None,),
        classifiers: Sequence[str] | None = None,
    ) -> WindowLabels:
        """What the labels say of this window's totals, to be counted together with those of other windows.

        `segments`, None for everything, and `classifiers` are those of all the windows; some may be unknown here.
        """
        known = [None, *(one for one in segments if one is not None and one.column in self.candidates.segments)]
        found = WindowLabels.of(self.cells, self.atoms, self.sample(ledger, drawn), known)
        names = self.classifiers if classifiers is None else classifiers
        return found.arranged(
            [known.index(one) if one in known else None for one in segments],
            [self.classifiers.index(one) if one in self.classifiers else None for one in names],
        )

    @property
    def sampling_design(self) -> SamplingDesign:
        """The sampling design of the survey."""
        return design_of(self.survey)

    @cached_property
    def cells(self) -> Cells:
        """The atoms as columns of numbers."""
        return Cells.of_atoms(self.classifiers, self.atoms)

    @cached_property
    def checked(self) -> Flags:
        """The atoms whose items are put before a second person if the first one says yes."""
        if self.survey.second_votes == NO_SECOND_VOTES:
            return np.zeros(len(self.atoms), dtype=np.bool_)
        return np.asarray(self.cells.negative.any(axis=1))

    @cached_property
    def checked_items(self) -> frozenset[str]:
        """The candidates in those atoms, by id."""
        flags = self.checked[self.candidates.atoms].tolist()
        return frozenset(item for item, is_checked in zip(self.candidates.items, flags, strict=True) if is_checked)

    @cached_property
    def _order(self) -> tuple[Counts, Counts]:
        return order_by_random_number(self.candidates, self.cells.strata)

    def _with_own_intervals(self, survey: SurveySpec) -> SurveySpec:
        """The survey with the intervals that this design's estimates will have, which plans count on."""
        return survey if self.priors else survey.without_borrowing

    @property
    def intervals_have_history(self) -> bool:
        """Whether history may have a part in intervals: whether they borrow or follow."""
        return bool(self.priors) or (self._follows_history and self.cells.prior_rate is not None)

    @property
    def _follows_history(self) -> bool:
        """Where goals end a cycle, a variance that follows these labels would end it where they scatter little."""
        return self.survey.variance == DEFAULT_VARIANCE and not self.survey.stop_at_goals

    def _half_widths(
        self, survey: SurveySpec, ledger: VerdictsByItem, drawn: Collection[str]
    ) -> dict[tuple[str, str], float]:
        if not survey.stop_at_goals:
            return {}
        metrics = list(dict.fromkeys(goal.metric for goal in survey.goals))
        found = self.estimate(ledger, drawn, confidence=survey.confidence, metrics=metrics or None)
        return {(e.classifier, e.metric): e.result.half_width for e in found if isinstance(e.result, IntervalEstimate)}


def _words(survey: SurveySpec) -> str:
    options = (f"{name} = {value}" for name, value in survey.options.items())
    return ", ".join([survey.design, *options])


def _a_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise StratawatchError(f"the confidence is {confidence}", expected="a number between 0 and 1")
