from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Focus, Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.planning import goal_variances
from stratawatch.core.planning.allocation import AllocationBounds, allocate_budget
from stratawatch.core.planning.budget_allocator import BudgetAllocator
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import half_widths_of_plans
from stratawatch.core.planning.goal_variances import RandomSampleGoal
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.random_sample_ratios import goals_held_to_random, plans_within_ratios, ratios_to_random
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.tuning import PLANNER
from tests.support.planned_cells import MADE, PAST

NOTHING = np.zeros(3, dtype=np.int64)
FOR = "false_omission_rate"
SIZES = np.array([1000.0, 3000, 46_000])
RARE_SHARES, OFTEN_SHARES = np.array([0.5, 0.1, 0.001]), np.array([0.8, 0.5, 0.03])
RARE = Cells.of(("a",), ["1", "0", "0"], SIZES, RARE_SHARES)
OFTEN = Cells.of(("a",), ["1", "0", "0"], SIZES, OFTEN_SHARES)
LEAN = np.array([300, 240, 60])
"""A tenth of the labels for nearly all items."""


def by_size(labels, sizes=SIZES):
    return labels * sizes / sizes.sum()


def context(cells=RARE, budget=600, **survey):
    return PlanningContext(cells, SurveySpec(budget=budget, **survey))


def ratios(planned, *plans, labels=600, budget=None):
    goal = RandomSampleGoal(FOR, 450, labels if budget is None else budget, 1.2)
    return ratios_to_random(planned, goal, plans, labels, widths(planned, plans)[FOR])


def widths(planned, plans):
    return half_widths_of_plans(planned.expected, np.stack(plans), 0.95, (FOR,))


def within(planned, *plans, labels=600):
    return plans_within_ratios(planned, plans, labels, widths(planned, plans)).tolist()


def unequal(plan, sizes):
    parts = sizes / sizes.sum()
    return np.sqrt(plan.sum() * (parts**2 / plan).sum())


class TestRatios:
    @pytest.mark.parametrize("labels", [60, 600, 5000])
    @pytest.mark.parametrize("shares", [RARE_SHARES, OFTEN_SHARES], ids=["rare", "often"])
    @pytest.mark.parametrize("patterns", [["1", "0", "0"], ["0", "0", "1"], ["11", "00", "0-"], ["-1", "1-", "00"]])
    def test_labels_by_size_are_a_random_sample(self, patterns, shares, labels):
        """Also of a panel with gaps: a random sample is of all items that somebody has a call for."""
        cells = Cells.of(("a", "b")[: len(patterns[0])], patterns, SIZES, shares)
        assert ratios(context(cells), by_size(labels), labels=labels) == pytest.approx(1, abs=1e-6)

    def test_where_many_mistakes_are_expected_rates_say_where(self):
        """Labels where most misses are make it narrower than labels by size do."""
        assert ratios(context(OFTEN), np.array([20, 180, 700]), labels=900)[0, 0] < 0.96

    def test_where_few_are_they_may_be_anywhere(self):
        assert ratios(context(), LEAN)[0, 0] >= unequal(LEAN[1:], SIZES[1:]) * np.sqrt(49 / 50 * 2) * (1 - 1e-9)

    def test_a_wider_interval_than_unequal_shares_say_is_what_it_is(self):
        """A stratum without a label: half of what it holds may be a miss."""
        plan = np.array([100, 500, 0])
        found = ratios(context(), plan)[0, 0]
        by_shares = np.sqrt(600 * 49 / 50 * ((3 / 49) ** 2 / 500 + (46 / 49) ** 2 / 0.5))
        assert found == pytest.approx(max(by_shares, 0.5 / widths(context(), [by_size(600)])[FOR][0, 0]), rel=1e-6)

    @pytest.mark.parametrize(("mistakes", "part"), [(20, 1.0), (30, 0.5), (40, 0.0)])
    def test_the_more_mistakes_the_less_unequal_shares_count(self, mistakes, part):
        """Rates say that labels are where misses are, and shares of them do not know."""
        planned = context(Cells.of(("a",), ["1", "0", "0"], SIZES, np.array([0.5, 0.3, 0.001])))
        rate = float(planned.rates.rate[1:] @ SIZES[1:] / SIZES[1:].sum())
        plan = np.array([20, 380, 200])
        found = ratios(planned, plan, budget=mistakes / rate / (49 / 50))[0, 0]
        alone = ratios(planned, plan, budget=10**6)[0, 0]
        shares = np.sqrt(600 * 49 / 50 * ((3 / 49) ** 2 / 380 + (46 / 49) ** 2 / 200))
        assert alone < 0.9 * shares
        assert found == pytest.approx(alone * (shares / alone) ** part, rel=1e-6)

    def test_strata_are_weighed_by_what_is_passed_there(self):
        """Stratum 1 holds flagged items, too: a label there is one of a passed item in one case of four."""
        mixed = Cells.of(
            ("a",), ["1", "0", "0"], np.array([3000.0, 1000, 46_000]), RARE_SHARES, strata=np.array([0, 0, 1])
        )
        plan = np.array([300, 300])
        expected = np.sqrt(600 * 47 / 50 * ((1 / 47) ** 2 / (300 / 4) + (46 / 47) ** 2 / 300))
        assert ratios(context(mixed), plan)[0, 0] == pytest.approx(expected, rel=1e-6)

    def test_who_passes_nothing_has_no_width(self):
        everything = Cells.of(("a", "b"), ["10"], np.array([500.0]), np.array([0.8]))
        assert ratios(context(everything), np.array([100]), labels=100)[0, 0] <= 1

    def test_there_is_no_width_where_all_items_are_labelled(self):
        assert bool(np.isfinite(ratios(context(), SIZES, labels=50_000)).all())


