import numpy as np
import pytest

from stratawatch.core.planning.allocation import neyman_multipurpose

SIZES, RATES = np.array([100.0, 300.0, 600.0]), np.array([0.5, 0.1, 0.9])
NEEDS = SIZES**2 * RATES * (1 - RATES)


def test_every_stratum_gets_a_finite_weight():
    weights = neyman_multipurpose(NEEDS)
    assert weights.shape == (3,)
    assert bool(np.all(np.isfinite(weights) & (weights >= 0)))


def test_equal_strata_get_equal_weights():
    weights = neyman_multipurpose(np.full(4, 0.3))
    assert weights.tolist() == [weights[0]] * 4


def test_for_one_goal_it_is_neymans():
    """N S: 100 x .5, 300 x .3, 600 x .3."""
    weights = neyman_multipurpose(NEEDS)
    assert (weights / weights.sum()).tolist() == pytest.approx([50 / 320, 90 / 320, 180 / 320])


def test_it_beats_its_neighbours_with_the_same_number_of_labels():
    needs = NEEDS * np.array([1.0, 4.0, 0.25])
    best = neyman_multipurpose(needs)
    best = 100 * best / best.sum()
    for move in ([1, -1, 0], [0, 1, -1], [-1, 0, 1], [-1, 1, 0]):
        neighbour = best + np.array(move)
        assert neighbour.sum() == pytest.approx(best.sum())
        assert (needs / best).sum() < (needs / neighbour).sum()
