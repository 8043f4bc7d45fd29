"""The planner: how many labels each stratum gets in a cycle's first and second round."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.interval import z
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import has_enough_labels
from stratawatch.core.history.model_trust import model_is_trusted
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.plan import Plan
from stratawatch.core.planning.allocation import (
    ALLOCATION,
    HIGHER_FLOORS,
    AllocationBounds,
    allocate,
    allocate_for_margins,
    drawable_items,
    two_phase_allocation,
)
from stratawatch.core.planning.expected_precision import half_width_curves, half_widths
from stratawatch.core.planning.expected_rates import Rates, model_rates, prior_rates, shrunk_prior_rates, updated_rates
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, GoalVariances, goal_variances
from stratawatch.core.planning.round_sizes import FIRST_SHARE, LARGEST_PILOT, SMALLEST_PILOT, first_labels
from stratawatch.core.population import Counts, Floats

_ROBUST_FACTOR: Final = 1.0
_MODEL_FACTOR: Final = 1.0
_COLD_FACTOR: Final = 1.25
"""What expected variances are multiplied with: by how they came about."""
_TOP_UP, _TOP_UP_A_GOAL, _FEW_GOALS = 1.08, 0.011, 5
"""The same for a top-up, by the goals beyond a few: the more there are, the likelier one falls short by chance."""
_COLD_TOP_UP: Final = 1.13
"""Times that without a history, whose first labels are few."""
_LARGEST_SURPRISE: Final = 1.5
"""A half-width that is larger than forecast by more rests on one label of much weight; labels do not outvote it."""
_FLOORS: Final = (None, *HIGHER_FLOORS)
"""Floors among which a plan that spends a budget chooses."""
_CHEAPEST: Final = 0.05
"""Least cost of a label in a stratum where most are known already, as a share of a new one's."""
_AROUND: Final = 0.15
"""How far around a plan's last label, as a share of its labels, the cost of one more is read."""
_SPARING_PASSES: Final = 3
_MODEL_PROPORTIONAL: Final = 0.15
_PROPORTIONAL: Final = (0.0, 0.3, 0.6)
"""Proportional parts among which a plan for goals without a history chooses."""
_PASSES: Final = 4
"""Plans made before the one that counts, each with the widths of intervals that the one before would give."""


@dataclass(frozen=True)
class LabelsSoFar:
    """What a cycle knows when a round is planned.

    `drawn` by stratum, `answered` and `yes` by atom, `half_widths` as estimated from them; `new` counts the items of
    cumulative totals that people have been or would have to be asked about, and `unknown`, by stratum, those among
    cumulative totals without an answer; without it every label is a new one. `earlier`: what is known today of the
    items that each round before had drawn, cumulative.
    """

    ordinal: int
    drawn: Counts
    labelled: Floats
    positives: Floats
    half_widths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    new_label_cost: Callable[[Counts], int] = lambda totals: int(totals.sum())
    unlabelled_in: Callable[[Counts], Counts] | None = None
    earlier: Sequence[LabelledSample] = ()


@dataclass(frozen=True)
class _MarginProblem:
    """Goals to plan for: what they need of every stratum, times a factor, and by how much widths surprised so far."""

    rates: Rates
    rows: GoalVariances
    bounds: AllocationBounds
    variances: Floats
    factor: float
    surprise: Floats


