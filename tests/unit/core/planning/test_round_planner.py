from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.planning.allocation import AllocationBounds, allocate_budget
from stratawatch.core.planning.budget_allocator import BudgetAllocator
from stratawatch.core.planning.expected_precision import ExpectedTotals, expected_half_widths
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, goal_variances
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.planning.round_sizes import first_round_labels
from stratawatch.core.tuning import PLANNER
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples
from tests.support.past_labels import curve, drawn
from tests.support.planned_cells import (
    MADE,
    PAST,
    PATTERNS,
    SCORES,
    SERVED,
    SIZES,
    WHOLE,
    goals,
    known_at_first,
    new_labels,
    so_far,
    until,
)

DOUBTED = replace(PAST, ratios={1: {"precision": 1.0, "recall": 9.0}})


MARGINS = (("precision", 0.03), ("recall", 0.05))


def first(survey, history=NO_HISTORY, pools=WHOLE):
    return RoundPlanner(MADE, survey, history).plan(so_far(1), pools)


def second(survey, before, history=NO_HISTORY, pools=WHOLE, **more):
    return RoundPlanner(MADE, survey, history).plan(so_far(2, before.totals, **more), pools)


class TestBudget:
    @pytest.mark.parametrize("budget", [40, 300, 5000])
    def test_without_history_two_fifths_come_first_and_then_the_rest(self, budget):
        one = first(SurveySpec(budget=budget))
        two = second(SurveySpec(budget=budget), one)
        assert (one.labels, two.labels) == (first_round_labels(budget), budget)
        assert all(after >= before for before, after in zip(one.totals, two.totals, strict=True))
        assert (one.method, two.method) == ("sum_of_squares, from scores", "sum_of_squares, from the first labels")

    def test_a_small_budget_is_drawn_at_once(self):
        assert first(SurveySpec(budget=39)).labels == 39

    def test_with_history_one_draw_spends_it_and_a_second_plan_adds_nothing(self):
        one = first(SurveySpec(budget=300), PAST)
        assert one.labels == 300
        assert one.method == "sum_of_squares, from history"
        assert second(SurveySpec(budget=300), one, PAST).totals == one.totals

    def test_a_history_that_comes_after_the_first_draw_leaves_no_budget_unspent(self):
        """Labels that arrive in the very moment in which a cycle opens are not there for its first round."""
        one = first(SurveySpec(budget=300))
        two = second(SurveySpec(budget=300), one, PAST)
        assert (one.labels, two.labels) == (first_round_labels(300), 300)

    def test_a_short_history_is_none(self):
        short = drawn(curve(), np.random.default_rng(1), each=199)
        assert first(SurveySpec(budget=300), short).totals == first(SurveySpec(budget=300)).totals

    def test_more_than_there_is_takes_everything_that_serves_anyone(self):
        one = first(SurveySpec(budget=10**6))
        assert one.labels == SERVED
        assert one.totals[-1] == 0

    def test_goals_decide_where_labels_go(self):
        narrow, wide = (
            sum(first(SurveySpec((Goal("precision", p), Goal("recall", r)), 300), PAST).totals[6:])
            for p, r in [(0.02, 0.2), (0.2, 0.02)]
        )
        assert narrow > wide

    def test_the_first_labels_move_the_rest(self):
        """A stratum of score .07 whose labels turn out half yes has more to tell than one of all no."""
        survey = SurveySpec(budget=600)
        one = first(survey)
        quiet = so_far(2, one.totals)
        loud, silent = (
            replace(
                quiet, positives=np.where(np.arange(MADE.stratum_count) == 3, share * quiet.labelled, quiet.positives)
            )
            for share in (0.5, 0.0)
        )
        more, fewer = (RoundPlanner(MADE, survey).totals(each, WHOLE)[3] for each in (loud, silent))
        assert more > 1.2 * fewer


