from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.literature.bennett.allocation_rules import ALLOCATION_RULES
from stratawatch.literature.bennett.multinomial import draw_bin_counts

SIZES, SHARES = np.array([100, 300, 600]), np.array([0.5, 0.1, 0.98])


@pytest.mark.parametrize("name", ALLOCATION_RULES)
class TestEveryStyle:
    def test_every_bin_has_a_chance(self, name):
        assert bool(np.all(ALLOCATION_RULES[name](SIZES, SHARES) > 0))

    def test_runs_side_by_side_are_runs_alone(self, name):
        many = np.stack([SHARES, SHARES[::-1]])
        alone = [ALLOCATION_RULES[name](SIZES, row).tolist() for row in many]
        assert ALLOCATION_RULES[name](SIZES, many).tolist() == alone

    def test_equal_bins_have_equal_chances(self, name):
        chances = ALLOCATION_RULES[name](np.full(4, 50), np.full(4, 0.3))
        assert chances.tolist() == [chances[0]] * 4


def test_chances_of_the_styles():
    """N S: 100 x .5, 300 x .3, 600 x .14."""
    assert ALLOCATION_RULES["uni"](SIZES, SHARES).tolist() == [1, 1, 1]
    assert ALLOCATION_RULES["pps"](SIZES, SHARES).tolist() == [100, 300, 600]
    assert ALLOCATION_RULES["opt"](SIZES, SHARES).tolist() == pytest.approx([50, 90, 84])


class TestThrown:
    def test_means_are_in_proportion(self):
        chances = np.broadcast_to([1.0, 3.0, 6.0], (4000, 3))
        found = draw_bin_counts(chances, None, 10, np.random.default_rng(1))
        assert found.sum(axis=1).tolist() == [10] * 4000
        assert found.mean(axis=0).tolist() == pytest.approx([1, 3, 6], abs=0.1)

    @given(st.lists(st.tuples(st.floats(1e-6, 1e6), st.integers(0, 12)), min_size=1, max_size=6), st.integers(0, 60))
    def test_sums_are_exact_within_the_capacity(self, bins, labels):
        chances, capacity = (np.array(column) for column in zip(*bins, strict=True))
        found = draw_bin_counts(chances, capacity, labels, np.random.default_rng(labels))
        assert bool(np.all((found >= 0) & (found <= capacity)))
        assert found.sum() == min(labels, capacity.sum())

    def test_a_full_bin_passes_labels_on_as_if_they_came_one_by_one(self):
        """Probabilities of all outcomes by enumerating sequences of four labels, against 20,000 throws."""
        chances, capacity, runs = np.array([0.6, 0.3, 0.1]), np.array([1, 2, 4]), 20_000
        expected = {}
        for sequence in product(range(3), repeat=4):
            taken, probability = np.zeros(3, dtype=int), 1.0
            for bin_ in sequence:
                open_ = np.where(capacity > taken, chances, 0)
                probability *= open_[bin_] / open_.sum()
                taken[bin_] += 1
            expected[tuple(taken.tolist())] = expected.get(tuple(taken.tolist()), 0) + probability
        found = draw_bin_counts(np.tile(chances, (runs, 1)), np.tile(capacity, (runs, 1)), 4, np.random.default_rng(2))
        for outcome, probability in expected.items():
            share = float((found == outcome).all(axis=1).mean())
            assert share == pytest.approx(probability, abs=4 * np.sqrt(probability * (1 - probability) / runs) + 1e-9)

    def test_runs_that_are_full_do_not_hold_up_the_others(self):
        found = draw_bin_counts(np.ones((2, 2)), np.array([[0, 0], [3, 9]]), 8, np.random.default_rng(3))
        assert found[0].tolist() == [0, 0]
        assert found[1].sum() == 8
