"""Plans for goals whose intervals borrow their variance from history: few labels, because few are bought on noise.

The first round is planned for the model's variances times how far these were off in past weeks; later rounds top up
where the reported intervals, and not their noisy variances, say that a goal is missed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import log

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.borrowed_variance import BorrowedVariance, prior_ratios, with_variance
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import metric_intervals, normal_quantile
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.labelled_sample import LabelCounts
from stratawatch.core.metrics import A, B, metric_named
from stratawatch.core.planning.allocation import AllocationBounds, drawable_items
from stratawatch.core.planning.bethel import minimise_labels
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import ExpectedTotals
from stratawatch.core.planning.expected_rates import ExpectedRates
from stratawatch.core.planning.goal_variances import goal_gradients
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.reused_labels import cheapest_with_reuse
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import BORROWED, PLANNER


@dataclass(frozen=True)
class BorrowedAllocator:
    """Plans the rounds of a period whose variances borrow from history; `rounds` is how many it may have.

    Where calls vanished its first round looks harder for misses, if it may.
    """

    context: PlanningContext
    rounds: int
    may_look_harder: bool = True

    def in_all(self, so_far: LabelsSoFar, bounds: AllocationBounds) -> Counts:
        """What all rounds together are expected to draw from each stratum, the labels that are known included."""
        return cheapest_with_reuse(lambda costs: self._all_rounds(bounds, costs), so_far, bounds.upper)

    def first(self, bounds: AllocationBounds, costs: Floats | None = None) -> Counts:
        """The first round: somewhat less than what history expects every goal to need.

        No stratum has so few labels that one of them could move a goal by much more than half its margin: the model may
        be wrong anywhere.
        """
        return self._planned(bounds, self._first_factor, costs, np.ones(len(self.context.variances.names)))

    def _all_rounds(self, bounds: AllocationBounds, costs: Floats | None) -> Counts:
        """A plan whose intervals are expected to hold, not its variances alone: these are widened until they do."""
        factor, margins = self._later_factor(self.rounds), self.context.variances.margins
        widening = np.ones(len(margins))
        totals = self._planned(bounds, factor, costs, widening)
        for _ in range(BORROWED.passes):
            found = borrowed_half_widths(self.context, totals)
            widths = np.array([found.get(name, 0.0) for name in self.context.variances.names])
            widening = widening * np.maximum(widths * factor**0.5 / margins, 1.0)
            totals = self._planned(bounds, factor, costs, widening)
        return totals

    def _planned(self, bounds: AllocationBounds, factor: float, costs: Floats | None, widening: Floats) -> Counts:
        variances = self.context.variances
        ratios = self._by_goal(lambda metric: prior_ratios(self.priors, self._classifiers, metric))
        limits = (variances.margins / (self._z * widening)) ** 2 / factor
        floors = np.maximum(bounds.lower, self._influence_floors())
        return self._solved(ratios[:, None] * variances.coefficients, limits, floors, bounds, costs)

    def first_with_reuse(self, so_far: LabelsSoFar, bounds: AllocationBounds) -> Counts:
        """The first round where some labels are known: the fewest new ones."""
        return cheapest_with_reuse(lambda costs: self.first(bounds, costs), so_far, bounds.upper)

    def top_up(self, so_far: LabelsSoFar, bounds: AllocationBounds) -> Counts:
        """Labels in all that bring the reported intervals within the margins, by what these labels say now."""
        now = _Reading.of(self.context, so_far, self.priors)
        return cheapest_with_reuse(lambda costs: self._topped_up(now, so_far, bounds, costs), so_far, bounds.upper)

    @property
    def priors(self) -> tuple[VariancePrior, ...]:
        """What earlier periods say of variances."""
        return self.context.variance_priors

    def _topped_up(
        self, now: "_Reading", so_far: LabelsSoFar, bounds: AllocationBounds, costs: Floats | None
    ) -> Counts:
        variances = self.context.variances
        coefficients = self._by_goal(now.ratio)[:, None] * now.coefficients
        factor = self._later_factor(so_far.ordinal)
        beside = now.reported_excess(so_far)
        widening, totals = beside * now.widening(so_far.drawn), so_far.drawn
        for number in range(BORROWED.passes):
            limits = (variances.margins / (self._z * widening)) ** 2 / factor
            totals = np.maximum(so_far.drawn, self._solved(coefficients, limits, bounds.lower, bounds, costs))
            if number < BORROWED.passes - 1:
                widening = np.sqrt(widening * beside * now.widening(totals))
        return totals

    def _solved(
        self, coefficients: Floats, limits: Floats, floors: Counts, bounds: AllocationBounds, costs: Floats | None
    ) -> Counts:
        cells = self.context.cells
        least = np.minimum(PLANNER.min_labels_for_margins, drawable_items(cells))
        lowest = np.minimum(np.maximum(floors, least), bounds.upper).astype(np.float64)
        caps = bounds.upper.astype(np.float64)
        found = minimise_labels(coefficients, limits, cells.stratum_sizes, lowest, costs, caps=caps)
        whole = np.ceil(found.n - BORROWED.rounding).astype(np.int64)
        return np.asarray(np.minimum(np.maximum(whole, bounds.lower), bounds.upper), dtype=np.int64)

    def _influence_floors(self) -> Counts:
        """Labels by stratum with which one label moves no goal by more than a part of its margin.

        Where so many calls vanished that recall may have fallen by a margin, there are more of them: misses that no
        label meets cannot be noticed.
        """
        cells, rows = self.context.cells, goal_gradients(self.context.cells, self.context.goals, self.context.rates)
        mean = np.sqrt(cells.by_stratum(rows.gradients**2 * cells.sizes) / np.maximum(cells.stratum_sizes, 1))
        others = np.where(self._at_risk, BORROWED.wary_influence, BORROWED.other_influence)
        most = np.where(self._listed, BORROWED.listed_influence, others) * rows.margins
        floors = cells.stratum_sizes * (mean / most[:, None]).max(axis=0)
        return np.asarray(np.ceil(floors - 0.5), dtype=np.int64)

    @property
    def looks_harder(self) -> bool:
        """Whether a first round looks harder for misses, as a smaller part of items is called than before."""
        return bool((self._at_risk & ~self._listed).any())

    def has_floors(self, totals: Counts) -> bool:
        """Whether these labels leave none that stands for too much."""
        return bool((totals >= np.minimum(self._influence_floors(), self.context.drawable)).all())

    @property
    def _at_risk(self) -> Flags:
        """Goals that may have moved by their margin if all calls that vanished were right."""
        cells = self.context.cells
        positives = float((cells.sizes * cells.has_call) @ self.context.rates.rate)
        vanished = self.context.vanished_calls if self.may_look_harder else 0.0
        return np.asarray(vanished > self.context.variances.margins * positives)

    @property
    def _listed(self) -> Flags:
        return np.array([metric_named(metric).is_listed for _, metric in self.context.variances.names])

    @property
    def _classifiers(self) -> Sequence[str]:
        return self.context.cells.classifiers

    @property
    def _z(self) -> float:
        return normal_quantile(self.context.survey.confidence)

    @property
    def _first_factor(self) -> float:
        two, three = BORROWED.first_round
        return two if self.rounds < 3 else three

    def _later_factor(self, ordinal: int) -> float:
        two, three = BORROWED.last_round
        last = two if self.rounds < 3 else three
        goals = max(len(self.context.variances.names), BORROWED.fewest_goals)
        more = BORROWED.more_goals * log(goals / BORROWED.fewest_goals)
        return (last if ordinal >= self.rounds else BORROWED.middle_round) + more

    def _by_goal(self, of_metric: Callable[[str], Floats]) -> Floats:
        return by_goal(self.context, of_metric)


def by_goal(context: PlanningContext, of_metric: Callable[[str], Floats]) -> Floats:
    """Numbers of every metric by classifier, in the order of the goals."""
    found = {metric: of_metric(metric) for metric in context.variances.metrics}
    places = {name: place for place, name in enumerate(context.cells.classifiers)}
    return np.array([found[metric][places[classifier]] for classifier, metric in context.variances.names])


@dataclass(frozen=True)
class _Reading:
    """What the labels so far say of the variances that further ones would leave."""

    context: PlanningContext
    borrowed: BorrowedVariance

    @classmethod
    def of(cls, context: PlanningContext, so_far: LabelsSoFar, priors: Sequence[VariancePrior]) -> "_Reading":
        counts = LabelCounts(so_far.labelled[None], so_far.positives[None])
        return cls(context, BorrowedVariance.of(DifferenceEstimator.of(context.cells, counts), priors))

    def ratio(self, metric: str) -> Floats:
        """By what the model's variances of a metric are multiplied, for every classifier."""
        return self._ratios[metric]

    @cached_property
    def _ratios(self) -> dict[str, Floats]:
        return {metric: self.borrowed.ratio(metric_named(metric)) for metric in self.context.variances.metrics}

    @cached_property
    def _rates(self) -> ExpectedRates:
        p = self.borrowed.rates.rates
        return ExpectedRates(p, p * (1 - p))

    @cached_property
    def coefficients(self) -> Floats:
        """A_jh of every goal (goals x strata), at the rates and the totals that these labels say."""
        cells, p = self.context.cells, self._rates.rate
        slopes = (by_goal(self.context, partial(self._slope, side)) for side in (A, B))
        on_a, on_b = (np.asarray(slope)[:, None] for slope in slopes)
        places = [cells.classifiers.index(classifier) for classifier, _ in self.context.variances.names]
        gradients = on_a * cells.positive.T[places] + on_b * cells.negative.T[places]
        return cells.stratum_sizes * cells.by_stratum(gradients**2 * (cells.sizes * p * (1 - p)))

    def _slope(self, side: int, metric: str) -> Floats:
        return metric_named(metric).slopes(self.borrowed.sides.table)[side]

    @cached_property
    def _expected(self) -> ExpectedTotals:
        return ExpectedTotals.of(self.context.cells, self._rates)

    def widening(self, totals: Counts) -> Floats:
        """By how much the intervals of so many labels will be wider than z standard errors, by goal."""
        return by_goal(self.context, lambda metric: self._widening_of(metric, totals))

    def reported_excess(self, so_far: LabelsSoFar) -> Floats:
        """By how much the reported intervals are wider than these, by goal: clusters widen them, for one.

        A goal whose metric the labels leave undefined is as far off as any.
        """
        context, most = self.context, PLANNER.max_width_ratio
        own = by_goal(context, self._half_widths)
        reported = np.array([so_far.half_widths.get(name, np.inf) for name in context.variances.names])
        return np.clip(reported / np.maximum(own, 1e-12), 1.0, most)

    def _half_widths(self, metric: str) -> Floats:
        return self.borrowed.intervals(metric_named(metric), self.context.survey.confidence).half_width

    def _widening_of(self, name: str, totals: Counts) -> Floats:
        metric, confidence = metric_named(name), self.context.survey.confidence
        expected = self._expected.sides(totals.astype(np.float64))
        sides = replace(borrowed_sides(expected, self._ratios[name]), totals=self.borrowed.sides.totals)
        found = metric_intervals(metric, SideIntervals(sides, confidence, self.borrowed.events))
        error = normal_quantile(confidence) * np.sqrt(found.variance)
        return np.where(error > 0, found.half_width / np.where(error > 0, error, 1.0), 1.0)


def borrowed_sides(expected: SideEstimates, ratio: Floats) -> SideEstimates:
    """Expected sides with the model's variances times these ratios, by classifier."""
    return with_variance(expected, expected.variance[..., 0] * ratio, expected.variance[..., 2] * ratio)


def borrowed_half_widths(context: PlanningContext, totals: Counts) -> dict[tuple[str, str], float]:
    """The half-widths that a plan is expected to give where intervals borrow, by (classifier, metric)."""
    expected = context.expected.sides(totals.astype(np.float64))
    events = BORROWED.small_sample_events, BORROWED.logit_events
    classifiers, found = context.cells.classifiers, dict[tuple[str, str], float]()
    for name in dict.fromkeys(prior.metric for prior in context.variance_priors):
        metric = metric_named(name)
        sides = borrowed_sides(expected, prior_ratios(context.variance_priors, classifiers, name))
        widths = metric_intervals(metric, SideIntervals(sides, context.survey.confidence, events)).half_width
        clear = is_defined(metric, expected)
        rows = zip(classifiers, widths.tolist(), clear.tolist(), strict=True)
        found |= {(classifier, name): width for classifier, width, defined in rows if defined}
    return found
