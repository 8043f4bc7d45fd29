"""Plans for goals whose intervals borrow their variance from history."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import prior_rate
from stratawatch.core.planning.allocation import AllocationBounds
from stratawatch.core.planning.borrowed_allocator import BorrowedAllocator
from stratawatch.core.planning.context import PlanningContext, borrowed_priors
from stratawatch.core.planning.round_planner import RoundPlanner
from tests.support.planned_cells import MADE, PAST, SERVED, WHOLE, goals, known_at_first, new_labels, so_far, until

CELLS = replace(MADE, prior_rate=prior_rate(MADE, PAST))
MARGIN = 0.05


def planner(survey=None, cells=CELLS, history=PAST):
    return RoundPlanner(cells, until(MARGIN) if survey is None else survey, history)


def labels(ordinal, totals, shares=None, **more):
    """What is known when so many labels say what history expects, or these shares."""
    base = so_far(ordinal, totals, **more)
    return replace(base, positives=np.asarray(totals) * (CELLS.prior_rate if shares is None else shares))


def widths(by=1.0, margin=MARGIN):
    return {(name, goal.metric): by * margin for name in "ab" for goal in goals(margin)}


class TestWhoBorrows:
    def test_goals_with_a_history_do(self):
        found = borrowed_priors(until(MARGIN), PAST, ("a", "b"))
        assert [(one.classifier, one.metric) for one in found] == [
            ("a", "precision"),
            ("b", "precision"),
            ("a", "recall"),
            ("b", "recall"),
        ]

    @pytest.mark.parametrize(
        "survey",
        [
            SurveySpec(goals(MARGIN), 300),
            replace(until(MARGIN), variance="labels"),
            replace(until(MARGIN), confidence=0.96),
        ],
        ids=["a budget", "labels alone", "more confidence"],
    )
    def test_others_do_not(self, survey):
        assert borrowed_priors(survey, PAST, ("a", "b")) == ()

    def test_nor_do_goals_about_other_metrics(self):
        other = replace(until(MARGIN), goals=(*goals(MARGIN), Goal("false_omission_rate", 0.01)))
        assert borrowed_priors(other, PAST, ("a", "b")) == ()

    def test_a_history_that_is_a_little_off_does_and_is_planned_by(self):
        """Ratios of 3 end the trust of plans that do not borrow; how far they are off is what is borrowed."""
        off = replace(PAST, ratios={1: {"precision": 3.0, "recall": 3.0}})
        assert not PlanningContext(CELLS, replace(until(MARGIN), variance="labels"), off).model_is_trusted
        context = PlanningContext(CELLS, until(MARGIN), off)
        assert context.variance_priors == PlanningContext(CELLS, until(MARGIN), PAST).variance_priors != ()
        assert context.model_is_trusted

    def test_nor_does_a_doubted_or_a_short_history(self):
        doubted = replace(PAST, ratios={1: {"precision": 9.0, "recall": 9.0}})
        short = replace(PAST, ages=PAST.ages + 30)
        assert borrowed_priors(until(MARGIN), doubted, ("a", "b")) == ()
        assert borrowed_priors(until(MARGIN), short, ("a", "b")) == ()


class TestFirstRound:
    def test_leaves_a_part_for_later_rounds(self):
        """Widths are forecast 1/sqrt(.85) times the margin with three rounds and 1/sqrt(.92) with two."""
        for rounds, factor in ((3, 0.85), (2, 0.92)):
            plan = planner(replace(until(MARGIN), rounds=rounds)).plan(so_far(1), WHOLE)
            worst = max(plan.half_widths[name, goal.metric] for name in "ab" for goal in goals(MARGIN))
            assert worst == pytest.approx(MARGIN * factor**-0.5, rel=0.03)

    def test_the_total_plan_counts_the_later_rounds_too(self):
        one = planner()
        assert 1.1 < one.total_plan().sum() / one.totals(so_far(1), WHOLE).sum() < 1.3

    @pytest.mark.parametrize("margin", [0.03, 0.05, 0.1])
    def test_all_rounds_together_are_forecast_to_hold_the_margins(self, margin):
        made = planner(until(margin))
        found = made.half_widths(made.context, made.total_plan())
        assert max(found[name, goal.metric] for name in "ab" for goal in goals(margin)) <= margin * 1.005

    def test_no_label_can_move_a_goal_by_more_than_a_part_of_its_margin(self):
        """Precision needs (N_h/n_h) g <= margin/2 of every stratum: 1,590 items are called by a, so g = 1/1,590."""
        survey = SurveySpec((Goal("precision", 0.02, ("a",)),), stop_at_goals=True)
        totals = planner(survey).totals(so_far(1), WHOLE)
        called = CELLS.positive[:, 0]
        weight = CELLS.stratum_sizes / np.maximum(totals, 1) / CELLS.sizes[called].sum()
        assert weight[called].max() <= 0.5 * 0.02 * 1.2

    def test_a_history_that_understated_variances_asks_for_more(self):
        wide = replace(PAST, goal_ratios={age: ratios_of(1.5) for age in range(1, 11)})
        narrow = replace(PAST, goal_ratios={age: ratios_of(0.8) for age in range(1, 11)})
        plans = [planner(history=history).total_plan().sum() for history in (narrow, PAST, wide)]
        assert plans == sorted(plans)
        assert plans[2] > 1.4 * plans[0]

    def test_takes_known_labels_first(self):
        known = np.where(np.arange(MADE.stratum_count) % 2, WHOLE, 0)
        blind = planner().totals(so_far(1), WHOLE)
        told = planner().totals(so_far(1, costs=known_at_first(known)), WHOLE)
        assert new_labels(known_at_first(known), told) < new_labels(known_at_first(known), blind)


HARDER = "; looks harder for misses, as a smaller part of items is called than before"


class TestWhereCallsVanished:
    """After periods in which 1.4 times as many items were called 787 calls are gone, and 1,933 items are positive."""

    @staticmethod
    def heaviest(survey, history, margin):
        """By how many margins one label of what nobody calls moves recall at most, by the rates that are planned with."""
        totals = planner(survey, history=history).totals(so_far(1), WHOLE)
        quiet = CELLS.has_call & ~CELLS.positive.any(axis=1)
        weights = CELLS.sizes[quiet] / np.maximum(totals[CELLS.strata[quiet]], 1)
        positives = float((CELLS.sizes * CELLS.has_call) @ CELLS.prior_rate)
        recall = (CELLS.positive.T @ (CELLS.sizes * CELLS.prior_rate) / positives).max()
        return weights.max() * recall / positives / margin

    def test_one_miss_moves_recall_by_a_third_of_a_margin_at_most(self):
        """The margin is so wide that nothing but floors asks for labels of the tail."""
        survey = SurveySpec((Goal("recall", 0.2),), stop_at_goals=True)
        usual, harder = (self.heaviest(survey, calls_before(times), 0.2) for times in (1.0, 1.6))
        assert 0.7 < usual < 1.1
        assert 0.3 < harder < 0.4

    def test_the_plan_says_so(self):
        methods = [planner(history=calls_before(times)).plan(so_far(1), WHOLE).method for times in (1.0, 1.4)]
        assert methods == ["margins, from the model of history", f"margins, from the model of history{HARDER}"]

    @pytest.mark.parametrize(("times", "harder"), [(1.04, False), (1.06, True)])
    def test_a_margin_of_all_positives_decides(self, times, harder):
        """A margin of .05 is 97 positives; 80 calls are gone, and 120."""
        plans = [planner(history=calls_before(some)).totals(so_far(1), WHOLE) for some in (1.0, times)]
        assert (plans[0].tolist() != plans[1].tolist()) is harder

    def test_items_that_no_classifier_judged_hold_none_of_the_positives(self):
        """120 calls are gone and a margin is 97 positives, however many items nobody judged."""
        many = replace(CELLS, sizes=np.where(CELLS.has_call, CELLS.sizes, 30_000.0))
        made = planner(cells=many, history=calls_before(1.06))
        assert made._borrowed._at_risk.all()

    def test_goals_of_other_margins_are_looked_at_by_themselves(self):
        """A fifth of the calls is more than one margin, and less than the other."""
        apart = (Goal("recall", 0.1, ("a",)), Goal("recall", 0.4, ("b",)))
        made = planner(SurveySpec(apart, stop_at_goals=True), history=calls_before(1.2))
        assert made._borrowed._at_risk.tolist() == [True, False]

    def test_precision_alone_changes_nothing(self):
        survey = SurveySpec((Goal("precision", 0.02, ("a",)),), stop_at_goals=True)
        plans = [planner(survey, history=calls_before(times)).plan(so_far(1), WHOLE) for times in (1.0, 1.4)]
        assert plans[0] == plans[1]
        assert not plans[0].method.endswith(HARDER)

    def test_later_rounds_top_up_as_they_do(self):
        one = planner(history=calls_before(1.4)).totals(so_far(1), WHOLE)
        later = labels(2, one, half_widths=widths(1.08))
        plans = [planner(history=calls_before(times)).plan(later, WHOLE) for times in (1.0, 1.4)]
        assert plans[0] == plans[1]

    def test_a_budget_for_less_is_planned_as_in_calm_periods(self):
        """A budget that is spent knows no floors: it would look less hard than in a calm period."""
        calm, harder = (planner(history=calls_before(times)).totals(so_far(1), WHOLE) for times in (1.0, 1.4))
        assert calm.sum() < harder.sum()
        between = planner(until(MARGIN, int(calm.sum() + harder.sum()) // 2), history=calls_before(1.4))
        found = between.plan(so_far(1), WHOLE)
        assert list(found.totals) == calm.tolist()
        assert not found.method.endswith(HARDER)
        enough = planner(until(MARGIN, int(harder.sum())), history=calls_before(1.4))
        assert enough.totals(so_far(1), WHOLE).tolist() == harder.tolist()

    def test_what_a_cycle_takes_in_all_counts_it(self):
        calm, harder = (planner(history=calls_before(times)).total_plan().sum() for times in (1.0, 1.4))
        assert calm < harder
        between = until(MARGIN, int(calm + harder) // 2)
        assert planner(between, history=calls_before(1.4)).total_plan().sum() == calm

    def test_a_pool_that_ends_before_is_not_said_to_do_so(self):
        pools = np.minimum(WHOLE, 60)
        found = planner(history=calls_before(1.4)).plan(so_far(1), pools)
        assert not found.method.endswith(HARDER)


class TestTopUp:
    def test_goals_that_hold_need_nothing_more(self):
        one = planner().totals(so_far(1), WHOLE)
        again = planner().totals(labels(2, one, half_widths=widths(0.99)), WHOLE)
        assert again.tolist() == one.tolist()

    def test_brings_goals_within_their_margins_by_these_labels(self):
        one = planner().totals(so_far(1), WHOLE)
        two = planner().totals(labels(2, one, half_widths=widths(1.08)), WHOLE)
        assert one.sum() < two.sum() < 1.4 * one.sum()
        assert (two >= one).all()

    def test_misses_where_history_saw_none_ask_for_more(self):
        one = planner().totals(so_far(1), WHOLE)
        shares = np.where(np.arange(17) < 2, CELLS.prior_rate + 0.03, CELLS.prior_rate)
        usual, surprised = (
            planner().totals(labels(2, one, share, half_widths=widths(1.1)), WHOLE).sum()
            for share in (CELLS.prior_rate, shares)
        )
        assert surprised > 1.2 * usual

    def test_wider_intervals_than_these_labels_explain_ask_for_more(self):
        """As clusters make them; a surprise counts for half as much again at most."""
        one = planner().totals(so_far(1), WHOLE)
        sums = [planner().totals(labels(2, one, half_widths=widths(by)), WHOLE).sum() for by in (1.1, 1.4, 2.0, 50.0)]
        assert sums[0] < sums[1] < sums[2] == sums[3]

    def test_a_third_round_is_asked_where_two_did_not_do(self):
        one = planner().totals(so_far(1), WHOLE)
        assert planner().totals(labels(3, one, half_widths=widths(1.1)), WHOLE).sum() > one.sum()
        alone = planner(replace(until(MARGIN), variance="labels"))
        assert alone.totals(labels(3, one, half_widths=widths(1.1)), WHOLE).tolist() == one.tolist()

    def test_stays_within_pools(self):
        pools = np.minimum(WHOLE, 30)
        one = planner().totals(so_far(1), pools)
        two = planner().totals(labels(2, one, half_widths=widths(2.0)), pools)
        assert (two <= pools).all()

    def test_the_last_round_aims_lower_the_more_goals_there_are(self):
        names = tuple(f"c{n}" for n in range(12))
        many = replace(
            CELLS, classifiers=names, positive=np.repeat(CELLS.positive, 6, 1), negative=np.repeat(CELLS.negative, 6, 1)
        )
        few, more = (
            BorrowedAllocator(PlanningContext(cells, until(MARGIN), PAST), 3)._later_factor(3)
            for cells in (CELLS, many)
        )
        assert few == pytest.approx(1.02)
        assert more == pytest.approx(1.02 + 0.022 * np.log(24 / 8))


def test_margins_that_cannot_be_held_take_everything():
    context = PlanningContext(CELLS, until(1e-6), PAST)
    bounds = AllocationBounds(np.zeros_like(WHOLE), context.drawable)
    assert BorrowedAllocator(context, 3).first(bounds).sum() == SERVED


def calls_before(times, periods=10):
    """The history of periods in which so many times as many items were called as now."""
    part = times * CELLS.sizes[CELLS.positive.any(axis=1)].sum() / SERVED
    return replace(PAST, called={age: part * (1 + 0.001 * (age % 2)) for age in range(1, periods + 1)})


def ratios_of(value):
    from stratawatch.core.history.past_labels import GoalRatios

    both = np.full(2, value)
    return GoalRatios(
        dict.fromkeys(("precision", "recall"), both), dict.fromkeys(("precision", "recall"), 0 * both + 0.05)
    )