class TestTheNarrowest:
    """A plan that spends a budget is the one of several whose expected intervals are narrowest."""

    def widths(self, totals, rates, aims):
        found = expected_half_widths(ExpectedTotals.of(MADE, rates), totals, 0.95, aims.metrics)
        return sum((found.get(name, 0.5) / margin) ** 2 for name, margin in zip(aims.names, aims.margins, strict=True))

    @pytest.mark.parametrize("budget", [100, 300, 1000])
    @pytest.mark.parametrize("goals", [(), (Goal("recall", 0.05),), (Goal("false_omission_rate", 0.01),)])
    def test_no_floor_would_give_narrower_intervals(self, budget, goals):
        planner, rates = RoundPlanner(MADE, SurveySpec(goals, budget=budget)), prior_rates(MADE)
        room = AllocationBounds(np.zeros_like(WHOLE), planner.context.drawable)
        aims = goal_variances(MADE, planner.context.goals, rates)
        plans = [allocate_budget(MADE, aims, budget, room, floor) for floor in (None, *PLANNER.higher_floors)]
        least = min(self.widths(plan, rates, aims) for plan in plans)
        assert self.widths(planner.total_plan(), rates, aims) <= least * (1 + 1e-12)

    def test_a_label_that_stands_for_very_many_items_is_worth_a_higher_floor(self):
        """30,000 items that hold next to no positives: variances alone would let each label stand for a hundred."""
        made = Cells.of(("a",), ["0", "0", "1"], np.array([30_000.0, 2000, 2000]), np.array([5e-5, 0.1, 0.8]))
        room = AllocationBounds(np.zeros(3, dtype=np.int64), made.stratum_sizes.astype(np.int64))
        usual = allocate_budget(made, goal_variances(made, DEFAULT_GOALS, prior_rates(made)), 1000, room)
        assert RoundPlanner(made, SurveySpec(budget=1000)).total_plan()[0] > 1.5 * usual[0]

    def test_pools_hold_what_any_of_the_plans_would_draw(self):
        planner = RoundPlanner(MADE, SurveySpec(budget=300))
        assert bool(np.all(planner.max_totals() >= planner.total_plan()))
        assert planner.max_totals().sum() > 300


class TestPoolsForGoals:
    """What a first cycle freezes has to serve plans that its labels will make, whatever scores say."""

    @pytest.mark.parametrize("margin", [0.02, 0.05])
    def test_they_hold_what_is_needed_if_scores_say_nothing(self, margin):
        planner = RoundPlanner(MADE, until(margin))
        needed = planner.goals_without_scores()
        assert bool(np.all(planner.max_totals() >= needed))
        assert bool((needed > 2 * planner.total_plan()).any())

    def test_what_nobody_judged_holds_none_of_what_is_missed(self):
        judged = Cells.of(("a",), ("0", "1", "-"), np.array([9500.0, 500, 0]), np.full(3, np.nan))
        needed = [
            RoundPlanner(replace(judged, sizes=np.array([9500.0, 500, more])), until(0.05)).goals_without_scores()
            for more in (0.0, 30_000.0)
        ]
        assert needed[0].tolist()[:2] == needed[1].tolist()[:2]
        assert needed[1][2] == 0

    def test_they_are_no_larger_for_what_no_budget_pays_for(self):
        most = RoundPlanner(MADE, replace(until(0.02), budget=400)).max_totals()
        assert most.sum() < 0.3 * RoundPlanner(MADE, until(0.02)).max_totals().sum()

    def test_those_of_a_budget_that_is_spent_know_no_such_guess(self):
        survey = SurveySpec((Goal("recall", 0.02),), budget=300)
        planner = RoundPlanner(MADE, survey)
        plans = BudgetAllocator(planner.context).plans(300, planner._bounds_of_all())
        assert planner.max_totals().tolist() == np.max(plans, axis=0).tolist()


