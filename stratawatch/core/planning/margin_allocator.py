"""Allocate as many labels as bring every goal's interval within its margin."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.planning.allocation import AllocationBounds, Floors, allocate_for_margins
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import expected_half_widths
from stratawatch.core.planning.goal_variances import GoalVariances, goal_gradients
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.reused_labels import cheapest_with_reuse
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import PLANNER


@dataclass(frozen=True)
class _MarginProblem:
    """What the goals' variances are multiplied with, and by how much intervals were wider than expected so far."""

    bounds: AllocationBounds
    factor: float
    width_ratio: Floats


@dataclass(frozen=True)
class MarginAllocator:
    """Plans for margins: the solver knows variances alone, the reported intervals are wider than those say."""

    context: PlanningContext

    def totals(
        self, bounds: AllocationBounds, top_up: LabelsSoFar | None = None, costs: Floats | None = None
    ) -> Counts:
        """Totals for the margins as the reporting interval will see them: plan, compute its widths, plan again.

        `top_up`: labels of this period, whose intervals say how far the expected ones are off; None in plans that
        need none. Without a history, which would say what to expect of errors that no label has met, the plan is the
        cheapest of several that differ in how much is drawn in proportion to size.
        """
        problem = self._problem(bounds, top_up)
        if not self.context.has_history:
            plans = [self._iterate_to_margins(problem, share, costs) for share in PLANNER.proportional_shares]
            return min(plans, key=lambda totals: int(totals.sum()))
        by_model = top_up is None and self.context.model_is_trusted
        return self._iterate_to_margins(problem, PLANNER.proportional_share_with_model if by_model else 0.0, costs)

    def cheapest_with_reuse(
        self, so_far: LabelsSoFar, bounds: AllocationBounds, top_up: LabelsSoFar | None = None
    ) -> Counts:
        """Totals for the margins that ask people about the fewest items."""
        return cheapest_with_reuse(lambda costs: self.totals(bounds, top_up, costs), so_far, bounds.upper)

    def _problem(self, bounds: AllocationBounds, top_up: LabelsSoFar | None) -> _MarginProblem:
        goals = len(self.context.variances.names)
        ratio = np.ones(goals) if top_up is None else self._width_ratio(top_up)
        return _MarginProblem(bounds, self._factor(goals, top_up), ratio)

    def _iterate_to_margins(self, problem: _MarginProblem, proportional: float, costs: Floats | None) -> Counts:
        """Plan for limits on variances, and correct these by how much wider the plan's intervals are than its errors.

        Intervals are z times the standard error only where labels are many. Near 0 and 1, and where single labels
        weigh much, they are wider, by a factor that depends on the plan itself: hence the passes.
        """
        context, variances = self.context, self.context.variances
        confidence, coefficients = context.survey.confidence, problem.factor * variances.coefficients
        widening, totals = problem.width_ratio, problem.bounds.lower
        least = PLANNER.min_labels_for_margins if context.has_history else PLANNER.cold_min_labels
        shares = Floors(least, proportional)
        for _ in range(PLANNER.margin_passes + 1):
            limits = (variances.margins / (normal_quantile(confidence) * widening)) ** 2
            totals = allocate_for_margins(context.cells, coefficients, limits, problem.bounds, shares, costs)
            widths = _in_order(expected_half_widths(context.expected, totals, confidence, variances.metrics), variances)
            errors = normal_quantile(confidence) * np.sqrt(self._achieved(coefficients, totals) / problem.factor)
            wider = problem.width_ratio * np.where(
                np.isfinite(widths) & (errors > 0), widths / np.maximum(errors, 1e-12), 1.0
            )
            # The geometric mean of both: where margins are wide, the plan after a plan that is too large is too
            # small, and the two would take turns for ever.
            widening = np.sqrt(widening * wider)
        return totals

    def _width_ratio(self, so_far: LabelsSoFar) -> Floats:
        """By how much this period's intervals are wider than was expected for the labels they rest on.

        A goal whose metric they leave undefined is as far off as any. Without a history a surprise counts by the labels
        behind it: the width of an interval that rests on two rare labels says little of the next one.
        """
        context, variances = self.context, self.context.variances
        forecast = expected_half_widths(context.expected, so_far.drawn, context.survey.confidence, variances.metrics)
        expected, reported = _in_order(forecast, variances), _in_order(so_far.half_widths, variances)
        ratio = np.where(np.isfinite(expected), np.nan_to_num(reported, nan=1.0) / np.maximum(expected, 1e-12), 1.0)
        if context.has_history:
            return np.clip(ratio, 1 / PLANNER.max_width_ratio, PLANNER.max_width_ratio)
        rarer = self._rarer_labels_behind(so_far)
        believed = np.clip(ratio, *PLANNER.cold_width_ratio) ** (rarer / (rarer + PLANNER.surprise_labels))
        return np.where(np.isfinite(reported), believed, PLANNER.max_width_ratio)

    def _rarer_labels_behind(self, so_far: LabelsSoFar) -> Floats:
        """How many labels of equal weight would tell as much of each goal's variance: of each cell, the rarer kind.

        (sum of squares)^2 / sum of their squares, as a few labels that stand for very many items make most of it. Of a
        cell with one label none is rarer: where cells are many and small, less is believed.
        """
        context, cells = self.context, self.context.cells
        rarer = np.minimum(so_far.positives, so_far.labelled - so_far.positives)
        stands_for = (cells.stratum_sizes / np.maximum(so_far.drawn, 1))[cells.strata]
        squares = (goal_gradients(cells, context.goals, context.rates).gradients * stands_for) ** 2
        spread = (squares**2 * rarer).sum(axis=1)
        labels = (squares * rarer).sum(axis=1) ** 2 / np.where(spread > 0, spread, 1.0)
        return np.asarray(labels, dtype=np.float64)

    def _achieved(self, coefficients: Floats, totals: Counts) -> Floats:
        """V_j of a plan: sum_h A_jh (1/n_h - 1/N_h); a stratum without labels counts as one with a single label."""
        sizes = np.maximum(self.context.cells.stratum_sizes, 1)
        left = np.where(totals > 0, 1 / np.maximum(totals, 1) - 1 / sizes, 1.0)
        return np.asarray(coefficients @ np.maximum(left, 0), dtype=np.float64)

    def _factor(self, goals: int, top_up: LabelsSoFar | None) -> float:
        """What expected variances are multiplied with, by what they rest on and by what comes after."""
        if not self.context.has_history:
            if top_up is None:
                return PLANNER.pilot_variance_factor
            is_last = top_up.ordinal >= most_rounds(self.context.survey)
            return PLANNER.cold_last_factor if is_last else PLANNER.cold_middle_factor
        if top_up is None:
            return 1.0
        return max(PLANNER.top_up_factor + PLANNER.top_up_factor_per_goal * (goals - PLANNER.top_up_goals), 1.0)


def _in_order(widths: Mapping[tuple[str, str], float], variances: GoalVariances) -> Floats:
    """Half-widths in the order of the goals; NaN where there is none."""
    return np.array([widths.get(name, np.nan) for name in variances.names], dtype=np.float64)
