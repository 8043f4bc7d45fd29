import math

import numpy as np
import pytest

from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.population import Census
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.study.arguments import check_reachable, reachable_margins, read_stop_rule, read_survey

NAMES = ("lr", "vote")


def read(goals=(), budget=None, confidence=0.95, *, stop_rule=None):
    return read_survey(goals, budget, confidence, NAMES, stop_rule=read_stop_rule(stop_rule, budget))


def census(*patterns):
    counts = np.full(len(patterns), 10)
    return Census(NAMES, tuple(sorted(patterns)), np.full(len(patterns), 500), counts)


class TestReadSurvey:
    def test_without_goals_precision_and_recall_of_everyone_are_wanted(self):
        assert read() == SurveySpec(DEFAULT_GOALS, None, stop_at_goals=True, confidence=0.95)
        assert {goal.metric: goal.margin for goal in read().goals} == {"precision": 0.03, "recall": 0.05}

    def test_a_budget_is_spent_and_not_a_cap(self):
        assert read(budget=np.int64(300)) == SurveySpec(DEFAULT_GOALS, 300, stop_at_goals=False, confidence=0.95)

    def test_in_a_sequential_study_it_is_a_cap(self):
        assert read(budget=300, stop_rule="sequential").stop_at_goals

    @pytest.mark.parametrize("of", [["vote"], ("vote",), "vote"])
    def test_of_is_one_classifier_or_some(self, of):
        assert read([Goal("f1", 0.1, of)]).goals == (Goal("f1", 0.1, ("vote",)),)

    def test_without_of_a_goal_is_for_all(self):
        assert read([Goal("f1", 0.1)]).goals == (Goal("f1", 0.1, ()),)

    def test_one_goal_needs_no_list(self):
        assert read(Goal("recall", np.float64(0.1))).goals == (Goal("recall", 0.1),)


class TestRefused:
    @pytest.mark.parametrize("margin", [0, -0.1, 3, math.nan, None, "0.03", True])
    def test_a_margin_that_nothing_reaches(self, margin):
        with pytest.raises(PlanImpossible) as caught:
            read([Goal("precision", margin)])
        assert str(caught.value) == (
            "the goal for precision is impossible; expected a margin above 0, at most 0.5; 0.03 is plus-minus three "
            f"points; got {margin!r}; the best possible is an exact value, with every item labelled"
        )

    def test_an_unknown_metric(self):
        with pytest.raises(StratawatchError, match="there is no metric 'precison'; expected one of precision, recall"):
            read([Goal("precison", 0.03)])

    def test_an_unknown_classifier(self):
        with pytest.raises(StratawatchError, match="names the unknown classifier 'svm'; expected one of lr, vote"):
            read([Goal("precision", 0.03, ("svm",))])

    @pytest.mark.parametrize("of", [[], set(), ""])
    def test_a_goal_for_nobody(self, of):
        with pytest.raises(StratawatchError) as caught:
            read([Goal("precision", 0.03, of)])
        assert str(caught.value) == (
            "the goal for precision is for no classifier; expected some of lr, vote; without `classifiers` it is for all of them"
        )

    def test_what_is_no_goal(self):
        with pytest.raises(StratawatchError, match="a goal cannot be read; expected Goal"):
            read([("precision", 0.03)])

    @pytest.mark.parametrize("budget", [True, 300.0, "300"])
    def test_a_budget_that_is_no_whole_number(self, budget):
        with pytest.raises(StratawatchError, match="the budget is no whole number; expected labels, or None; got"):
            read(budget=budget)

    @pytest.mark.parametrize("confidence", [0, 1, 1 - 1e-16, 95, math.nan, None, "0.95", True])
    def test_a_confidence_outside_zero_and_one(self, confidence):
        with pytest.raises(StratawatchError, match="the confidence cannot be used; expected a number between 0 and 1"):
            read(confidence=confidence)


class TestRefuseImpossible:
    @pytest.mark.parametrize("budget", [3, 1, 0, -5])
    def test_a_budget_below_what_any_interval_needs(self, budget):
        with pytest.raises(
            PlanImpossible, match=f"a budget of {budget} is below what any interval needs; expected at least 4 labels"
        ):
            check_reachable(read(budget=budget), census("00", "11"))

    def test_two_labels_of_each_side_are_enough(self):
        check_reachable(read(budget=4), census("00", "11"))

    def test_every_item_is_always_enough(self):
        few = Census(NAMES, ("00", "11"), np.full(2, 500), np.ones(2, dtype=np.int64))
        check_reachable(read(budget=2), few)

    def test_what_labels_can_tell_is_possible(self):
        check_reachable(read(), census("00", "10", "11"))

    def test_precision_of_a_classifier_that_calls_nothing_positive(self):
        with pytest.raises(PlanImpossible) as caught:
            check_reachable(read([Goal("precision", 0.03)]), census("00", "10"))
        assert str(caught.value) == (
            "precision of 'vote' cannot be known to plus-minus 0.03; got a classifier that calls no item positive; "
            "with all items labelled the best possible is still no information; leave the goal out"
        )

    def test_the_false_omission_rate_of_one_that_calls_nothing_negative(self):
        goals = [Goal("false_omission_rate", 0.01)]
        with pytest.raises(PlanImpossible, match=r"of 'lr' cannot be known .* calls no item negative"):
            check_reachable(read(goals), census("10", "11"))

    def test_anything_of_one_that_says_nothing(self):
        with pytest.raises(PlanImpossible, match=r"accuracy of 'vote' cannot be known .* calls nothing at all"):
            check_reachable(read([Goal("accuracy", 0.01)]), census("0-", "1-"))

    def test_a_goal_for_the_others_only_is_possible(self):
        check_reachable(read([Goal("precision", 0.03, ("lr",))]), census("00", "10"))

    def test_goals_that_nobody_named_refuse_nothing(self):
        check_reachable(read(), census("00", "10"))


class TestReachable:
    def test_leaves_out_what_no_labels_reach(self):
        assert reachable_margins(read(), census("00", "10")) == {
            ("lr", "precision"): 0.03,
            ("lr", "recall"): 0.05,
            ("vote", "recall"): 0.05,
        }


class TestStopRules:
    @pytest.mark.parametrize(("budget", "rule"), [(None, "goals"), (300, "budget")])
    def test_follow_the_budget_where_none_is_said(self, budget, rule):
        assert read_stop_rule(None, budget) == rule

    def test_a_budget_may_cap_what_goals_need(self):
        survey = read(budget=300, stop_rule="goals")
        assert (survey.stop_at_goals, survey.budget) == (True, 300)

    @pytest.mark.parametrize(
        ("rule", "budget", "said"),
        [
            ("all", 300, "there is no such stop rule; expected one of budget, goals, sequential; got 'all'"),
            ("budget", None, 'stop_rule="budget" needs to know when to stop; expected a budget'),
        ],
    )
    def test_that_cannot_be_followed_are_refused(self, rule, budget, said):
        with pytest.raises(StratawatchError, match=said):
            read_stop_rule(rule, budget)

    @pytest.mark.parametrize(("old", "rule"), [(True, "sequential"), (False, "budget")])
    def test_have_an_old_name_that_warns(self, old, rule):
        with pytest.warns(DeprecationWarning, match='stop_rule="sequential" now'):
            assert read_stop_rule(None, 300, old) == rule

    def test_are_not_given_under_both_names(self):
        with pytest.raises(TypeError, match="its old name"):
            read_stop_rule("goals", 300, sequential=True)