class TestUntilGoals:
    @pytest.mark.parametrize("margin", [0.02, 0.04, 0.06])
    @pytest.mark.parametrize("history", [PAST, DOUBTED], ids=["trusted", "doubted"])
    def test_with_history_the_first_draw_is_forecast_to_hold_the_margins(self, margin, history):
        """And not by much: the widest interval is as wide as it may be."""
        plan = first(until(margin), history)
        widest = max(plan.half_widths[name, goal.metric] for name in "ab" for goal in goals(margin))
        assert widest == pytest.approx(margin, rel=0.01)

    def test_a_goal_of_one_classifier_needs_fewer_labels(self):
        everyone, one = until(0.05), SurveySpec((Goal("recall", 0.05, classifiers=("a",)),), stop_at_goals=True)
        assert first(one, PAST).labels < first(everyone, PAST).labels

    def test_without_goals_the_usual_margins_count(self):
        usual = SurveySpec((Goal("precision", 0.03), Goal("recall", 0.05)), stop_at_goals=True)
        assert first(SurveySpec(stop_at_goals=True), PAST).totals == first(usual, PAST).totals

    def test_the_model_is_taken_at_its_word_while_it_is_trusted(self):
        trusted, doubted = first(until(0.05), PAST), first(until(0.05), DOUBTED)
        assert trusted.method == "margins, from the model of history"
        assert doubted.method == "margins, from history, robust"
        assert trusted.labels < doubted.labels

    def test_a_trusted_model_still_leaves_every_stratum_a_part_of_its_share(self):
        """Precision asks nothing of the quiet; 15% by size of what the goals alone need go there all the same."""
        survey = SurveySpec((Goal("precision", 0.02),), stop_at_goals=True)
        totals = np.array(first(survey, PAST).totals)
        needed = totals[6:].sum()
        assert totals[0] >= 0.15 * 0.9 * needed * WHOLE[0] / SERVED > 30

    def test_every_served_stratum_gets_four_labels(self):
        assert min(first(until(0.5), PAST).totals[:-1]) >= 4

    def test_goals_that_hold_need_nothing_more(self):
        one = first(until(0.05), PAST)
        narrow = {(name, goal.metric): 0.05 for name in "ab" for goal in goals(0.05)}
        assert second(until(0.05), one, PAST, half_widths=narrow).totals == one.totals
        cold = first(until(0.05))
        assert second(until(0.05), cold, half_widths=narrow).totals == cold.totals

    @pytest.mark.parametrize("history", [NO_HISTORY, PAST, DOUBTED], ids=["cold", "trusted", "doubted"])
    def test_goals_that_are_short_add_labels(self, history):
        one = first(until(0.05), history)
        wide = {(name, goal.metric): 0.06 for name in "ab" for goal in goals(0.05)}
        two = second(until(0.05), one, history, half_widths=wide)
        assert two.labels > one.labels
        assert all(after >= before for before, after in zip(one.totals, two.totals, strict=True))

    def test_a_metric_that_was_not_told_does_not_hold(self):
        one = first(until(0.05))
        some = {(name, "precision"): 0.01 for name in "ab"}
        assert second(until(0.05), one, half_widths=some).labels > one.labels

    def test_the_wider_intervals_came_the_more_labels_are_added(self):
        """A half-width that came out a fifth wider than was forecast needs about 1.44 times the labels."""
        one = first(until(0.05), PAST)
        forecast = {key: width for key, width in one.half_widths.items() if key[1] in ("precision", "recall")}
        sums = [
            second(until(0.05), one, PAST, half_widths={key: by * width for key, width in forecast.items()}).labels
            for by in (1.05, 1.2, 1.4)
        ]
        assert sums == sorted(sums)
        assert 1.3 * one.labels < sums[1] < 1.65 * one.labels

    def test_margins_that_cannot_be_held_take_everything(self):
        """A margin of a millionth is a census."""
        assert first(until(1e-6), PAST).labels == SERVED
        cold = first(until(1e-6))
        assert second(until(1e-6), cold).labels == SERVED

    def test_a_budget_that_is_too_small_for_the_goals_is_spent(self):
        plan = first(until(0.02, budget=300), PAST)
        assert plan.labels == 300
        least = first(until(0.05), PAST).labels
        assert first(until(0.05, budget=least - 1), PAST).labels == least - 1
        one = first(until(0.02, budget=1500))
        two = second(until(0.02, budget=1500), one)
        assert (one.labels, two.labels) == (600, 1500)

    @pytest.mark.parametrize(("budget", "pilot"), [(30, 30), (150, 60), (700, 280)])
    def test_a_budget_that_is_small_is_split_as_a_budget_is(self, budget, pilot):
        one = first(until(0.02, budget=budget))
        assert one.labels == pilot
        assert second(until(0.02, budget=budget), one).labels == budget

    def test_a_budget_that_is_large_enough_changes_nothing(self):
        assert first(until(0.05, budget=10**5), PAST).totals == first(until(0.05), PAST).totals

    def test_after_a_history_a_short_goal_may_spend_what_the_budget_has_left(self):
        wanted = first(until(0.05), PAST).labels
        survey = until(0.05, budget=wanted + 40)
        one = first(survey, PAST)
        wide = {(name, goal.metric): 0.2 for name in "ab" for goal in goals(0.05)}
        assert one.labels == wanted
        assert second(survey, one, PAST, half_widths=wide).labels == wanted + 40


class TestPilot:
    @pytest.mark.parametrize("margin", [0.5, 0.3, 0.1, 0.06, 0.04, 0.01])
    @pytest.mark.parametrize(("rounds", "share"), [(2, 0.4), (3, 0.3)])
    def test_is_a_part_of_what_is_planned_within_200_and_1000(self, margin, rounds, share):
        survey = replace(until(margin), rounds=rounds)
        planned = RoundPlanner(MADE, survey).total_plan().sum()
        wanted = np.clip(int(share * planned), PLANNER.pilot_labels[0], PLANNER.pilot_labels[1])
        assert first(survey).labels == wanted

    def test_takes_all_of_a_small_population(self):
        small = Cells.of(("a",), ["0", "1"], np.array([90.0, 60]), np.array([0.1, 0.8]))
        start = LabelsSoFar(1, np.zeros(2, dtype=np.int64), np.zeros(2), np.zeros(2))
        plan = RoundPlanner(small, until(0.01)).plan(start, np.array([90, 60]))
        assert plan.totals == (90, 60)

    def test_known_labels_count_among_its_labels(self):
        """It is there to learn, whoever was asked: what is known already spares people."""
        known = np.minimum(10, WHOLE)
        plan = RoundPlanner(MADE, until(0.3)).plan(so_far(1, costs=known_at_first(known)), WHOLE)
        assert plan.labels == 200
        assert new_labels(known_at_first(known), plan.totals) < 100


