"""Plan the rounds of a cycle: which round it is, what budget it has, and whether margins or the budget decide."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.plan import LOOKS_HARDER, Plan
from stratawatch.core.planning.allocation import ALLOCATION, AllocationBounds
from stratawatch.core.planning.borrowed_allocator import BorrowedAllocator, borrowed_half_widths
from stratawatch.core.planning.budget_allocator import BudgetAllocator
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import expected_half_widths
from stratawatch.core.planning.expected_rates import rates_without_scores
from stratawatch.core.planning.focus import focused_goals
from stratawatch.core.planning.goal_variances import GoalVariances
from stratawatch.core.planning.known_labels import known_labels
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.margin_allocator import MarginAllocator
from stratawatch.core.planning.round_sizes import first_round_labels, most_rounds
from stratawatch.core.population import Counts
from stratawatch.core.tuning import PLANNER


@dataclass(frozen=True)
class RoundPlanner:
    """Plans the rounds of one population, survey and history.

    With a history there is one round, for goals one or two more that top up where intervals are still too wide. Without
    one, a first round learns what later ones follow.
    """

    cells: Cells
    survey: SurveySpec
    history: History = NO_HISTORY

    @cached_property
    def context(self) -> PlanningContext:
        """What plans rest on before any label of this period."""
        return PlanningContext(self.cells, self.survey, self.history)

    def total_plan(self) -> Counts:
        """What the whole cycle is expected to draw, before any label of its own; labels that are known cost nothing."""
        nothing = self.before_any_label
        for_goals = self._total_for_goals(nothing)
        if for_goals is not None:
            return for_goals
        return self.total_plan_within(self._bounds_of_all())

    def total_plan_within(self, bounds: AllocationBounds) -> Counts:
        """What a cycle that spends the budget would draw if it drew no stratum less, nor more, than so."""
        return BudgetAllocator(self.context).spend(self.before_any_label, self._budget, bounds, two_phase=False)

    def max_totals(self) -> Counts:
        """The most that any plan of the whole cycle would draw from each stratum."""
        for_goals = self._total_for_goals(replace(self.before_any_label, costs=None))
        if for_goals is None:
            plans = BudgetAllocator(self.context).plans(self._budget, self._bounds_of_all())
            most = np.asarray(np.max(plans, axis=0), dtype=np.int64)
        else:
            most = for_goals
        if not self.survey.stop_at_goals or self.context.has_history:
            return most
        return np.maximum(most, np.maximum(self._by_size(int(most.sum())), self._without_scores()))

    def goals_without_scores(self) -> Counts:
        """The labels that the goals need if scores say nothing, whatever the budget is."""
        context = replace(self.context, assumed_rates=rates_without_scores(self.cells))
        return MarginAllocator(context).totals(self._bounds_of_all())

    def plan(self, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The next round; a plan that adds nothing to what is drawn means: done."""
        context = self.context.after(so_far)
        totals, exhausted = self._within_pools(context, so_far, pools)
        return Plan(
            totals=tuple(totals.tolist()),
            half_widths=self.half_widths(context, totals),
            method=self._method(so_far, totals),
            exhausted=tuple(exhausted.tolist()),
        )

    def totals(self, so_far: LabelsSoFar, pools: Counts) -> Counts:
        """The totals of `plan` without its expected half-widths, which take longer than they do: for simulations."""
        return self._within_pools(self.context.after(so_far), so_far, pools)[0]

    def half_widths(self, context: PlanningContext, totals: Counts) -> dict[tuple[str, str], float]:
        """The half-widths that a plan is expected to give, by (classifier, metric)."""
        found = expected_half_widths(context.expected, totals, self.survey.confidence)
        borrowed = borrowed_half_widths(context, totals)
        return found | {name: width for name, width in borrowed.items() if name in found}

    @cached_property
    def before_any_label(self) -> LabelsSoFar:
        """A cycle that has drawn nothing yet, with the labels that are known before it."""
        nothing = np.zeros(len(self.cells.sizes))
        drawn = np.zeros_like(self.context.drawable)
        return LabelsSoFar(1, drawn, nothing, nothing, costs=known_labels(self.cells, self.history))

    def _total_for_goals(self, nothing: LabelsSoFar) -> Counts | None:
        """The labels that the goals need, known ones included; None where a budget decides."""
        if not self.survey.stop_at_goals:
            return None
        bounds = self._bounds_of_all()
        if self.context.variance_priors:
            needed = self._looking_harder(lambda plans: plans.in_all(nothing, bounds), nothing)
        else:
            needed = MarginAllocator(self.context).cheapest_with_reuse(nothing, bounds)
        if self.context.has_history:
            needed = self._with_focus(needed, bounds)
        else:
            needed = np.maximum(needed, self._pilot(self.context, bounds))
        return needed if self.survey.budget is None or nothing.new_label_cost(needed) <= self.survey.budget else None

    def _by_size(self, labels: int) -> Counts:
        """So many labels, or a large first round, in proportion to size."""
        drawable = self.context.drawable
        most = max(labels, PLANNER.pilot_labels[1])
        if self.survey.budget is not None:
            most = min(most, self.survey.budget)
        part = most / max(int(drawable.sum()), 1)
        return np.asarray(np.minimum(np.ceil(part * drawable), drawable), dtype=np.int64)

    def _without_scores(self) -> Counts:
        """Where labels go if scores turn out to say nothing, or as much of it as the budget pays for."""
        totals = self.goals_without_scores()
        part = min(self._budget / max(int(totals.sum()), 1), 1.0)
        return np.asarray(np.ceil(part * totals), dtype=np.int64)

    def _bounds_of_all(self) -> AllocationBounds:
        return AllocationBounds(np.zeros_like(self.context.drawable), self.context.drawable)

    @property
    def _budget(self) -> int:
        return int(self.context.drawable.sum()) if self.survey.budget is None else self.survey.budget

    def _within_pools(self, context: PlanningContext, so_far: LabelsSoFar, pools: Counts) -> tuple[Counts, Counts]:
        """Totals that the pools can give, and the strata whose pool could not give what the plan asked for."""
        totals = self._totals(context, so_far, context.drawable)
        exhausted = np.flatnonzero(totals > pools)
        if exhausted.size:
            totals = self._totals(context, so_far, np.minimum(context.drawable, pools))
        return totals, exhausted

    def _totals(self, context: PlanningContext, so_far: LabelsSoFar, caps: Counts) -> Counts:
        bounds = AllocationBounds(so_far.drawn, caps)
        if not self.survey.stop_at_goals:
            return self._spend(context, so_far, bounds)
        needed = self._for_goals(context, so_far, bounds)
        return needed if so_far.new_label_cost(needed) <= self._budget else self._spend(context, so_far, bounds)

    def _spend(self, context: PlanningContext, so_far: LabelsSoFar, bounds: AllocationBounds) -> Counts:
        """Totals whose new labels are the budget's, or its first part's; labels that are there already cost nothing."""
        later, cold = so_far.ordinal > 1, not context.has_history
        if later and not cold and not self.survey.stop_at_goals and not self._first_round_was_pilot(so_far):
            return so_far.drawn
        budget = first_round_labels(self._budget) if cold and not later else self._budget
        return BudgetAllocator(context).spend(so_far, budget, bounds, two_phase=cold and later)

    def _first_round_was_pilot(self, so_far: LabelsSoFar) -> bool:
        """Whether the first round drew no more than one without a history: labels came in the moment it opened."""
        return self._budget > so_far.new_label_cost(so_far.drawn) <= first_round_labels(self._budget)

    def _for_goals(self, context: PlanningContext, so_far: LabelsSoFar, bounds: AllocationBounds) -> Counts:
        borrows = bool(context.variance_priors)
        rounds = 2 if context.has_history and not borrows else most_rounds(self.survey)
        if so_far.ordinal > 1:
            is_over = so_far.ordinal > rounds or _goals_hold(context.variances, so_far)
            return so_far.drawn if is_over else self._top_up(context, so_far, bounds, rounds)
        if not context.has_history and rounds > 1:
            return self._pilot(context, bounds)
        if borrows:
            first = self._looking_harder(lambda plans: plans.first_with_reuse(so_far, bounds), so_far)
        else:
            first = MarginAllocator(context).cheapest_with_reuse(so_far, bounds)
        return self._with_focus(first, bounds)

    def _looking_harder(self, planned: Callable[[BorrowedAllocator], Counts], so_far: LabelsSoFar) -> Counts:
        """A plan that looks harder for misses where calls vanished, or one that does not where a budget ends before."""
        harder = planned(self._borrowed)
        if not self._borrowed.looks_harder or so_far.new_label_cost(harder) <= self._budget:
            return harder
        return planned(replace(self._borrowed, may_look_harder=False))

    def _top_up(self, context: PlanningContext, so_far: LabelsSoFar, bounds: AllocationBounds, rounds: int) -> Counts:
        """What a round after the first adds, of so many."""
        if context.variance_priors:
            return self._borrowed.top_up(so_far, bounds)
        margins = MarginAllocator(context)
        needed = margins.cheapest_with_reuse(so_far, bounds, top_up=so_far)
        if context.has_history or so_far.ordinal == rounds or bool((needed > so_far.drawn).any()):
            return needed
        # A middle round asks for less than is thought to be needed. Where that is nothing, no round would follow it.
        last = replace(so_far, ordinal=rounds)
        return margins.cheapest_with_reuse(last, bounds, top_up=last)

    def looks_harder(self, totals: Counts) -> bool:
        """Whether this plan of a first round has more labels for misses because calls vanished."""
        return bool(self.context.variance_priors) and self._borrowed.looks_harder and self._borrowed.has_floors(totals)

    @property
    def _borrowed(self) -> BorrowedAllocator:
        return BorrowedAllocator(self.context, most_rounds(self.survey))

    def _with_focus(self, needed: Counts, bounds: AllocationBounds) -> Counts:
        """What the goals need, and a part on top of it for the focus: no stratum gets less, so no interval is wider."""
        extra = int(PLANNER.focus_extra * int(needed.sum())) if self.survey.focus else 0
        most = int(bounds.upper.sum()) if self.survey.budget is None else self.survey.budget
        labels = min(int(needed.sum()) + extra, most)
        if labels <= int(needed.sum()):
            return needed
        focused = replace(self.context, survey=replace(self.survey, goals=focused_goals(self.survey)))
        return BudgetAllocator(focused).best(labels, AllocationBounds(needed, bounds.upper))

    def _pilot(self, context: PlanningContext, bounds: AllocationBounds) -> Counts:
        """A first round that has only scores to go by: a part of what they ask for, neither tiny nor huge."""
        part = PLANNER.first_share if most_rounds(self.survey) < 3 else PLANNER.pilot_share
        share = part * float(MarginAllocator(context).totals(bounds).sum())
        most = self._budget if self.survey.budget is None else first_round_labels(self._budget)
        return BudgetAllocator(context).best(min(int(np.clip(share, *PLANNER.pilot_labels)), most), bounds)

    def _method(self, so_far: LabelsSoFar, totals: Counts) -> str:
        if not self.context.has_history:
            source = "the first labels" if so_far.ordinal > 1 else "scores"
        elif not self.survey.stop_at_goals:
            source = "history"
        else:
            source = "the model of history" if self.context.model_is_trusted else "history, robust"
            if so_far.ordinal == 1 and self.looks_harder(totals):
                source += f"; {LOOKS_HARDER}"
        return f"{'margins' if self.survey.stop_at_goals else ALLOCATION}, from {source}"


def _goals_hold(goals: GoalVariances, so_far: LabelsSoFar) -> bool:
    """Whether every goal holds that labels can tell: of what calls nothing positive precision is no goal."""
    widths = np.array([so_far.half_widths.get(name, np.inf) for name in goals.names])
    return bool(((widths <= goals.margins) | ~goals.coefficients.any(axis=1)).all())
