"""The least budget that meets all goals where it is shared out for more than these."""

import pytest

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.core.goals import Goal
from stratawatch.engine.cycle.label_needs import _budget_needed

GOALS = [Goal("precision", 0.01, ("lr",))]


class Forecast:
    """Half-widths of one part in as many labels."""

    def curve(self, budgets, most, metrics):
        assert [most] == budgets
        assert metrics == ["precision"]
        return tuple(BudgetPoint(labels, {("lr", "precision"): 1 / labels}) for labels in budgets)


@pytest.mark.parametrize("fewest", [0, 1, 60])
def test_it_is_found_by_plans_up_to_a_twentieth(fewest):
    """None are needed by themselves where labels that are known suffice."""
    assert 100 <= _budget_needed(Forecast(), GOALS, fewest, 2000) <= 105


def test_what_suffices_already_is_enough():
    assert _budget_needed(Forecast(), GOALS, 300, 2000) == 300


def test_it_is_all_items_at_most():
    assert _budget_needed(Forecast(), GOALS, 20, 50) == 50
