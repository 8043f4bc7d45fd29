import numpy as np
import pytest

from stratawatch.core.allocations import ALLOCATIONS

SIZES, RATES = np.array([100.0, 300.0, 600.0]), np.array([0.5, 0.1, 0.9])
NEEDS = SIZES**2 * RATES * (1 - RATES)


@pytest.mark.parametrize("name", ALLOCATIONS)
class TestEveryAllocation:
    def test_gives_a_finite_weight_to_every_stratum(self, name):
        weights = ALLOCATIONS[name](SIZES, NEEDS)
        assert weights.shape == (3,)
        assert bool(np.all(np.isfinite(weights) & (weights >= 0)))

    def test_equal_strata_get_equal_weights(self, name):
        weights = ALLOCATIONS[name](np.full(4, 50.0), np.full(4, 0.3), np.full(4, 2.0))
        assert weights.tolist() == [weights[0]] * 4

    def test_labels_that_all_cost_one_cost_nothing_special(self, name):
        assert ALLOCATIONS[name](SIZES, NEEDS, np.ones(3)).tolist() == ALLOCATIONS[name](SIZES, NEEDS).tolist()


def test_sum_of_squares_is_neyman_for_one_goal():
    """N S: 100 x .5, 300 x .3, 600 x .3."""
    weights = ALLOCATIONS["sum_of_squares"](SIZES, NEEDS)
    assert (weights / weights.sum()).tolist() == pytest.approx([50 / 320, 90 / 320, 180 / 320])


def test_labels_that_cost_four_times_as_much_are_halved():
    plain, dear = (ALLOCATIONS["sum_of_squares"](SIZES, NEEDS, costs) for costs in (None, np.array([4.0, 1, 1])))
    assert (dear / plain).tolist() == pytest.approx([0.5, 1, 1])


def test_proportional_is_the_sizes():
    assert ALLOCATIONS["proportional"](SIZES, NEEDS).tolist() == SIZES.tolist()


@pytest.mark.parametrize("costs", [np.ones(3), np.array([1.0, 2.0, 5.0])])
def test_sum_of_squares_beats_its_neighbours_at_the_same_cost(costs):
    needs = NEEDS * np.array([1.0, 4.0, 0.25])
    best = ALLOCATIONS["sum_of_squares"](SIZES, needs, costs)
    best = 100 * best / best.sum()
    for move in ([1, -1, 0], [0, 1, -1], [-1, 0, 1], [-1, 1, 0]):
        neighbour = best + np.array(move) / costs
        assert costs @ neighbour == pytest.approx(costs @ best)
        assert (needs / best).sum() < (needs / neighbour).sum()
