"""Draws: every sequence of distinct numbers is equally likely, and counts follow the places of the pools."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.coverage.draws import ordered, pools
from stratawatch.core.labelled_sample import FOLDS, assign_folds


@pytest.fixture
def rng():
    return np.random.default_rng(5)


class TestOrdered:
    @pytest.mark.parametrize(("size", "length"), [(4, 3), (5, 1), (12, 3), (12, 2)])
    def test_every_sequence_of_distinct_numbers_is_equally_likely(self, rng, size, length):
        """Short sequences are drawn by repetition, long ones by a shuffle; 6 standard errors of a Poisson count."""
        kinds = int(np.prod(np.arange(size - length + 1, size + 1)))
        runs = 200 * kinds
        seen = Counter(map(tuple, ordered(rng, size, length, runs).tolist()))
        assert len(seen) == kinds
        assert max(abs(count - 200) for count in seen.values()) < 6 * np.sqrt(200)

    def test_all_of_them_is_a_permutation(self, rng):
        assert (np.sort(ordered(rng, 7, 7, 20), axis=1) == np.arange(7)).all()

    def test_none_of_them_is_nothing(self, rng):
        assert ordered(rng, 5, 0, 3).shape == (3, 0)


class TestPools:
    def test_a_whole_pool_holds_all_items_of_its_stratum(self, rng):
        strata, sizes, yes = np.array([0, 1, 0]), np.array([4, 30, 3]), np.array([1, 2, 3])
        drawn = pools(rng, strata, sizes, yes, [7, 0], runs=6)
        counts = drawn.counted(np.array([[7, 0]])).sum(axis=1)
        assert (counts == np.array([[3, 1], [0, 0], [0, 3]])).all()

    def test_more_labels_only_add(self, rng):
        drawn = pools(rng, np.array([0, 0, 1]), np.array([50, 60, 70]), np.array([5, 50, 7]), [40, 30], runs=4)
        few, many = drawn.counted(np.array([[10, 5]])), drawn.counted(np.array([[25, 30]]))
        assert (few <= many).all()
        assert (few.sum(axis=(1, 2, 3)) == 15).all()

    def test_totals_may_differ_from_run_to_run(self, rng):
        drawn = pools(rng, np.array([0, 1]), np.array([50, 70]), np.array([5, 7]), [40, 30], runs=2)
        counts = drawn.counted(np.array([[1, 2], [3, 30]])).sum(axis=(1, 3))
        assert counts.tolist() == [[1, 2], [3, 30]]

    def test_folds_are_dealt_as_the_product_deals_them(self, rng):
        drawn = pools(rng, np.array([0, 1]), np.array([50, 70]), np.array([5, 7]), [8, 6], runs=1)
        counts = drawn.counted(np.array([[8, 6]])).sum(axis=(0, 3))
        dealt = assign_folds(np.repeat([0, 1], [8, 6]))
        assert counts[:, 0].tolist() == np.bincount(dealt[:8], minlength=FOLDS).tolist()
        assert counts[:, 1].tolist() == np.bincount(dealt[8:], minlength=FOLDS).tolist()

    def test_counts_have_the_mean_of_a_simple_random_draw(self, rng):
        sizes, yes = np.array([40, 160]), np.array([10, 16])
        drawn = pools(rng, np.array([0, 0]), sizes, yes, [20], runs=4000)
        mean = drawn.counted(np.array([[20]])).sum(axis=1).mean(axis=0)
        assert mean == pytest.approx(np.stack([sizes - yes, yes], axis=1) / 10, abs=0.12)