class TestPools:
    @pytest.mark.parametrize(
        ("survey", "history"),
        [
            (SurveySpec(budget=400), NO_HISTORY),
            (SurveySpec(budget=400), PAST),
            (until(0.05), NO_HISTORY),
            (until(0.05), PAST),
            (until(0.05, budget=400), PAST),
        ],
    )
    def test_that_are_too_small_are_named_and_kept_within(self, survey, history):
        wanted = first(survey, history)
        pools = np.array(wanted.totals)
        pools[[0, 13]] -= 3
        pools[1:13] += 50
        plan = first(survey, history, pools)
        assert plan.exhausted == (0, 13)
        assert bool(np.all(np.array(plan.totals) <= pools))
        if not survey.stop_at_goals:
            assert plan.labels == wanted.labels

    def test_that_suffice_are_not_named(self):
        assert first(SurveySpec(budget=300)).exhausted == ()

    def test_that_cannot_hold_the_margins_are_taken_whole(self):
        pools = np.minimum(WHOLE, 20)
        plan = first(until(0.02), PAST, pools)
        assert plan.totals == (*pools[:-1].tolist(), 0)

    @settings(deadline=None, max_examples=examples(25))
    @given(st.integers(0, 2**32 - 1), st.integers(1, 3000), st.booleans(), st.booleans())
    def test_no_round_ever_leaves_them(self, seed, budget, remembered, stop_at_goals):
        pools = np.minimum(np.random.default_rng(seed).integers(0, 200, MADE.stratum_count), WHOLE)
        planner = RoundPlanner(MADE, SurveySpec(goals(0.03), budget, stop_at_goals), PAST if remembered else NO_HISTORY)
        one = planner.totals(so_far(1), pools)
        two = planner.totals(so_far(2, one), pools)
        assert bool(np.all((one <= two) & (two <= pools)))


class TestAuxiliary:
    """The same items with the letter of a helper, which also looked at some that no classifier judged."""

    made = Cells.of(("a", "b"), [*(p + "01"[i % 2] for i, p in enumerate(PATTERNS[:-1])), "--1"], SIZES, SCORES)

    @pytest.mark.parametrize("survey", [SurveySpec(budget=300), until(0.05)])
    def test_a_helper_is_neither_served_nor_forecast(self, survey):
        plan = RoundPlanner(self.made, survey).plan(so_far(1), WHOLE)
        assert plan.totals[-1] == 0
        assert {name for name, _ in plan.half_widths} == {"a", "b"}

    def test_without_history_it_changes_no_plan_of_the_same_strata(self):
        plan = RoundPlanner(self.made, SurveySpec(budget=300)).plan(so_far(1), WHOLE)
        assert plan.totals == first(SurveySpec(budget=300)).totals

    def test_with_history_its_letter_guides(self):
        """Where the helper said yes, all past labels are yes: there is less to learn."""
        rng = np.random.default_rng(1)
        base = drawn(curve(), rng, each=3000)
        helped = replace(
            base, patterns=tuple(p + ("1" if yes else "0") for p, yes in zip(base.patterns, base.positive, strict=True))
        )
        noise = replace(base, patterns=tuple(p + "01"[i % 2] for i, p in enumerate(base.patterns)))
        assert (
            RoundPlanner(self.made, until(0.05), helped).total_plan().sum()
            < 0.5 * RoundPlanner(self.made, until(0.05), noise).total_plan().sum()
        )

    def test_a_goal_for_it_is_refused(self):
        with pytest.raises(StratawatchError, match="unknown classifier 'judge'"):
            RoundPlanner(self.made, SurveySpec((Goal("recall", 0.1, classifiers=("judge",)),), 300)).plan(
                so_far(1), WHOLE
            )


class TestInAll:
    def test_is_the_budget(self):
        assert RoundPlanner(MADE, SurveySpec(budget=300)).total_plan().sum() == 300

    def test_is_what_the_goals_need_or_the_budget_if_that_is_less(self):
        needed = RoundPlanner(MADE, until(0.05), PAST).total_plan().sum()
        assert needed == first(until(0.05), PAST).labels
        assert RoundPlanner(MADE, until(0.05, budget=int(needed)), PAST).total_plan().sum() == needed
        assert RoundPlanner(MADE, until(0.05, budget=100), PAST).total_plan().sum() == 100

    def test_is_everything_without_a_budget_and_without_an_end(self):
        assert RoundPlanner(MADE, SurveySpec()).total_plan().sum() == SERVED


def test_totals_are_those_of_the_plan():
    planner = RoundPlanner(MADE, SurveySpec(budget=300))
    assert tuple(planner.totals(so_far(1), WHOLE).tolist()) == planner.plan(so_far(1), WHOLE).totals