class TestPlans:
    def test_a_plan_that_is_too_wide_is_none(self):
        assert within(context(), LEAN, by_size(600)) == [False, True]

    def test_it_is_the_widest_classifier_that_counts(self):
        two = Cells.of(("a", "b"), ["11", "00", "10"], np.array([1000.0, 9000, 40_000]), np.array([0.5, 0.01, 0.01]))
        lean, even = np.array([100, 200, 300]), by_size(600, two.sizes)
        narrow, wide = ratios(context(two), lean)[0]
        assert narrow < 0.8
        assert 1.2 < wide < 1.3
        assert within(context(two), lean, even) == [False, True]

    def test_where_all_are_too_wide_the_nearest_is_one(self):
        assert within(context(), LEAN, np.array([300, 200, 100])) == [False, True]

    @pytest.mark.parametrize("passed", [3, 8000])
    def test_whom_no_plan_can_help_frees_no_other(self, passed):
        """Nobody can be asked about what b passes."""
        two = Cells.of(("a", "b"), ["1-", "-0", "0-"], np.array([1000.0, passed, 46_000]), RARE_SHARES)
        plans = [np.array([540, 0, 60]), np.array([60, 0, 540]), np.array([61, 0, 539])]
        assert within(context(two), *plans) == [False, True, True]

    def test_known_labels_make_no_plan_wider(self):
        """Labels that cost nothing come on top: what they add to one kind of item takes nothing from the others."""
        known = np.array([190, 0, 0])
        assert within(context(), by_size(600) + known, by_size(600)) == [True, True]
        assert ratios(context(), by_size(600) + known)[0, 0] <= 1 + 1e-9

    @pytest.mark.parametrize("survey", [{"budget": 399}, {"goals": (Goal("recall", 0.02),)}])
    def test_few_labels_and_own_goals_ask_for_nothing_of_it(self, survey):
        assert within(context(**survey), LEAN, by_size(600)) == [True, True]

    def test_nor_does_anything_where_earlier_labels_say_where_misses_are(self):
        cold, known = (PlanningContext(MADE, SurveySpec(budget=600), past) for past in (NO_HISTORY, PAST))
        assert goals_held_to_random(cold)
        assert not goals_held_to_random(known)

    def test_labels_that_follow_another_metric_are_free(self):
        assert not goals_held_to_random(context(focus=Focus("a", "precision")))

    def test_a_plan_keeps_the_bound_where_it_did_not(self, monkeypatch):
        planned = context()
        assert ratios(planned, total_plan()).max() <= PLANNER.many_held_to_random[1]
        monkeypatch.setattr(goal_variances, "PLANNER", replace(PLANNER, few_held_to_random=(601, 2.0)))
        assert ratios(planned, total_plan()).max() > 1.04 * PLANNER.many_held_to_random[1]

    def test_three_quarters_by_size_are_enough(self):
        """The widest floor that is within the bound; with it precision is narrower than with the next one."""
        aim, bounds = context().variances, AllocationBounds(NOTHING, context().drawable)
        chosen = allocate_budget(RARE, aim, 600, bounds, PLANNER.floor_held_to_random)
        assert total_plan().tolist() == chosen.tolist()
        assert within(context(), allocate_budget(RARE, aim, 600, bounds, 0.6), chosen) == [False, True]

    def test_so_do_the_rounds_of_a_cold_cycle(self):
        planned = context()
        planner = RoundPlanner(RARE, planned.survey)
        first = planner.totals(labels_so_far(1, NOTHING), planned.drawable)
        first_answers = labels_so_far(2, first)
        totals = planner.totals(first_answers, planned.drawable)
        assert totals.sum() == 600
        assert ratios(planned.after(first_answers), totals).max() <= PLANNER.many_held_to_random[1]


def total_plan():
    planned = context()
    return BudgetAllocator(planned).best(600, AllocationBounds(NOTHING, planned.drawable))


def labels_so_far(ordinal, totals):
    return LabelsSoFar(ordinal, totals, totals.astype(np.float64), np.round(totals * [0.5, 0.1, 0.0]))
