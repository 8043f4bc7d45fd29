"""What the next window is expected to tell: its sentence in three forms, its rows, and nothing where nothing is known."""

from dataclasses import replace

import pytest

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.core.goals import Goal
from stratawatch.core.plan import HalfWidthRange
from stratawatch.engine.cycle.frozen_budgets import FrozenBudgets
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.report.next_window import MOST_ROWS, next_window
from stratawatch.report.page import panel_page
from stratawatch.report.publish import with_next_window
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, cycle, quarter, spec

OWN = 900
GOALS = (Goal("precision", 0.03), Goal("recall", 0.05))


def budgets(widths, classifiers=("nb",), goals=GOALS, ranges=True):
    """Budgets of 450, 900 and 1800 labels; `widths` are those of every classifier with 900, by metric."""
    points = []
    for labels in (OWN // 2, OWN, OWN * 2):
        found = {(c, m): half * (OWN / labels) ** 0.5 for c in classifiers for m, half in widths.items()}
        likely = {key: HalfWidthRange(half * 0.9, half * 1.1) for key, half in found.items()} if ranges else {}
        points.append(BudgetPoint(labels, found, likely))
    panel = spec(classifiers=tuple(ClassifierSpec(name, f"score_{name}") for name in classifiers), goals=goals)
    return FrozenBudgets(cycle(0), panel, tuple(points), 100)


class TestSentence:
    def test_says_only_how_many_goals_where_all_are_reached(self):
        found = next_window({}, budgets({"precision": 0.03, "recall": 0.04}))
        assert found.sentence == "900 labels are expected to reach 2 of 2 goals."

    def test_names_the_least_budget_that_reaches_all(self):
        found = next_window({}, budgets({"precision": 0.03, "recall": 0.07}))
        assert found.sentence == "900 labels are expected to reach 1 of 2 goals; about 1,800 would reach all."

    def test_says_where_none_of_the_budgets_reaches_all(self):
        found = next_window({}, budgets({"precision": 0.02, "recall": 0.2}))
        assert found.sentence == "900 labels are expected to reach 1 of 2 goals; all of them take more than 1,800."

    def test_counts_a_goal_of_which_nothing_can_be_told_as_not_reached(self):
        found = next_window({}, budgets({"precision": 0.02}))
        assert found.sentence == "900 labels are expected to reach 1 of 2 goals; of 1 nothing can be said."

    def test_speaks_of_one_goal(self):
        found = next_window({}, budgets({"precision": 0.02}, goals=(Goal("precision", 0.03),)))
        assert found.sentence == "900 labels are expected to reach 1 of 1 goal."


class TestRows:
    def test_have_what_is_now_expected_and_wanted(self):
        found = next_window({("nb", "recall"): 0.061}, budgets({"precision": 0.02, "recall": 0.07}))
        recall, precision = found.rows
        assert (recall.metric, recall.now, recall.wanted) == ("recall", 0.061, 0.05)
        assert recall.expected == pytest.approx((0.063, 0.077))
        assert (precision.now, precision.wanted) == (None, 0.03)
        assert found.labels == OWN

    def test_stand_by_how_far_they_are_from_what_is_wanted(self):
        found = next_window({}, budgets({"precision": 0.04, "recall": 0.055}))
        assert [row.metric for row in found.rows] == ["precision", "recall"]

    def test_of_what_cannot_be_told_stand_first(self):
        found = next_window({}, budgets({"precision": 0.4}))
        assert [(row.metric, row.expected is None) for row in found.rows] == [("recall", True), ("precision", False)]

    def test_have_no_range_where_the_plan_has_none(self):
        assert [row.expected for row in next_window({}, budgets({"precision": 0.02}, ranges=False)).rows] == [None] * 2

    def test_are_twelve_at_most_and_the_others_are_counted(self):
        found = next_window({}, budgets({"precision": 0.02}, [f"c{number}" for number in range(10)]))
        assert (len(found.rows), found.more) == (MOST_ROWS, 8)

    def test_of_metrics_without_a_goal_are_not_there(self):
        found = next_window({}, budgets({"precision": 0.02, "false_omission_rate": 0.004}))
        assert {row.metric for row in found.rows} == {"precision", "recall"}


class TestNothing:
    def test_without_goals(self):
        assert next_window({}, budgets({"precision": 0.02}, goals=())) is None

    def test_before_the_first_window_was_frozen(self):
        assert next_window({}, None) is None

    def test_where_no_budget_can_be_planned(self):
        assert next_window({}, replace(budgets({"precision": 0.02}), points=())) is None


class TestPage:
    def page(self, found):
        memory = quarter()
        return panel_page(with_next_window(build(memory, memory.panel, NOW), found))

    def test_shows_the_scorecard_s_half_width_beside_what_is_expected(self):
        page = self.page(budgets({"precision": 0.04, "recall": 0.07}))
        assert "<h2>The next window</h2>" in page
        assert 'data-label="Now">±3.1</td>' in page
        assert 'data-label="Expected">±3.6 to 4.4</td>' in page
        assert 'data-label="Wanted">±3</td>' in page

    def test_says_how_many_goals_have_no_row(self):
        page = self.page(budgets({"precision": 0.02}, [f"c{number}" for number in range(10)]))
        assert "8 goals more, nearer to what is wanted." in page

    def test_has_no_such_table_where_nothing_is_known(self):
        assert "<h2>The next window</h2>" not in self.page(None)
