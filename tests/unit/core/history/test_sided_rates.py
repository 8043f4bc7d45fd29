import numpy as np
import pytest

from stratawatch.core.history.sided_rates import sided_rates
from stratawatch.core.history.working_model import logit

PRIOR = np.array([0.02, 0.1, 0.5, 0.9])
CALLED = np.array([False, False, True, True])
SIZES = np.array([90_000.0, 8000, 1000, 1000])
LABELLED = np.array([400.0, 200, 200, 400])


def found_rates(prior, called, positive, labelled):
    return sided_rates(prior, called[:, None], SIZES[: len(prior)], positive, labelled)


def test_labels_as_expected_move_nothing():
    found = found_rates(PRIOR, CALLED, PRIOR * LABELLED, LABELLED)
    assert found.rates == pytest.approx(PRIOR, abs=1e-6)
    assert found.surprise == pytest.approx(0, abs=1e-6)


def test_without_labels_history_stands():
    found = found_rates(PRIOR, CALLED, np.zeros(4), np.zeros(4))
    assert found.rates == pytest.approx(PRIOR)
    assert found.surprise == 0


def test_a_common_change_of_level_moves_every_rate_and_is_little_surprise():
    """All logits lie .5 higher: the common shift takes nearly all of it."""
    moved = 1 / (1 + np.exp(-(logit(PRIOR) + 0.5)))
    found = found_rates(PRIOR, CALLED, moved * LABELLED, LABELLED)
    assert logit(found.rates) - logit(PRIOR) == pytest.approx(0.5, abs=0.1)
    assert found.surprise < 1


def test_a_break_on_one_side_is_a_surprise_and_moves_that_side():
    """A fifth of the called positives turn false, and what is not called stays as it was."""
    broken = np.where(CALLED, 0.8 * PRIOR, PRIOR)
    found = found_rates(PRIOR, CALLED, broken * LABELLED, LABELLED)
    assert found.surprise > 2.5
    assert (found.rates[CALLED] < 0.95 * PRIOR[CALLED]).all()
    assert found.rates[~CALLED] == pytest.approx(PRIOR[~CALLED], rel=0.25)


def test_a_side_moves_by_what_exceeds_one_standard_error():
    """Less than one standard error off: only the common shift moves it."""
    some = np.array([0.0, 100, 0, 0])
    expected = 10.0
    near = found_rates(np.full(4, 0.1), CALLED, np.array([0, expected + 2, 0, 0]), some)
    assert near.surprise < 1
    assert np.ptp(near.rates) == pytest.approx(0, abs=1e-12)
    far = found_rates(np.full(4, 0.1), CALLED, np.array([0, expected + 20, 0, 0]), some)
    assert far.rates[1] == pytest.approx(far.rates[0])
    assert far.rates[0] > far.rates[2]


def test_no_rate_is_certain():
    found = found_rates(np.array([1e-9, 1 - 1e-9]), np.array([False, True]), np.zeros(2), np.zeros(2))
    assert found.rates.tolist() == [0.00001, 0.999]
