import pytest

from stratawatch.core.goals import SurveySpec
from stratawatch.core.planning.round_sizes import first_round_labels, most_rounds
from stratawatch.core.tuning import PLANNER


class TestMostRounds:
    @pytest.mark.parametrize("budget", [PLANNER.one_round_below, 41, 900, 1_000_000])
    def test_a_budget_is_spent_in_two(self, budget):
        assert most_rounds(SurveySpec(budget=budget)) == 2

    @pytest.mark.parametrize("budget", [1, 10, PLANNER.one_round_below - 1])
    @pytest.mark.parametrize("stop_at_goals", [False, True])
    def test_a_small_budget_is_not_split(self, budget, stop_at_goals):
        assert most_rounds(SurveySpec(budget=budget, stop_at_goals=stop_at_goals)) == 1

    @pytest.mark.parametrize("rounds", [2, 3])
    def test_labels_for_goals_come_in_as_many_as_are_allowed(self, rounds):
        assert most_rounds(SurveySpec(stop_at_goals=True, rounds=rounds)) == rounds
        assert most_rounds(SurveySpec(budget=900, rounds=rounds)) == 2

    def test_labels_for_goals_come_in_three(self):
        assert most_rounds(SurveySpec(stop_at_goals=True)) == 3


class TestFirstLabels:
    @pytest.mark.parametrize("budget", [PLANNER.one_round_below, 41, 900, 1_000_000])
    def test_are_two_fifths_rounded_up(self, budget):
        assert PLANNER.first_share * budget <= first_round_labels(budget) < PLANNER.first_share * budget + 1

    @pytest.mark.parametrize("budget", [0, 1, 10, PLANNER.one_round_below - 1])
    def test_are_all_of_a_budget_that_is_not_split(self, budget):
        assert first_round_labels(budget) == budget

    def test_the_larger_the_budget_the_more(self):
        """The split begins at 40: .4 x 40 = 16 is fewer than 39, and only there."""
        falls = [budget for budget in range(1, 2000) if first_round_labels(budget) < first_round_labels(budget - 1)]
        assert falls == [PLANNER.one_round_below]
