import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from stratawatch.core.cells import Cells
from stratawatch.core.history.working_model import (
    intercept_shift,
    linear_features,
    logistic,
    offset_correction,
    quadratic_features,
    ridge_coefficients,
    score_logit,
    standardised_logits,
)

SCORES = np.array([0.01, 0.1, 0.3, 0.6, 0.9])
MADE = Cells.of(("a",), ["0", "0", "0", "1", "1"], np.array([5000.0, 1000, 500, 300, 200]), SCORES)
ANSWERED, YES = np.full(5, 40.0), np.array([0.0, 3, 10, 22, 37])


def fit(columns, positives, labelled, *, penalty):
    """Fitted probabilities of every cell."""
    return logistic(ridge_coefficients(columns, positives, labelled, penalty=penalty) @ columns.T)


def test_standardised_scores_have_mean_zero_and_variance_one_over_the_items():
    z = standardised_logits(MADE)
    assert MADE.sizes @ z == pytest.approx(0, abs=1e-8)
    assert MADE.sizes @ z**2 / MADE.sizes.sum() == pytest.approx(1)


def test_constant_scores_are_no_information():
    made = Cells.of(("a",), ["0", "1"], np.array([10.0, 10]), np.array([0.4, 0.4]))
    assert standardised_logits(made).tolist() == [0, 0]


@pytest.mark.parametrize("columns", [linear_features, quadratic_features])
@pytest.mark.parametrize("penalty", [0.25, 5.0])
def test_agrees_with_a_general_optimiser(columns, penalty):
    x = columns(MADE)
    pooled = (YES.sum() + 0.5) / (ANSWERED.sum() + 1)
    start = np.zeros(x.shape[1])
    start[0] = np.log(pooled / (1 - pooled))
    ridge = np.full(x.shape[1], penalty)
    ridge[0] = 0.5 * pooled * (1 - pooled)

    def loss(beta):
        eta = x @ beta
        return float((ANSWERED * np.logaddexp(0, eta) - YES * eta).sum() + ridge @ (beta - start) ** 2 / 2)

    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x
    assert fit(x, YES, ANSWERED, penalty=penalty).tolist() == pytest.approx(expit(x @ best).tolist(), abs=1e-5)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_labels_that_all_agree_do_not_diverge(share):
    fitted = fit(quadratic_features(MADE), ANSWERED * share, ANSWERED, penalty=0.5)
    assert bool(np.all(np.isfinite(fitted)))
    assert bool(np.all(np.abs(fitted - share) < 0.05))


def test_separable_labels_do_not_diverge():
    fitted = fit(linear_features(MADE), np.array([0.0, 0, 0, 40, 40]), ANSWERED, penalty=0.25)
    assert bool(np.all(np.diff(fitted) > 0))


def test_several_sets_of_labels_are_fitted_as_if_alone():
    yes, answered = np.stack([YES, YES[::-1], 0 * YES]), np.stack([ANSWERED, 2 * ANSWERED, 0 * ANSWERED])
    together = fit(quadratic_features(MADE), yes, answered, penalty=0.5)
    for row in range(3):
        alone = fit(quadratic_features(MADE), yes[row], answered[row], penalty=0.5)
        assert together[row].tolist() == pytest.approx(alone.tolist(), abs=1e-6)


def test_where_it_starts_does_not_matter():
    start = np.array([0.5, -1.0, 0.3, 0.2])
    one, two = (
        ridge_coefficients(quadratic_features(MADE), YES, ANSWERED, penalty=0.5, start=begin) for begin in (None, start)
    )
    assert one.tolist() == pytest.approx(two.tolist(), abs=1e-6)


def test_an_auxiliary_score_is_a_column_that_labels_may_follow_or_not():
    made = Cells.of(("a",), ["01", "00", "11", "10"], np.full(4, 100.0), np.full(4, 0.5))
    answered = np.full(4, 50.0)
    assert quadratic_features(made).shape == (4, 5)
    follows = fit(quadratic_features(made), np.array([40.0, 5, 45, 10]), answered, penalty=0.5)
    ignores = fit(quadratic_features(made), np.array([5.0, 5, 40, 40]), answered, penalty=0.5)
    assert follows[0] - follows[1] > 0.5
    assert abs(ignores[0] - ignores[1]) < 0.02


@pytest.mark.parametrize("letter", "01-")
def test_an_auxiliary_score_that_always_says_the_same_changes_no_fit(letter):
    letters, sizes, scores = ["0", "1"], np.full(2, 100.0), np.array([0.1, 0.7])
    alone = Cells.of(("a",), letters, sizes, scores)
    helped = Cells.of(("a",), [one + letter for one in letters], sizes, scores)
    fits = [
        fit(quadratic_features(made), np.array([1.0, 40]), np.full(2, 50.0), penalty=0.5) for made in (alone, helped)
    ]
    assert fits[1].tolist() == pytest.approx(fits[0].tolist(), abs=1e-12)


def test_a_shift_moves_the_mean_towards_the_labels_and_is_held_by_its_penalty():
    linear = np.zeros(5)
    moved = intercept_shift(linear, YES + 3, ANSWERED, penalty=1e-6)
    assert float(logistic(np.array(moved))) == pytest.approx((YES.sum() + 15) / ANSWERED.sum(), abs=1e-5)
    assert abs(intercept_shift(linear, YES, ANSWERED, penalty=20.0)) < abs(
        intercept_shift(linear, YES, ANSWERED, penalty=1e-6)
    )


@pytest.mark.parametrize("penalty", [0.1, 3.0])
def test_a_correction_agrees_with_a_general_optimiser(penalty):
    word, x = score_logit(MADE), linear_features(MADE)

    def loss(beta):
        eta = word + x @ beta
        return float((ANSWERED * np.logaddexp(0, eta) - YES * eta).sum() + penalty * beta @ beta / 2)

    best = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-9}).x
    assert offset_correction(word, x, YES, ANSWERED, penalty=penalty).tolist() == pytest.approx(best.tolist(), abs=1e-5)


def test_scores_that_the_labels_bear_out_are_not_corrected():
    found = offset_correction(score_logit(MADE), linear_features(MADE), ANSWERED * SCORES, ANSWERED, penalty=0.1)
    assert found.tolist() == pytest.approx([0, 0], abs=1e-6)
