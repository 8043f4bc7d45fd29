import pytest

from stratawatch.core.rounds import FIRST_SHARE, ONE_ROUND_BELOW, cumulative_labels


class TestCumulativeLabels:
    @pytest.mark.parametrize("budget", [ONE_ROUND_BELOW, 41, 900, 1_000_000])
    def test_two_rounds_the_first_with_its_share(self, budget):
        first, whole = cumulative_labels(budget)
        assert whole == budget
        assert FIRST_SHARE * budget <= first < FIRST_SHARE * budget + 1

    @pytest.mark.parametrize("budget", [10, ONE_ROUND_BELOW - 1])
    def test_a_small_budget_is_not_split(self, budget):
        assert cumulative_labels(budget) == (budget,)
