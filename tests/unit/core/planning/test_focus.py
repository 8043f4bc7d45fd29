"""Labels follow suspicion: more of them tell what the evidence speaks against, and nobody else pays for it."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.goals import Focus, Goal, SurveySpec
from stratawatch.core.planning.focus import focused_goals, planning_goals
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.tuning import PLANNER
from tests.support.planned_cells import MADE, PAST, SERVED, WHOLE, known_at_first, so_far, until

FOCUS = Focus("b", "precision")


def first(survey, **more):
    return RoundPlanner(MADE, survey, PAST).plan(so_far(1, **more), WHOLE)


class TestGoals:
    def test_without_a_focus_are_the_surveys(self):
        survey = SurveySpec((Goal("recall", 0.05),), budget=300)
        assert planning_goals(survey) == focused_goals(survey) == survey.goals

    def test_the_focus_takes_a_tenth_of_the_margin_that_its_goal_has(self):
        survey = SurveySpec((Goal("precision", 0.04, ("a",)), Goal("precision", 0.06, ("b",))), 300, focus=FOCUS)
        assert planning_goals(survey)[-1] == Goal("precision", 0.006, ("b",))

    def test_a_metric_without_a_goal_takes_a_tenth_of_its_usual_margin(self):
        survey = SurveySpec((Goal("recall", 0.04),), 300, focus=Focus("a", "precision"))
        assert planning_goals(survey)[-1] == Goal("precision", 0.003, ("a",))

    @pytest.mark.parametrize("metric", ["recall", "false_omission_rate", "f1"])
    def test_where_misses_count_it_takes_a_twentieth(self, metric):
        survey = SurveySpec((Goal(metric, 0.04),), 300, focus=Focus("a", metric))
        assert planning_goals(survey)[-1] == Goal(metric, 0.002, ("a",))

    def test_without_any_the_default_ones_stay_beside_it(self):
        assert [goal.metric for goal in planning_goals(SurveySpec(budget=300, focus=FOCUS))] == [
            "precision",
            "recall",
            "precision",
            "false_omission_rate",
        ]


class TestWithinABudget:
    def test_the_same_number_of_labels_tells_more_of_the_focus(self):
        plain = SurveySpec(budget=400)
        usual, focused = first(plain), first(replace(plain, focus=FOCUS))
        assert usual.labels == focused.labels == 400
        name = ("b", "precision")
        assert focused.half_widths[name] < 0.9 * usual.half_widths[name]


class TestUntilTheGoalsHold:
    def test_a_tenth_of_the_labels_comes_on_top_and_no_stratum_has_fewer(self):
        plain = until(0.06)
        usual, focused = first(plain), first(replace(plain, focus=FOCUS))
        extra = int(PLANNER.focus_extra * usual.labels)
        assert extra > 0
        assert focused.labels == usual.labels + extra
        assert all(now >= before for now, before in zip(focused.totals, usual.totals, strict=True))
        assert focused.half_widths["b", "precision"] < usual.half_widths["b", "precision"]
        assert all(focused.half_widths[name] <= width + 1e-12 for name, width in usual.half_widths.items())

    def test_never_more_than_the_budget(self):
        usual = first(until(0.06))
        capped = replace(until(0.06, budget=usual.labels + 3), focus=FOCUS)
        assert first(capped).labels == usual.labels + 3

    def test_never_more_items_than_there_are(self):
        assert first(replace(until(0.0001), focus=FOCUS)).labels == SERVED

    def test_pools_have_room_for_it(self):
        survey = replace(until(0.06), focus=FOCUS)
        most = RoundPlanner(MADE, survey, PAST).max_totals()
        assert (most >= np.asarray(first(survey).totals)).all()

    def test_labels_that_are_there_already_are_counted_in_the_tenth(self):
        costs = known_at_first(np.minimum(WHOLE, 5))
        usual, focused = first(until(0.06), costs=costs), first(replace(until(0.06), focus=FOCUS), costs=costs)
        assert focused.labels <= usual.labels + int(PLANNER.focus_extra * usual.labels)
