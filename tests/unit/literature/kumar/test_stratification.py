from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.cumulative_root_frequency import kernel_density
from stratawatch.literature.kumar.gaussian_mixture import mixture_cuts
from stratawatch.literature.kumar.k_means import k_means_cuts
from stratawatch.literature.kumar.stratification import (
    LEAST_ITEMS,
    STRATIFIERS,
    call_probability,
    cut_points,
    stratum_numbers,
)
from stratawatch.literature.kumar.weighted_values import WeightedValues
from tests.support.hypothesis_examples import examples

RNG = np.random.default_rng(20260105)
SKEWED = 1 / (1 + np.exp(-2.5 - RNG.normal(size=20_000)))


def sizes_of(z, cuts, weights=None):
    return np.bincount(stratum_numbers(z, cuts), weights=weights, minlength=len(cuts) + 1)


def square_error(z, cuts):
    home = stratum_numbers(z, cuts)
    return sum(((z[home == k] - z[home == k].mean()) ** 2).sum() for k in np.unique(home))


@pytest.mark.parametrize("by", STRATIFIERS)
class TestEveryStratifier:
    @pytest.mark.parametrize("strata", range(2, 11))
    def test_cuts_an_ordinary_population_into_as_many_as_asked(self, by, strata):
        cuts = cut_points(SKEWED, None, strata, by)
        assert len(cuts) == strata - 1
        assert bool((np.diff(cuts) > 0).all())
        assert bool((cuts > SKEWED.min()).all() and (cuts <= SKEWED.max()).all())

    def test_gives_one_stratum_where_every_score_is_the_same(self, by):
        assert cut_points(np.full(50, 0.7), None, 5, by).tolist() == []

    def test_gives_one_stratum_where_one_is_asked(self, by):
        assert cut_points(SKEWED, None, 1, by).tolist() == []

    @settings(max_examples=examples(40), deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), min_size=1, max_size=30), st.integers(1, 10))
    def test_leaves_no_stratum_empty_or_with_a_single_item(self, by, cells, strata):
        z, weights = (np.array(column, dtype=float) for column in zip(*cells, strict=True))
        if weights.sum() < 1:
            return
        cuts = cut_points(z, weights, strata, by)
        sizes = sizes_of(z, cuts, weights)
        assert len(cuts) < strata or len(cuts) == 0
        assert bool((sizes >= LEAST_ITEMS).all()) or len(cuts) == 0
        assert sizes.sum() == weights.sum()

    @settings(max_examples=examples(60), deadline=None)
    @given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(1, 10**9)), min_size=2, max_size=30), st.integers(2, 10))
    def test_survives_any_scale(self, by, cells, strata):
        """Values and counts that differ by any factor: no overflow, no division by 0, cuts in order."""
        z, weights = (np.array(column, dtype=float) for column in zip(*cells, strict=True))
        with np.errstate(all="raise", under="ignore"):
            cuts = cut_points(z, weights, strata, by)
        assert bool(np.isfinite(cuts).all() and (np.diff(cuts) > 0).all())

    def test_counts_say_the_same_as_the_items_one_by_one(self, by):
        z, weights = np.array([0.5, 0.6, 0.65, 0.8, 0.95, 1.0]), np.array([5, 9, 2, 7, 30, 11])
        items = np.repeat(z, weights)
        assert cut_points(z, weights, 3, by).tolist() == cut_points(items, None, 3, by).tolist()

    def test_does_not_depend_on_the_order_of_the_items(self, by):
        mixed = np.random.default_rng(3).permutation(SKEWED)
        assert cut_points(mixed, None, 4, by).tolist() == cut_points(SKEWED, None, 4, by).tolist()

    def test_follows_the_scale_of_the_values(self, by):
        """Cuts are made of sizes and distances only."""
        cuts = cut_points(SKEWED, None, 4, by)
        assert cut_points(1000 * SKEWED, None, 4, by).tolist() == pytest.approx((1000 * cuts).tolist(), rel=1e-6)

    def test_cuts_between_two_far_groups(self, by):
        z = np.r_[np.linspace(1, 1.1, 50), np.linspace(1.9, 2, 50)]
        if by == "WTMN":
            z = np.r_[np.linspace(1.9, 2, 25), np.linspace(1, 1.1, 47)]
        assert 1.05 < cut_points(z, None, 2, by)[0] <= 1.95

    def test_cuts_neighbouring_floats_without_a_warning(self, by):
        z = np.r_[np.full(5, 0.5), np.full(5, np.nextafter(0.5, 1))]
        assert sizes_of(z, cut_points(z, None, 2, by)).tolist() in ([5, 5], [10])


