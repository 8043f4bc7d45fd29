import numpy as np
import pytest

from stratawatch.core.allocations import ALLOCATIONS

SIZES, RATES = np.array([100.0, 300.0, 600.0]), np.array([0.5, 0.1, 0.9])


@pytest.mark.parametrize("name", ALLOCATIONS)
class TestEveryAllocation:
    def test_gives_a_finite_weight_to_every_cell(self, name):
        weights = ALLOCATIONS[name](SIZES, RATES, np.ones(3))
        assert weights.shape == (3,)
        assert bool(np.all(np.isfinite(weights) & (weights >= 0)))

    def test_equal_cells_get_equal_weights(self, name):
        weights = ALLOCATIONS[name](np.full(4, 50.0), np.full(4, 0.3), np.full(4, 2.0))
        assert weights.tolist() == [weights[0]] * 4


def test_sum_of_squares_is_neyman_for_one_goal():
    """N S: 100 x .5, 300 x .3, 600 x .3."""
    weights = ALLOCATIONS["sum_of_squares"](SIZES, RATES, np.full(3, 4.0))
    assert (weights / weights.sum()).tolist() == pytest.approx([50 / 320, 90 / 320, 180 / 320])


def test_proportional_is_the_sizes():
    assert ALLOCATIONS["proportional"](SIZES, RATES, np.ones(3)).tolist() == SIZES.tolist()


def test_sum_of_squares_beats_its_neighbours():
    importance = np.array([1.0, 4.0, 0.25])
    best = ALLOCATIONS["sum_of_squares"](SIZES, RATES, importance)
    best = 100 * best / best.sum()

    def loss(n):
        return float((SIZES**2 * importance * RATES * (1 - RATES) / n).sum())

    for move in ([1, -1, 0], [0, 1, -1], [-1, 0, 1], [-1, 1, 0]):
        assert loss(best) < loss(best + np.array(move))