@dataclass(frozen=True)
class RoundPlanner:
    """Plans for one population, one survey and one history."""

    cells: Cells
    survey: SurveySpec
    history: History = NO_HISTORY

    @cached_property
    def drawable(self) -> Counts:
        """Items of each stratum that may be drawn."""
        return drawable_items(self.cells)

    @cached_property
    def rates(self) -> Rates:
        """What the first labels are expected to say; planners of the same cells share it."""
        return self.cells.memoised(("rates", self.survey.stop_at_goals), self.history, self._first_rates)

    def _first_rates(self) -> Rates:
        if not has_enough_labels(self.history):
            return prior_rates(self.cells)
        if self.survey.stop_at_goals:
            return (model_rates if self._model_is_trusted else shrunk_prior_rates)(self.cells, self.history)
        return prior_rates(self.cells, self.history)

    def total_plan(self) -> Counts:
        """What the whole cycle is expected to draw, before any label."""
        wanted = self._until_goals_in_all()
        return self._best_by_interval(self.rates, self._budget_plans()) if wanted is None else wanted

    def max_totals(self) -> Counts:
        """The most that any plan of the whole cycle would draw from each stratum."""
        wanted = self._until_goals_in_all()
        return np.max(self._budget_plans(), axis=0) if wanted is None else wanted

    def _until_goals_in_all(self) -> Counts | None:
        """The labels that the goals need; None: a budget decides."""
        if not self.survey.stop_at_goals:
            return None
        bounds = AllocationBounds(np.zeros_like(self.drawable), self.drawable)
        wanted = self._for_goals(self.rates, bounds)
        if self._cold:
            wanted = np.maximum(wanted, self._pilot(self.rates, bounds))
        return wanted if self.survey.budget is None or wanted.sum() <= self.survey.budget else None

    def _budget_plans(self) -> list[Counts]:
        """Plans that spend the budget at once."""
        bounds = AllocationBounds(np.zeros_like(self.drawable), self.drawable)
        return [allocate(self.cells, self._goals, self.rates, self._budget, bounds, floor) for floor in _FLOORS]

    def plan(self, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The next round; a plan that adds nothing to what is drawn means: done."""
        rates = self._rates_now(so_far)
        totals, exhausted = self._inside(so_far, rates, pools)
        return Plan(
            totals=tuple(totals.tolist()),
            half_widths=half_widths(self.cells, rates, totals, self.survey.confidence),
            method=self._method(so_far),
            exhausted=tuple(exhausted.tolist()),
        )

    def totals(self, so_far: LabelsSoFar, pools: Counts) -> Counts:
        """The totals of `plan` without its forecast, which takes longer than they do: for simulations."""
        return self._inside(so_far, self._rates_now(so_far), pools)[0]

    def _inside(self, so_far: LabelsSoFar, rates: Rates, pools: Counts) -> tuple[Counts, Counts]:
        """Totals that the pools can give, and the strata whose pool could not give what was wanted."""
        totals = self._totals(so_far, rates, self.drawable)
        exhausted = np.flatnonzero(totals > pools)
        if exhausted.size:
            totals = self._totals(so_far, rates, np.minimum(self.drawable, pools))
        return totals, exhausted

    @property
    def _cold(self) -> bool:
        return not has_enough_labels(self.history)

    @property
    def _budget(self) -> int:
        return int(self.drawable.sum()) if self.survey.budget is None else self.survey.budget

    def _rates_now(self, so_far: LabelsSoFar) -> Rates:
        if so_far.ordinal > 1 and self._cold:
            return updated_rates(self.cells, so_far.positives, so_far.labelled)
        return self.rates

    def _totals(self, so_far: LabelsSoFar, rates: Rates, caps: Counts) -> Counts:
        bounds = AllocationBounds(so_far.drawn, caps)
        if not self.survey.stop_at_goals:
            return self._spend(so_far, rates, bounds)
        wanted = self._until_goals(so_far, rates, bounds)
        return wanted if so_far.new_label_cost(wanted) <= self._budget else self._spend(so_far, rates, bounds)

    def _spend(self, so_far: LabelsSoFar, rates: Rates, bounds: AllocationBounds) -> Counts:
        """Totals whose new labels are the budget's, or its first share's; labels that are known cost nothing."""
        if (
            so_far.ordinal > 1
            and not self._cold
            and not self.survey.stop_at_goals
            and not self._first_round_was_pilot(so_far)
        ):
            return so_far.drawn
        most = first_labels(self._budget) if so_far.ordinal == 1 and self._cold else self._budget
        share = two_phase_allocation if so_far.ordinal > 1 and self._cold else allocate

        def plan(floor: float | None) -> Counts:
            return _most(
                lambda labels: share(self.cells, self._goals, rates, labels, bounds, floor), so_far, most, bounds
            )

        return self._best_by_interval(rates, [plan(floor) for floor in _FLOORS])

    def _first_round_was_pilot(self, so_far: LabelsSoFar) -> bool:
        """Whether the first round drew no more than one without a history: labels came in the moment it opened."""
        return self._budget > so_far.new_label_cost(so_far.drawn) <= first_labels(self._budget)

    def _best_by_interval(self, rates: Rates, plans: Sequence[Counts]) -> Counts:
        """The plan with the least sum of (half-width/margin)^2 by the intervals that will be reported.

        Variances alone would put as few labels as floors allow where errors are rare; a label that stands for very
        many items then widens the interval by more than the variances say.
        """
        rows = self._rows(rates)
        curves = half_width_curves(self.cells, rates, np.stack(plans), self.survey.confidence, rows.metrics)
        places = [(metric, self.cells.classifiers.index(classifier)) for classifier, metric in rows.names]
        widths = np.array([np.minimum(curves[metric][:, place], 0.5) for metric, place in places])
        return plans[int(((widths.T / rows.margins) ** 2).sum(axis=1).argmin())]

    def _until_goals(self, so_far: LabelsSoFar, rates: Rates, bounds: AllocationBounds) -> Counts:
        if so_far.ordinal == 1:
            return self._pilot(rates, bounds) if self._cold else self._cheapest_with_reuse(so_far, rates, bounds)
        wide = [so_far.half_widths.get(name, np.inf) for name in self._rows(rates).names]
        if bool((np.array(wide) <= self._rows(rates).margins).all()):
            return so_far.drawn
        return self._cheapest_with_reuse(so_far, rates, bounds, topping_up=True)

    def _cheapest_with_reuse(
        self, so_far: LabelsSoFar, rates: Rates, bounds: AllocationBounds, *, topping_up: bool = False
    ) -> Counts:
        """Totals for the margins that ask people about the fewest items.

        Where labels are known, a plan is followed by plans with what one more label cost in each stratum of the plan
        before: little as far as earlier draws reach, a whole one beyond.
        """
        this = so_far if topping_up else None
        plans = [self._for_goals(rates, bounds, this)]
        if so_far.unlabelled_in is None:
            return plans[0]
        costs = _costs(so_far.unlabelled_in, plans[0], bounds.upper)
        for _ in range(_SPARING_PASSES):
            plans.append(self._for_goals(rates, bounds, this, costs))
            # Halfway in between: a stratum must not jump from one side of the earlier draw's end to the other.
            costs = np.sqrt(costs * _costs(so_far.unlabelled_in, plans[-1], bounds.upper))
        return min(plans, key=so_far.new_label_cost)

    def _pilot(self, rates: Rates, bounds: AllocationBounds) -> Counts:
        """A first draw that has only scores to go by: a share of what they ask for, neither tiny nor huge."""
        share = FIRST_SHARE * float(self._for_goals(rates, bounds).sum())
        most = self._budget if self.survey.budget is None else first_labels(self._budget)
        pilot = min(int(np.clip(share, SMALLEST_PILOT, LARGEST_PILOT)), most)
        plans = [allocate(self.cells, self._goals, rates, pilot, bounds, floor) for floor in _FLOORS]
        return self._best_by_interval(rates, plans)

    def _rows(self, rates: Rates) -> GoalVariances:
        return goal_variances(self.cells, self._goals, rates)

    @property
    def _goals(self) -> tuple[Goal, ...]:
        return self.survey.goals or DEFAULT_GOALS

    def _for_goals(
        self, rates: Rates, bounds: AllocationBounds, so_far: LabelsSoFar | None = None, costs: Floats | None = None
    ) -> Counts:
        """Totals for the margins as the reporting interval will see them: plan, forecast its widths, plan again.

        With labels of this period: widths are those that were so_far, where they are known, brought forward. Without a
        history, which would say what to expect of errors that no label has met, the plan is the cheapest of several
        that differ in how much is drawn in proportion to size.
        """
        task = self._task(rates, bounds, so_far)
        if self._cold:
            plans = [self._iterate_to_margins(task, proportional, costs) for proportional in _PROPORTIONAL]
            return min(plans, key=lambda totals: int(totals.sum()))
        return self._iterate_to_margins(
            task, _MODEL_PROPORTIONAL if so_far is None and self._model_is_trusted else 0.0, costs
        )

    def _task(self, rates: Rates, bounds: AllocationBounds, so_far: LabelsSoFar | None) -> "_MarginProblem":
        rows = self._rows(rates)
        factor = self._factor(so_far, len(rows.names))
        variances = factor * rows.coefficients
        surprise = np.ones(len(rows.names)) if so_far is None else self._width_ratio(so_far, rates, rows)
        return _MarginProblem(rates, rows, bounds, variances, factor, surprise)

    def _iterate_to_margins(self, task: "_MarginProblem", proportional: float, costs: Floats | None) -> Counts:
        confidence, rows = self.survey.confidence, task.rows
        widening, totals = task.surprise, task.bounds.lower
        for _ in range(_PASSES + 1):
            limits = (rows.margins / (z(confidence) * widening)) ** 2
            totals = allocate_for_margins(self.cells, task.variances, limits, task.bounds, proportional, costs)
            widths = _named(half_widths(self.cells, task.rates, totals, confidence, rows.metrics), rows)
            errors = z(confidence) * np.sqrt(self._variances(task.variances, totals) / task.factor)
            wider = task.surprise * np.where(
                np.isfinite(widths) & (errors > 0), widths / np.maximum(errors, 1e-12), 1.0
            )
            # Halfway in between: where margins are wide, the plan after a plan that is too large is too small.
            widening = np.sqrt(widening * wider)
        return totals

    def _width_ratio(self, so_far: LabelsSoFar, rates: Rates, rows: GoalVariances) -> Floats:
        """By how much this period's intervals are wider than was forecast for the labels they rest on.

        A goal that they could not tell at all is as surprising as any.
        """
        expected = _named(half_widths(self.cells, rates, so_far.drawn, self.survey.confidence, rows.metrics), rows)
        known = _named(so_far.half_widths, rows)
        ratio = np.where(np.isfinite(expected), np.nan_to_num(known, nan=1.0) / np.maximum(expected, 1e-12), 1.0)
        return np.clip(ratio, 1.0 if self._cold else 1 / _LARGEST_SURPRISE, _LARGEST_SURPRISE)

    def _variances(self, variances: Floats, totals: Counts) -> Floats:
        """V_j of a plan: sum_h A_jh (1/n_h - 1/N_h)."""
        sizes = np.maximum(self.cells.stratum_sizes, 1)
        left = np.where(totals > 0, 1 / np.maximum(totals, 1) - 1 / sizes, 1.0)
        return np.asarray(variances @ np.maximum(left, 0), dtype=np.float64)

    def _factor(self, so_far: LabelsSoFar | None, goals: int) -> float:
        if so_far is not None:
            top_up = _TOP_UP + _TOP_UP_A_GOAL * (goals - _FEW_GOALS)
            return max(_COLD_TOP_UP * top_up, _COLD_FACTOR) if self._cold else max(top_up, 1.0)
        if self._cold:
            return _COLD_FACTOR
        return _MODEL_FACTOR if self._model_is_trusted else _ROBUST_FACTOR

    @cached_property
    def _model_is_trusted(self) -> bool:
        return self.cells.memoised("trusted", self.history, lambda: model_is_trusted(self.history))

    def _method(self, so_far: LabelsSoFar) -> str:
        source = "scores" if self._cold else "history"
        if so_far.ordinal > 1 and self._cold:
            source = "the first labels"
        elif not self._cold and self.survey.stop_at_goals:
            source = "the model of history" if self._model_is_trusted else "history, robust"
        what = "margins" if self.survey.stop_at_goals else ALLOCATION
        return f"{what}, from {source}"


def _costs(unknown: Callable[[Counts], Counts], totals: Counts, caps: Counts) -> Floats:
    """What one more label costs in each stratum: the share of items around a plan's last that nobody knows."""
    fewer = np.maximum(np.floor(totals * (1 - _AROUND)).astype(np.int64) - 1, 0)
    more = np.minimum(np.ceil(totals * (1 + _AROUND)).astype(np.int64) + 1, caps)
    share = (unknown(more) - unknown(fewer)) / np.maximum(more - fewer, 1)
    return np.where(more > fewer, np.maximum(share, _CHEAPEST), 1.0)


def _named(widths: Mapping[tuple[str, str], float], rows: GoalVariances) -> Floats:
    """Half-widths in the order of the rows; NaN where there is none."""
    return np.array([widths.get(name, np.nan) for name in rows.names], dtype=np.float64)


def _most(share: Callable[[int], Counts], so_far: LabelsSoFar, most: int, bounds: AllocationBounds) -> Counts:
    """The largest totals whose new labels are at most `most`; labels that are known make bounds for more."""
    totals = share(most)
    labels, reachable = most, int(bounds.upper.sum())
    while (missing := most - so_far.new_label_cost(totals)) > 0 and labels < reachable:
        labels = min(labels + missing, reachable)
        larger = share(labels)
        if so_far.new_label_cost(larger) > most:
            break
        totals = larger
    return totals