class TestKnownAnswers:
    def test_equal_sizes_are_equal(self):
        assert sizes_of(SKEWED, cut_points(SKEWED, None, 8, "EQSZ")).tolist() == [2500] * 8

    def test_equal_widths_are_equal(self):
        assert np.diff(cut_points(SKEWED, None, 5, "EQWD")).tolist() == pytest.approx([np.ptp(SKEWED) / 5] * 3)

    def test_the_sum_of_z_is_the_same_in_every_stratum(self):
        home = stratum_numbers(SKEWED, cut_points(SKEWED, None, 8, "WTMN"))
        assert np.bincount(home, SKEWED).tolist() == pytest.approx([SKEWED.sum() / 8] * 8, rel=1e-3)

    def test_a_flat_density_is_cut_like_equal_widths(self):
        """Away from the ends, where a kernel leaks, every root of a constant is a constant."""
        z = np.linspace(0, 1, 100_001)
        for by in ("SQRT", "CBRT"):
            assert cut_points(z, None, 4, by).tolist() == pytest.approx([0.25, 0.5, 0.75], abs=0.01)

    def test_an_exponential_density_has_its_closed_form(self):
        """f = e^-z: the integral of f^p to z is (1 - e^-pz)/p, so the cut is -log(1 - (1 - e^-p z_max) k/K)/p."""
        z = -np.log(1 - (np.arange(400_000) + 0.5) / 400_000 * (1 - np.exp(-5)))
        for by, power in (("SQRT", 1 / 2), ("CBRT", 1 / 3)):
            closed = -np.log(1 - (1 - np.exp(-5 * power)) * np.arange(1, 4) / 4) / power
            assert cut_points(z, None, 4, by).tolist() == pytest.approx(closed.tolist(), abs=0.06)

    def test_the_density_is_the_sum_of_kernels(self):
        values = WeightedValues.of(np.linspace(0, 1, 30) ** 2)
        centres = (np.arange(2048) + 0.5) / 2048
        sigma = np.linspace(0, 1, 30) ** 2
        width = sigma.std() * 30 ** (-1 / 5)
        kernels = np.exp(-0.5 * ((centres[:, None] - sigma) / width) ** 2).sum(axis=1)
        found = kernel_density(values)
        assert (found / found.sum()).tolist() == pytest.approx((kernels / kernels.sum()).tolist(), abs=3e-6)


class TestKMeans:
    @settings(max_examples=examples(60), deadline=None)
    @given(st.lists(st.integers(0, 60), min_size=4, max_size=9, unique=True), st.integers(2, 4))
    def test_no_other_cuts_are_better(self, z, strata):
        """All ways to cut so few values, one by one."""
        z = np.sort(np.array(z, dtype=float))
        ways = list(combinations((z[1:] + z[:-1]) / 2, strata - 1))
        assert len(ways) == comb(len(z) - 1, strata - 1)
        best = min(square_error(z, np.array(way)) for way in ways)
        assert square_error(z, k_means_cuts(WeightedValues.of(z), strata)) == pytest.approx(best, abs=1e-9)

    def test_as_many_clusters_as_values(self):
        assert k_means_cuts(WeightedValues.of(np.array([1.0, 2.0, 4.0])), 5).tolist() == [1.5, 3]


class TestGaussianMixture:
    def test_two_equal_normals_are_parted_half_way(self):
        rng = np.random.default_rng(4)
        z = np.r_[rng.normal(0, 1, 20_000), rng.normal(6, 1, 20_000)]
        assert mixture_cuts(WeightedValues.of(z), 2).tolist() == pytest.approx([3], abs=0.1)

    def test_a_rare_component_gives_way_early(self):
        """Means 0 and 6, variance 1, weights 9 : 1: equal where 6 z = 18 + log 9."""
        rng = np.random.default_rng(5)
        z = np.r_[rng.normal(0, 1, 45_000), rng.normal(6, 1, 5_000)]
        assert mixture_cuts(WeightedValues.of(z), 2).tolist() == pytest.approx([3 + np.log(9) / 6], abs=0.15)

    def test_a_wide_component_about_a_narrow_one_is_still_an_interval(self):
        rng = np.random.default_rng(6)
        z = np.r_[rng.normal(0, 3, 5000), rng.normal(0.2, 0.1, 5000)]
        assert len(mixture_cuts(WeightedValues.of(z), 2)) == 1


class TestMerging:
    def test_an_empty_width_joins_a_neighbour(self):
        z = np.r_[np.full(9, 0.0), np.full(5, 1.0)]
        assert sizes_of(z, cut_points(z, None, 7, "EQWD")).tolist() == [9, 5]

    def test_a_single_item_joins_the_smaller_neighbour(self):
        z = np.r_[np.full(20, 0.1), 0.5, np.full(3, 0.9)]
        assert sizes_of(z, cut_points(z, None, 3, "EQWD")).tolist() == [20, 4]

    def test_an_outlier_joins_what_is_below(self):
        z = np.r_[np.linspace(0, 1, 50), 9.0]
        assert sizes_of(z, cut_points(z, None, 2, "KM")).tolist() in ([51], [25, 26], [26, 25])


class TestRefusals:
    def test_an_unknown_stratifier(self):
        with pytest.raises(
            StratawatchError, match="no stratifier 'XYZ'; expected SQRT, CBRT, WTMN, KM, GMM, EQSZ, EQWD"
        ):
            cut_points(SKEWED, None, 3, "XYZ")

    def test_no_strata(self):
        with pytest.raises(StratawatchError, match="so few strata"):
            cut_points(SKEWED, None, 0, "KM")

    def test_equal_sums_of_negative_values(self):
        with pytest.raises(StratawatchError, match="negative sum"):
            cut_points(np.array([-1.0, 0.0, 1.0]), None, 2, "WTMN")


class TestCallProbability:
    def test_a_call_at_a_low_cut_off_may_be_an_unlikely_class(self):
        assert call_probability(np.array([0.35]), np.array([True])).tolist() == [0.35]

    def test_a_negative_call_is_as_sure_as_its_score_is_low(self):
        assert call_probability(np.array([0.1]), np.array([False])).tolist() == [0.9]

    @pytest.mark.parametrize("score", [-0.1, 1.1])
    def test_what_is_no_probability_is_refused(self, score):
        with pytest.raises(StratawatchError, match="not a probability"):
            call_probability(np.array([score]), np.array([True]))

    @pytest.mark.parametrize("score", [np.nan, np.inf])
    def test_a_missing_score_is_refused_when_it_is_cut(self, score):
        with pytest.raises(StratawatchError, match="not a finite number"):
            cut_points(np.array([score, 0.5]), None, 2, "EQWD")
