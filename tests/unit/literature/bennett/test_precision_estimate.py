import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.estimate import Undefined
from stratawatch.errors import StratawatchError
from stratawatch.literature.bennett.precision_estimate import (
    bin_shares,
    estimate_precision,
    m_estimate,
    weighted_mean,
    weighted_mean_variance,
)


class TestMEstimate:
    def test_without_labels_it_is_one_half(self):
        assert m_estimate(np.array(0), np.array(0)) == 0.5

    def test_sixteen_yes(self):
        """M is 1/4: (16 + 1/8)/(16 + 1/4)."""
        assert m_estimate(np.array(16), np.array(16)) == pytest.approx(16.125 / 16.25)

    @given(st.integers(0, 500), st.integers(0, 500))
    def test_it_is_inside_and_yes_and_no_are_alike(self, yes, no):
        share, mirrored = (float(m_estimate(np.array(h), np.array(yes + no))) for h in (yes, no))
        assert 0 < share < 1
        assert share + mirrored == pytest.approx(1)


class TestVariance:
    def test_one_bin_is_a_random_sample(self):
        """p (1 - p)/(n - 1)."""
        assert weighted_mean_variance(
            np.array([900]), np.array([101]), np.array([0.2]), replacement=True
        ) == pytest.approx(0.0016)

    def test_without_replacement_the_rest_counts(self):
        found = weighted_mean_variance(np.array([202]), np.array([101]), np.array([0.2]), replacement=False)
        assert found == pytest.approx(0.0008)

    def test_two_bins(self):
        """(3/4)^2 x .16/100 + (1/4)^2 x .25/25."""
        found = weighted_mean_variance(
            np.array([300, 100]), np.array([101, 26]), np.array([0.2, 0.5]), replacement=True
        )
        assert found == pytest.approx(0.5625 * 0.0016 + 0.0625 * 0.01)

    def test_a_bin_with_one_label_divides_by_one(self):
        found = weighted_mean_variance(np.array([50, 50]), np.array([1, 1]), np.array([0.75, 0.75]), replacement=True)
        assert found == pytest.approx(2 * 0.25 * 0.1875)


class TestOutcome:
    @pytest.mark.parametrize(("labels", "yes"), [([5, 5], [6, 0]), ([11, 5], [0, 0]), ([5, 5], [-1, 0])])
    def test_counts_that_contradict_one_another_are_refused(self, labels, yes):
        with pytest.raises(StratawatchError, match="counts contradict one another"):
            estimate_precision(np.array([10, 10]), np.array(labels), np.array(yes))

    def test_no_label_is_no_information(self):
        nothing = np.zeros(3, dtype=np.int64)
        assert isinstance(estimate_precision(np.array([5, 5, 5]), nothing, nothing), Undefined)

    def test_a_bin_without_labels_is_one_half_and_widens_the_interval(self):
        sizes, labels, yes = np.array([90, 10]), np.array([60, 0]), np.array([60, 0])
        found, without = estimate_precision(sizes, labels, yes), estimate_precision(sizes[:1], labels[:1], yes[:1])
        assert found.value == pytest.approx(0.9 * without.value + 0.05)
        assert found.half_width > 0.9 * without.half_width

    def test_all_items_labelled_is_certain(self):
        found = estimate_precision(np.array([40, 10]), np.array([40, 10]), np.array([39, 2]))
        assert (found.value, found.low, found.high, found.n_eff) == (0.82, 0.82, 0.82, 50)

    def test_with_replacement_nothing_is_certain(self):
        all_yes = np.array([40])
        rates = bin_shares(all_yes, all_yes, all_yes, replacement=True)
        assert weighted_mean(all_yes, rates) < 1
        assert weighted_mean_variance(all_yes, all_yes, rates, replacement=True) > 0

    def test_the_interval_stays_between_0_and_1(self):
        found = estimate_precision(np.array([1000]), np.array([4]), np.array([4]))
        assert found.high == 1
        assert found.low > 0

    def test_a_random_sample_is_worth_its_labels(self):
        found = estimate_precision(np.array([10**9]), np.array([401]), np.array([200]))
        assert found.n_eff == pytest.approx(400, rel=1e-3)


def test_a_bin_that_is_labelled_to_the_last_item_is_not_smoothed():
    rates = bin_shares(np.array([9, 10]), np.array([9, 9]), np.array([9, 9]), replacement=False)
    assert rates[0] == 1
    assert rates[1] == pytest.approx((9 + 1 / 6) / (9 + 1 / 3))


def test_precision_weighs_bins_by_their_items():
    assert weighted_mean(np.array([300, 100]), np.array([0.9, 0.5])) == pytest.approx(0.8)
