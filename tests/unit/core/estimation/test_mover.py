from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.estimation.mover import recall_interval


def test_hand_arithmetic():
    """TP 80 in [70, 88], FN 20 in [12, 30]: c = 70 x 90 = 6300, TP FN = 1600, u2(2FN - u2) = 300, l2(2FN - l2) = 336.

    Lower odds 6300/(1600 + sqrt(1600^2 - 300 x 6300)); upper odds (1600 + sqrt(1600^2 - 336 x 88 x 72))/336.
    """
    low_odds = 6300 / (1600 + sqrt(670_000))
    high_odds = (1600 + sqrt(1600**2 - 336 * 88 * 72)) / 336
    expected = (low_odds / (1 + low_odds), high_odds / (1 + high_odds))
    assert recall_interval(80, 20, (70, 88), (12, 30)) == pytest.approx(expected)


def test_without_misses_the_upper_end_is_one():
    low, high = recall_interval(80, 0, (70, 88), (0, 5))
    assert high == 1.0
    assert 0.9 < low < 80 / 85


def test_without_hits_the_lower_end_is_zero():
    low, high = recall_interval(0, 20, (0, 4), (12, 30))
    assert low == 0.0
    assert 4 / 34 < high < 0.35


def test_without_anything_called_positive_recall_is_exactly_zero():
    assert recall_interval(0, 20, (0, 0), (0, 30)) == (0.0, 0.0)


def test_exact_totals_give_an_exact_recall():
    assert recall_interval(3, 1, (3, 3), (1, 1)) == pytest.approx((0.75, 0.75))


totals = st.floats(0.1, 1e5)
shares = st.floats(0.01, 1)


@given(totals, totals, shares, shares, shares, shares)
def test_the_interval_holds_the_recall(tp, fn, low_tp, high_tp, low_fn, high_fn):
    low, high = recall_interval(tp, fn, (tp * low_tp, tp / high_tp), (fn * low_fn, fn / high_fn))
    assert -1e-9 <= low <= tp / (tp + fn) * (1 + 1e-9)
    assert tp / (tp + fn) * (1 - 1e-9) <= high <= 1 + 1e-9


@given(totals, totals, shares, shares)
def test_hits_and_misses_turned_over_turn_the_interval_over(tp, fn, of_tp, of_fn):
    tp_ends, fn_ends = (tp * of_tp, tp / of_tp), (fn * of_fn, fn / of_fn)
    low, high = recall_interval(tp, fn, tp_ends, fn_ends)
    turned_low, turned_high = recall_interval(fn, tp, fn_ends, tp_ends)
    assert turned_low == pytest.approx(1 - high, abs=1e-6)
    assert turned_high == pytest.approx(1 - low, abs=1e-6)
