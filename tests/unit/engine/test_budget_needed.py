"""The least budget that meets all goals where it is shared out for more than these."""

import pytest

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.core.goals import Goal
from stratawatch.engine.cycle.label_needs import _budget_needed, _metrics_beside_goals
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from tests.support.fakes import spec

GOALS = [Goal("precision", 0.01, ("lr",))]


class Forecast:
    """Half-widths of one part in as many labels."""

    def curve(self, budgets, most, metrics):
        assert [most] == budgets
        assert metrics == ["precision"]
        return tuple(BudgetPoint(labels, {("lr", "precision"): 1 / labels}) for labels in budgets)


@pytest.mark.parametrize("fewest", [1, 60])
def test_it_is_found_by_plans_up_to_a_twentieth(fewest):
    assert 100 <= _budget_needed(Forecast(), GOALS, fewest, 50, 2000) <= 105


def test_the_budget_that_there_is_is_looked_at():
    """So that a screen does not call it too small whose half-widths are all inside their margins."""
    assert _budget_needed(Forecast(), GOALS, 97, 101, 2000) == 101
    assert _budget_needed(Forecast(), GOALS, 97, 99, 2000) == 102


def test_where_known_labels_suffice_it_is_nothing():
    assert _budget_needed(Forecast(), GOALS, 0, 100, 2000) == 0


def test_what_suffices_already_is_enough():
    assert _budget_needed(Forecast(), GOALS, 300, 100, 2000) == 300


def test_it_is_all_items_at_most():
    assert _budget_needed(Forecast(), GOALS, 20, 30, 50) == 50


def test_the_usual_goals_of_a_design_that_plans_for_them_have_another_metric_beside_them():
    assert _metrics_beside_goals(survey_of_panel(spec(goals=()))) == ("false_omission_rate",)
    assert _metrics_beside_goals(survey_of_panel(spec())) == ()
    assert _metrics_beside_goals(survey_of_panel(spec(goals=(), design="srs"))) == ()
    assert _metrics_beside_goals(survey_of_panel(spec(goals=(), stop_rule="goals"))) == ()
