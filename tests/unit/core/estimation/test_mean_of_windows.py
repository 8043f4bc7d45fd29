from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.mean_of_windows import mean_of_windows, shared_label_factor

SHARES = st.floats(0, 1)


def around(value, below, above=None):
    return IntervalEstimate(value, value - below, value + (below if above is None else above), 100.0)


class TestMean:
    def test_distances_are_added_as_squares_on_each_side(self):
        """Below .03 and .04 are .05, above .05 and .12 are .13: half of either beside the mean of two."""
        found = mean_of_windows([around(0.6, 0.03, 0.05), around(0.7, 0.04, 0.12)])
        assert (found.value, found.low, found.high) == pytest.approx((0.65, 0.625, 0.715))

    def test_of_one_window_is_that_window(self):
        assert mean_of_windows([around(0.1 + 0.2, 0.07)]) == around(0.1 + 0.2, 0.07)

    def test_of_windows_that_share_labels_is_wider(self):
        alike = [around(0.8, 0.04)] * 4
        assert mean_of_windows(alike, 2.25).half_width == pytest.approx(1.5 * mean_of_windows(alike).half_width)

    def test_stays_a_share(self):
        found = mean_of_windows([around(0.99, 0.2), around(0.98, 0.2)], 4.0)
        assert (found.low, found.high) == (pytest.approx(0.985 - 0.2 * sqrt(2)), 1.0)

    @given(st.lists(st.tuples(SHARES, SHARES, SHARES).map(sorted), min_size=1, max_size=13))
    def test_lies_inside_its_interval(self, ends):
        found = mean_of_windows([IntervalEstimate(value, low, high, 10.0) for low, value, high in ends])
        assert 0 <= found.low <= found.value <= found.high <= 1


class TestSharedLabels:
    def test_new_labels_every_time_change_nothing(self):
        assert [shared_label_factor(windows, 1.0) for windows in (1, 4, 13)] == [1.0, 1.0, 1.0]

    def test_the_same_labels_every_time_make_many_windows_as_good_as_one(self):
        assert [shared_label_factor(windows, 0.0) for windows in (1, 4, 13)] == pytest.approx([1, 4, 13])

    def test_half_of_them_new(self):
        """Three windows: 1 + 2 (2/3 x 1/2 + 1/3 x 1/4) = 11/6."""
        assert shared_label_factor(3, 0.5) == pytest.approx(11 / 6)

    @given(st.integers(1, 12), SHARES)
    def test_another_window_never_makes_the_mean_less_certain(self, windows, first_use):
        more = windows + 1
        now, then = shared_label_factor(windows, first_use) / windows, shared_label_factor(more, first_use) / more
        assert then <= now + 1e-12
