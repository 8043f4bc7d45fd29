import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.wilson import wilson_interval

shares, sizes = st.floats(0, 1), st.floats(0.5, 1e6)


def ends(value, n, confidence=0.95):
    low, high = wilson_interval(np.asarray(value), np.asarray(float(n)), confidence)
    return float(low), float(high)


def test_as_statsmodels_and_r_give_it():
    """prop.test(15, 148, correct = FALSE): Newcombe 1998's example."""
    assert ends(15 / 148, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)


def test_nothing_found_is_an_upper_bound_and_never_plus_minus_zero():
    squared = normal_quantile(0.95) ** 2
    assert ends(0.0, 20) == pytest.approx((0.0, squared / (20 + squared)))


@given(shares, sizes)
def test_both_ends_solve_the_score_equation(value, n):
    for end in ends(value, n):
        if 1e-9 < end < 1 - 1e-9:
            assert n * (value - end) ** 2 == pytest.approx(
                normal_quantile(0.95) ** 2 * end * (1 - end), rel=1e-6, abs=1e-9
            )


@given(shares, sizes)
def test_it_holds_the_share_and_stays_inside(value, n):
    low, high = ends(value, n)
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1


@given(shares, sizes)
def test_yes_and_no_turned_over_turn_it_over(value, n):
    low, high = ends(value, n)
    assert ends(1 - value, n) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(shares, sizes)
def test_more_labels_or_less_confidence_are_narrower(value, n):
    low, high = ends(value, n)
    for other in (ends(value, 2 * n), ends(value, n, 0.9)):
        assert other[1] - other[0] <= high - low + 1e-12
