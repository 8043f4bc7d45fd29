"""Section 3.4: which design is better, and by how much, when the strata's shares are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.literature.kumar.variances import (
    equal_variance,
    optimal_variance,
    population_variance,
    proportional_variance,
    random_variance,
    stratified_variance,
)

HUGE = 10**12
"""Items of a stratum when 1/N_k is to be negligible."""

shares = st.lists(st.floats(0.01, 0.99), min_size=2, max_size=8)


def many(wanted, seed=1):
    sizes = np.random.default_rng(seed).integers(1, 50, len(wanted)) * HUGE
    return sizes, np.array(wanted), sizes / sizes.sum()


@given(shares)
def test_proportional_gains_the_spread_of_the_shares(wanted):
    """V_srs - V_pro = (1/n) sum W_k (A_k - A)^2: eq. 12."""
    sizes, share, weights = many(wanted)
    gain = random_variance(sizes, share, 70) - proportional_variance(sizes, share, 70)
    assert gain == pytest.approx(weights @ (share - weights @ share) ** 2 / 70, abs=1e-12)


@given(shares)
def test_optimal_gains_the_spread_of_the_deviations(wanted):
    """V_pro - V_opt = (1/n) sum W_k (S_k - S_M)^2: eq. 13."""
    sizes, share, weights = many(wanted)
    s = np.sqrt(population_variance(sizes, share))
    gain = proportional_variance(sizes, share, 70) - optimal_variance(sizes, share, 70)
    assert gain == pytest.approx(weights @ (s - weights @ s) ** 2 / 70, abs=1e-12)


@given(st.floats(0.01, 0.99), st.integers(2, 6))
def test_strata_that_are_alike_gain_nothing(share, strata):
    sizes, same, _ = many([share] * strata)
    plain = random_variance(sizes, same, 50)
    assert proportional_variance(sizes, same, 50) == pytest.approx(plain, rel=1e-9)
    assert optimal_variance(sizes, same, 50) == pytest.approx(plain, rel=1e-9)


def test_equal_allocation_is_optimal_where_size_times_deviation_is_constant():
    """W_k S_k constant: S = .5, .3, .1 with W in 3 : 5 : 15."""
    share = (1 + np.sqrt(1 - 4 * np.array([0.5, 0.3, 0.1]) ** 2)) / 2
    sizes = np.array([3, 5, 15]) * HUGE
    assert equal_variance(sizes, share, 90) == pytest.approx(optimal_variance(sizes, share, 90))


def test_equal_allocation_can_be_worse_than_random_sampling():
    """Nine tenths of the items in one of two strata that are alike: K (W_1^2 + W_2^2) = 1.64."""
    sizes = np.array([9, 1]) * HUGE
    share = np.array([0.7, 0.7])
    assert equal_variance(sizes, share, 90) / random_variance(sizes, share, 90) == pytest.approx(1.64)


def test_proportional_loses_where_strata_are_small_and_alike():
    """Case 2: V_srs - V_pro = -A(1 - A)/n sum N_k (N - N_k)/(N (N - 1)(N_k - 1)); the paper drops the factor N_k."""
    sizes, same = np.array([4, 6, 10]), np.full(3, 0.5)
    loss = proportional_variance(sizes, same, 10) - random_variance(sizes, same, 10)
    assert loss == pytest.approx(0.25 / 10 * sum(n * (20 - n) / (20 * 19 * (n - 1)) for n in (4, 6, 10)))
    assert loss > 0


@pytest.mark.parametrize(
    ("labels", "closed"),
    [
        (lambda w, s: w * 60, proportional_variance),
        (lambda w, s: np.full(3, 20.0), equal_variance),
        (lambda w, s: 60 * w * s / (w @ s), optimal_variance),
    ],
)
def test_the_closed_forms_are_the_sum_over_strata(labels, closed):
    sizes, share = np.array([300, 500, 200]), np.array([0.9, 0.7, 0.4])
    weights, s = sizes / 1000, np.sqrt(population_variance(sizes, share))
    assert stratified_variance(sizes, share, labels(weights, s), replaced=True) == pytest.approx(
        closed(sizes, share, 60)
    )


def test_nothing_is_left_to_know_when_all_is_labelled():
    assert stratified_variance(np.array([3, 4]), np.array([2 / 3, 0.5]), np.array([3, 4])) == 0
