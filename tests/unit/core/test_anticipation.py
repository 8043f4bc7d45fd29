import numpy as np
import pytest

from stratawatch.core.anticipation import DEFAULT_GOALS, first_rates, importance, second_rates
from stratawatch.core.cells import Cells
from stratawatch.core.results import Goal
from stratawatch.errors import StratawatchError

SCORES = np.array([0.01, 0.2, 0.02, 0.999])
MADE = Cells.of(("a", "b"), ["00", "00", "01", "11"], np.array([9000.0, 1000, 100, 100]), SCORES)


class TestFirstRates:
    def test_called_positive_by_anyone_is_held_inside_five_and_ninety_five_percent(self):
        assert first_rates(MADE).floored[2:].tolist() == [0.05, 0.95]

    def test_a_tenth_of_the_negatives_mean_is_added_to_the_others(self):
        """Mean of the negatives (9000 x .01 + 1000 x .2)/10000 = .029."""
        assert first_rates(MADE).floored[:2].tolist() == pytest.approx([0.0129, 0.2029])

    def test_plain_rates_are_the_scores(self):
        assert first_rates(MADE).plain.tolist() == SCORES.tolist()


class TestSecondRates:
    def test_without_answers_they_are_the_first(self):
        nothing = np.zeros(4)
        assert second_rates(MADE, nothing, nothing).floored.tolist() == first_rates(MADE).floored.tolist()

    def test_labels_move_the_rates_of_their_cell(self):
        answered = np.array([50.0, 50, 50, 50])
        few = second_rates(MADE, np.array([0.0, 2, 5, 45]), answered)
        many = second_rates(MADE, np.array([0.0, 2, 25, 45]), answered)
        assert many.floored[2] > few.floored[2]

    def test_a_cell_of_all_no_is_not_called_empty(self):
        rates = second_rates(MADE, np.array([0.0, 0, 0, 20]), np.full(4, 20.0))
        assert rates.floored.min() > 0

    def test_scores_that_lie_are_corrected(self):
        """Scores say .01 and .999, labels say half: the rates go to the labels."""
        rates = second_rates(MADE, np.full(4, 50.0), np.full(4, 100.0))
        assert rates.floored.tolist() == pytest.approx([0.5] * 4, abs=0.03)


class TestImportance:
    def test_is_the_sum_over_goals_of_squared_gradients_over_margins(self):
        """Precision of b: items with b = 1 are 200, gradient 1/200, margin .05: (1/200/.05)^2 = .01."""
        worth = importance(MADE, [Goal("precision", 0.05, of=("b",))], first_rates(MADE))
        assert worth.tolist() == pytest.approx([0, 0, 0.01, 0.01])

    def test_goals_add_up(self):
        goals = [Goal("precision", 0.05), Goal("recall", 0.1, of=("a",))]
        apart = [importance(MADE, [goal], first_rates(MADE)) for goal in goals]
        assert importance(MADE, goals, first_rates(MADE)).tolist() == pytest.approx((apart[0] + apart[1]).tolist())

    def test_half_the_margin_is_four_times_the_importance(self):
        wide, narrow = (importance(MADE, [Goal("recall", m)], first_rates(MADE)) for m in (0.1, 0.05))
        assert (narrow / wide).tolist() == pytest.approx([4] * 4)

    def test_no_goals_mean_the_default_ones_for_everyone(self):
        usual = importance(MADE, DEFAULT_GOALS, first_rates(MADE))
        assert importance(MADE, [], first_rates(MADE)).tolist() == usual.tolist()

    def test_an_unknown_classifier_is_named(self):
        with pytest.raises(StratawatchError, match="unknown classifier 'c'; expected one of a, b"):
            importance(MADE, [Goal("recall", 0.1, of=("c",))], first_rates(MADE))

    @pytest.mark.parametrize("margin", [0.0, -0.1, float("nan")])
    def test_a_margin_that_is_no_width_is_refused(self, margin):
        with pytest.raises(StratawatchError, match=r"margin of recall is .*; expected a number above 0"):
            importance(MADE, [Goal("recall", margin)], first_rates(MADE))

    def test_an_unknown_metric_is_named(self):
        with pytest.raises(StratawatchError, match="no metric 'speed'"):
            importance(MADE, [Goal("speed", 0.1)], first_rates(MADE))
