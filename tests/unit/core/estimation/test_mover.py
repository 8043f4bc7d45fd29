from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.estimation.mover import IntervalEnds, difference_interval, metric_interval, ratio_interval
from stratawatch.core.metrics import METRICS, SideTotals


def ratio(tp, fn, tp_ends, fn_ends):
    """The interval of TP/(TP + FN)."""
    low, high = ratio_interval(
        *(np.array(float(x)) for x in (tp, fn)),
        *(IntervalEnds(*(np.array(float(x)) for x in e)) for e in (tp_ends, fn_ends)),
    )
    return float(low), float(high)


class TestRatio:
    def test_hand_arithmetic(self):
        """TP 80 in [70, 88], FN 20 in [12, 30]: c = 70 x 90 = 6300, TP FN = 1600, u2(2FN - u2) = 300, l2(2FN - l2) = 336.

        Lower odds 6300/(1600 + sqrt(1600^2 - 300 x 6300)); upper odds (1600 + sqrt(1600^2 - 336 x 88 x 72))/336.
        """
        low_odds = 6300 / (1600 + sqrt(670_000))
        high_odds = (1600 + sqrt(1600**2 - 336 * 88 * 72)) / 336
        expected = (low_odds / (1 + low_odds), high_odds / (1 + high_odds))
        assert ratio(80, 20, (70, 88), (12, 30)) == pytest.approx(expected)

    def test_without_misses_the_upper_end_is_one(self):
        low, high = ratio(80, 0, (70, 88), (0, 5))
        assert high == 1.0
        assert 0.9 < low < 80 / 85

    def test_without_hits_the_lower_end_is_zero(self):
        low, high = ratio(0, 20, (0, 4), (12, 30))
        assert low == 0.0
        assert 4 / 34 < high < 0.35

    def test_without_anything_called_positive_recall_is_exactly_zero(self):
        assert ratio(0, 20, (0, 0), (0, 30)) == (0.0, 0.0)

    def test_exact_totals_give_an_exact_recall(self):
        assert ratio(3, 1, (3, 3), (1, 1)) == pytest.approx((0.75, 0.75))

    def test_arrays_are_taken_place_by_place(self):
        tp, fn = np.array([80.0, 3.0]), np.array([20.0, 1.0])
        found = ratio_interval(
            tp, fn, IntervalEnds(np.array([70.0, 3]), np.array([88.0, 3])), IntervalEnds(*np.array([[12, 1], [30, 1]]))
        )
        assert [found.low[0], found.high[0]] == pytest.approx(ratio(80, 20, (70, 88), (12, 30)))
        assert [found.low[1], found.high[1]] == pytest.approx([0.75, 0.75])


totals = st.floats(0.1, 1e5)
shares = st.floats(0.01, 1)


@given(totals, totals, shares, shares, shares, shares)
def test_the_interval_holds_the_recall(tp, fn, low_tp, high_tp, low_fn, high_fn):
    low, high = ratio(tp, fn, (tp * low_tp, tp / high_tp), (fn * low_fn, fn / high_fn))
    assert -1e-9 <= low <= tp / (tp + fn) * (1 + 1e-9)
    assert tp / (tp + fn) * (1 - 1e-9) <= high <= 1 + 1e-9


@given(totals, totals, shares, shares)
def test_hits_and_misses_turned_over_turn_the_interval_over(tp, fn, of_tp, of_fn):
    tp_ends, fn_ends = (tp * of_tp, tp / of_tp), (fn * of_fn, fn / of_fn)
    low, high = ratio(tp, fn, tp_ends, fn_ends)
    turned_low, turned_high = ratio(fn, tp, fn_ends, tp_ends)
    assert turned_low == pytest.approx(1 - high, abs=1e-6)
    assert turned_high == pytest.approx(1 - low, abs=1e-6)


def columns(*numbers):
    return [np.array(float(number)) for number in numbers]


def f1_ends(tp, fn, of_tp, of_fn):
    return metric_interval(METRICS["f1"], SideTotals(*columns(100, 900, tp, fn)), of_tp, of_fn)


class TestF1:
    def test_hand_arithmetic(self):
        """|A| = 100, TP 80 in [70, 88], FN 20 in [12, 30]: F1 = .8; alone, TP moves it to 140/190 and 176/208, FN to
        160/210 and 160/192.
        """
        low, high = f1_ends(80, 20, IntervalEnds(*columns(70, 88)), IntervalEnds(*columns(12, 30)))
        assert float(low) == pytest.approx(0.8 - sqrt((0.8 - 140 / 190) ** 2 + (0.8 - 160 / 210) ** 2))
        assert float(high) == pytest.approx(0.8 + sqrt((176 / 208 - 0.8) ** 2 + (160 / 192 - 0.8) ** 2))

    @given(*[st.floats(0, 1)] * 6)
    def test_stays_between_zero_and_one_and_holds_its_value(self, tp, fn, low_tp, high_tp, low_fn, high_fn):
        tp, fn = 100 * tp, 900 * fn
        ends = (
            IntervalEnds(*columns(tp * low_tp, tp + (100 - tp) * high_tp)),
            IntervalEnds(*columns(fn * low_fn, fn + (900 - fn) * high_fn)),
        )
        low, high = f1_ends(tp, fn, *ends)
        assert 0 <= float(low) <= 2 * tp / (100 + tp + fn) <= float(high) <= 1


class TestDifference:
    def test_independent_parts_add_their_squares(self):
        ends = difference_interval(
            *columns(0.8, 0.7), IntervalEnds(*columns(0.7, 0.9)), IntervalEnds(*columns(0.65, 0.8)), 0.0
        )
        assert [float(end) for end in ends] == pytest.approx([0.1 - sqrt(0.02), 0.1 + sqrt(0.0125)])

    def test_correlated_parts_cancel(self):
        equal = IntervalEnds(*columns(0.7, 0.9))
        ends = difference_interval(*columns(0.8, 0.8), equal, equal, 1.0)
        assert [float(end) for end in ends] == pytest.approx([0, 0], abs=1e-8)
