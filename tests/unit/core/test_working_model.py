import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from stratawatch.core.cells import Cells
from stratawatch.core.working_model import curve, fit, line, standardised

SCORES = np.array([0.01, 0.1, 0.3, 0.6, 0.9])
MADE = Cells.of(("a",), ["0", "0", "0", "1", "1"], np.array([5000.0, 1000, 500, 300, 200]), SCORES)
ANSWERED, YES = np.full(5, 40.0), np.array([0.0, 3, 10, 22, 37])


def test_standardised_scores_have_mean_zero_and_variance_one_over_the_items():
    z = standardised(MADE)
    assert MADE.sizes @ z == pytest.approx(0, abs=1e-8)
    assert MADE.sizes @ z**2 / MADE.sizes.sum() == pytest.approx(1)


def test_constant_scores_are_no_information():
    made = Cells.of(("a",), ["0", "1"], np.array([10.0, 10]), np.array([0.4, 0.4]))
    assert standardised(made).tolist() == [0, 0]


@pytest.mark.parametrize("columns", [line, curve])
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
    fitted = fit(curve(MADE), ANSWERED * share, ANSWERED, penalty=0.5)
    assert bool(np.all(np.isfinite(fitted)))
    assert bool(np.all(np.abs(fitted - share) < 0.05))


def test_separable_labels_do_not_diverge():
    fitted = fit(line(MADE), np.array([0.0, 0, 0, 40, 40]), ANSWERED, penalty=0.25)
    assert bool(np.all(np.diff(fitted) > 0))
