"""Spend a budget of labels where it narrows the reported intervals most."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.planning.allocation import AllocationBounds, allocate_budget, second_round_allocation
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import WIDEST, half_widths_of_plans
from stratawatch.core.planning.goal_variances import GoalVariances, RandomSampleGoal
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.random_sample_ratios import goals_held_to_random, plans_within_ratios
from stratawatch.core.population import Counts
from stratawatch.core.tuning import PLANNER

# What plans for other goals than the survey's have to gain.
_CLEARLY_BETTER = 1.05


def affordable_totals(totals: Callable[[int], Counts], so_far: LabelsSoFar, budget: int, most: int) -> Counts:
    """The totals of as many labels, known ones included, as a budget of new ones pays for.

    `totals` shares a number of labels out among the strata; more than `most` there are not.
    """
    labels = min(budget, most)
    found = totals(labels)
    while labels < most and (left := budget - so_far.new_label_cost(found)) > 0:
        labels = min(labels + left, most)
        more = totals(labels)
        if so_far.new_label_cost(more) > budget:
            # Whole numbers: a label more may take one from a stratum where it was free.
            break
        found = more
    return found


@dataclass(frozen=True)
class BudgetAllocator:
    """Plans of a given number of labels; among several that differ in their floors, the best by its intervals."""

    context: PlanningContext

    def plans(self, labels: int, bounds: AllocationBounds) -> list[Counts]:
        """Plans of so many labels, known ones included, one for each floor and for all that plans may aim at."""
        cells = self.context.cells
        floors = self._floors
        return [allocate_budget(cells, aim, labels, bounds, floor) for aim in self._aims(labels) for floor in floors]

    def best(self, labels: int, bounds: AllocationBounds) -> Counts:
        """The best plan of so many labels, known ones included."""
        return self._best_by_interval(self.plans(labels, bounds), labels)

    def spend(self, so_far: LabelsSoFar, budget: int, bounds: AllocationBounds, *, two_phase: bool) -> Counts:
        """The best totals whose new labels are the budget's; `two_phase` keeps a part of the first round's shares."""
        share, most = second_round_allocation if two_phase else allocate_budget, int(bounds.upper.sum())

        def plan(aim: GoalVariances, floor: float | None) -> Counts:
            def totals(labels: int) -> Counts:
                return share(self.context.cells, aim, labels, bounds, floor)

            return affordable_totals(totals, so_far, budget, most)

        plans = [plan(aim, floor) for aim in self._aims(budget) for floor in self._floors]
        return self._best_by_interval(plans, budget)

    def _aims(self, labels: int) -> tuple[GoalVariances, ...]:
        """What plans are made for, to choose among: the goals and, where they are others, the usual ones.

        Variances alone say little of a metric's other side where mistakes are rare: for recall they leave two labels to
        what is called positive, and the interval is then wider than that of a plan which knows precision too.
        """
        own = self.context.variances
        is_usual = any(isinstance(goal, RandomSampleGoal) for goal in self.context.goals)
        return (own,) if is_usual else (own, self.context.usual_variances(labels))

    def _best_by_interval(self, plans: Sequence[Counts], labels: int) -> Counts:
        """The plan with the least sum of (half-width/margin)^2 by the intervals that will be reported.

        It is one of those that leave FOR not much wider than random labels would, where the goals ask for that.

        Variances alone would put as few labels as floors allow where errors are rare; a label that stands for very
        many items then widens the interval by more than the variances say.
        """
        context, variances = self.context, self.context.variances
        curves = half_widths_of_plans(context.expected, np.stack(plans), context.survey.confidence, variances.metrics)
        places = [(metric, context.cells.classifiers.index(classifier)) for classifier, metric in variances.names]
        widths = np.array([np.minimum(curves[metric][:, place], WIDEST) for metric, place in places])
        scores = ((widths.T / variances.margins) ** 2).sum(axis=1)
        # What a guess of rates says is less than a twentieth better is not: the goals' own plans go first.
        scores[len(self._floors) :] *= _CLEARLY_BETTER
        within = plans_within_ratios(context, plans, labels, curves)
        return plans[int(np.where(within, scores, np.inf).argmin())]

    @property
    def _floors(self) -> tuple[float | None, ...]:
        """Floors among which plans choose; None is the usual one."""
        more = (PLANNER.floor_held_to_random,) if goals_held_to_random(self.context) else ()
        return (None, *PLANNER.higher_floors, *more)
