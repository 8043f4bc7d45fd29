from itertools import combinations, product

import numpy as np
import pytest

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.stratified_share import (
    StratifiedShare,
    expected_variance,
    stratified_share,
    wald_interval,
)


def share(sizes, labels, yes):
    return stratified_share(*(np.array(counts) for counts in (sizes, labels, yes)))


class TestHandArithmetic:
    def test_two_strata(self):
        """.6 x .8 + .4 x .5 = .68; v = .36 x .16/9 + .16 x .25/9."""
        found = share([600 * 10**9, 400 * 10**9], [10, 10], [8, 5])
        assert (found.value, found.variance) == pytest.approx((0.68, 0.36 * 0.16 / 9 + 0.16 * 0.25 / 9))

    def test_without_replacement_labelled_items_no_longer_vary(self):
        found = share([20, 40], [10, 10], [8, 5])
        assert found.variance == pytest.approx(1 / 9 * 0.16 / 9 * 0.5 + 4 / 9 * 0.25 / 9 * 0.75)

    def test_random_sampling_is_one_stratum(self):
        """a (1 - a)/(n - 1) = .8 x .2/99."""
        found = share([10**12], [100], [80])
        assert (found.value, found.variance) == pytest.approx((0.8, 0.16 / 99))


class TestEnumeration:
    """Every draw of 2 of 4 and 3 of 5 items: the estimators are right on average."""

    ITEMS = ((1, 1, 0, 1), (0, 1, 0, 0, 1))

    def draws(self):
        ways = [list(combinations(items, n)) for items, n in zip(self.ITEMS, (2, 3), strict=True)]
        return [share([4, 5], [2, 3], [sum(draw) for draw in both]) for both in product(*ways)]

    def test_the_mean_is_unbiased(self):
        assert np.mean([found.value for found in self.draws()]) == pytest.approx(5 / 9)

    def test_its_variance_is_that_of_the_closed_form(self):
        true = expected_variance(np.array([4, 5]), np.array([3 / 4, 2 / 5]), np.array([2, 3]))
        assert np.var([found.value for found in self.draws()]) == pytest.approx(true)

    def test_the_estimated_variance_is_unbiased(self):
        true = expected_variance(np.array([4, 5]), np.array([3 / 4, 2 / 5]), np.array([2, 3]))
        assert np.mean([found.variance for found in self.draws()]) == pytest.approx(true)


class TestNoInformation:
    def test_a_single_label_tells_no_variance(self):
        assert isinstance(share([10, 10], [5, 1], [5, 1]), Undefined)

    def test_a_single_item_needs_no_variance(self):
        assert share([1, 10], [1, 5], [1, 3]).variance == pytest.approx((10 / 11) ** 2 * 0.6 * 0.4 / 4 * 0.5)


class TestWald:
    def test_symmetrical(self):
        """.7 +- 1.96 x .05."""
        found = wald_interval(StratifiedShare(0.7, 0.0025, 10_000, exact=False))
        assert (found.low, found.high) == pytest.approx((0.602, 0.798), abs=1e-4)
        assert found.n_eff == pytest.approx(0.21 / 0.0025)

    def test_cut_off_at_one(self):
        assert wald_interval(StratifiedShare(0.99, 0.0025, 10_000, exact=False)).high == 1

    def test_rounding_makes_no_share_of_more_than_all(self):
        """These weights add up to 1.0000000000000002."""
        sizes = np.array([45, 42, 55, 55, 11, 7, 8])
        assert float(sizes / sizes.sum() @ np.ones(7)) > 1
        assert wald_interval(share(sizes, sizes, sizes)) == IntervalEstimate(1, 1, 1, 223)

    def test_labels_that_all_agree_tell_no_interval(self):
        assert isinstance(wald_interval(share([100, 100], [10, 10], [10, 0])), Undefined)

    def test_what_was_labelled_wholly_is_exact(self):
        assert wald_interval(share([4, 5], [4, 5], [3, 5])) == IntervalEstimate(8 / 9, 8 / 9, 8 / 9, 9)

    def test_no_information_stays_none(self):
        nothing = Undefined("why")
        assert wald_interval(nothing) is nothing

    def test_a_fixed_allocation_covers(self):
        """2,000 draws at A = .8: 95% within three standard errors, a little less for the normal approximation."""
        rng = np.random.default_rng(1)
        labels, sizes, right = np.array([80, 60, 60]), np.array([4000, 3000, 3000]), np.array([2600, 2500, 2900])
        drawn = rng.hypergeometric(right, sizes - right, labels, (2000, 3))
        ends = [wald_interval(stratified_share(sizes, labels, yes)) for yes in drawn]
        assert np.mean([end.low <= 0.8 <= end.high for end in ends]) == pytest.approx(0.945, abs=0.015)


class TestRefusals:
    def test_counts_of_other_strata(self):
        with pytest.raises(StratawatchError, match="counts contradict one another"):
            share([10, 10], [5], [5])

    @pytest.mark.parametrize(("labels", "yes"), [([11], [5]), ([5], [6]), ([5], [-1])])
    def test_labels_that_cannot_be(self, labels, yes):
        with pytest.raises(StratawatchError, match="counts contradict one another"):
            share([10], labels, yes)
