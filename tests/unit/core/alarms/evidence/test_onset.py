"""When a loss began, by bets and by estimates, and how sure that is."""

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.onset import loss_ratio, onset
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.tuning import EVIDENCE


def interval(value, half=0.06):
    """An interval as wide on both sides."""
    return IntervalEstimate(value, value - half, value + half, n_eff=100)


def own_stakes(log_e):
    """Bets on three losses, each with a stake of its own; the largest has these log e-values."""
    column = np.array(log_e, dtype=float)
    return np.stack([column / 4, column / 2, column], axis=1)


class TestOnset:
    def test_is_the_window_from_which_the_product_is_largest_where_it_is_clear(self):
        found = onset(own_stakes([-3, -3, 4, 4]))
        assert (found.row, found.earliest, found.latest) == (2, 2, 2)

    @pytest.mark.parametrize("began", [0, 1, 5, 9])
    def test_a_clear_beginning_is_named_wherever_it_is(self, began):
        log_e = np.where(np.arange(10) < began, -4.0, 4.0)
        assert onset(own_stakes(log_e)).row == began

    def test_goes_by_the_bet_on_the_largest_of_the_usual_losses(self):
        """The bet on a loss for wide windows says otherwise, and so does that on the smallest."""
        table = np.array([[9.0, -1, -4, 9], [-1, 2, 5, -1], [1, 2, 5, 1]])
        assert onset(table).row == 1

    def test_of_windows_alike_the_middle_one_is_within_one_of_all(self):
        found = onset(own_stakes([0.0, 0.0, 0.1]))
        assert (found.row, found.earliest, found.latest) == (1, 0, 2)

    def test_the_first_window_stands_for_those_before_it(self):
        assert onset(own_stakes([1.0, 1.2, 1.5])).row == 0

    def test_the_share_of_likelihood_decides_how_many_windows_it_may_be(self):
        """Likelihoods of 1, 2 and 17 in 20: two of them hold 19/20, one only 17/20."""
        found = onset(own_stakes([np.log(1 / 2), np.log(2 / 17), np.log(17)]))
        assert EVIDENCE.onset_share == 0.9
        assert (found.row, found.earliest, found.latest) == (2, 1, 2)

    def test_bets_and_estimates_count_alike(self):
        bets, ratios = own_stakes([1.0, -4.0, 3.0, 3.0]), np.array([-5.0, -5, -5, 5])
        assert [onset(bets).row, onset(bets, ratios).row] == [2, 3]
        assert onset(bets, 2 * np.array([0.0, 4.0, -3.0, 6.0])).row == onset(own_stakes([0.5, 2.0, -1.5, 7.5])).row
        # What one says twice the other says away.
        assert onset(bets, -bets[:, -1]) == onset(own_stakes(np.zeros(4)))

    def test_where_no_window_could_bet_estimates_tell(self):
        assert onset(np.zeros((3, 0)), np.array([-5.0, -5, 5])).row == 2

    def test_is_within_a_window_for_most_losses_by_estimates(self):
        """Ten windows at the limit and five after a loss of 5 points, known to 3.3: the best there is comes to .8."""
        rng, runs = np.random.default_rng(17), 600
        levels = np.where(np.arange(15) < 10, 0.85, 0.80)
        near = 0
        for _ in range(runs):
            values = rng.normal(levels, 0.033)
            ratios = np.array([loss_ratio(interval(value, 1.96 * 0.033), 0.85, is_floor=True) for value in values])
            near += abs(onset(own_stakes(np.zeros(15)), ratios).row - 10) <= 1
        assert near / runs >= 0.7


class TestRatio:
    def test_is_even_half_way_between_the_limit_and_the_loss(self):
        assert loss_ratio(interval(0.85 - EVIDENCE.onset_loss / 2), 0.85, is_floor=True) == pytest.approx(0)

    def test_at_the_limit_it_speaks_against_a_loss_as_much_as_at_the_loss_for_it(self):
        at, lost = (loss_ratio(interval(value), 0.85, is_floor=True) for value in (0.85, 0.80))
        assert at == pytest.approx(-lost)
        assert at < 0

    def test_of_a_ceiling_is_that_of_the_floor_in_the_mirror(self):
        floor = loss_ratio(IntervalEstimate(0.8, 0.7, 0.84, 50), 0.85, is_floor=True)
        ceiling = loss_ratio(IntervalEstimate(0.2, 0.16, 0.3, 50), 0.15, is_floor=False)
        assert ceiling == pytest.approx(floor)

    def test_looks_at_the_better_side_alone(self):
        narrow, wide = (IntervalEstimate(0.8, low, 0.84, 50) for low in (0.75, 0.5))
        assert loss_ratio(narrow, 0.85, is_floor=True) == loss_ratio(wide, 0.85, is_floor=True)

    def test_is_nothing_without_an_estimate(self):
        assert loss_ratio(Undefined("no labels"), 0.85, is_floor=True) == 0

    def test_is_finite_where_nothing_is_better(self):
        assert np.isfinite(loss_ratio(IntervalEstimate(1.0, 0.97, 1.0, 100), 0.85, is_floor=True))

    def test_a_wider_interval_says_less(self):
        assert loss_ratio(interval(0.8, 0.03), 0.85, is_floor=True) > loss_ratio(
            interval(0.8, 0.09), 0.85, is_floor=True
        )
