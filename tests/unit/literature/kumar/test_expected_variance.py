"""Section 3.4: which allocation is better, and by how much, when the strata's shares are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.literature.kumar.stratified_share import expected_variance, population_variance

HUGE = 10**12
"""Items of a stratum when 1/N_k is to be negligible."""

some_shares = st.lists(st.floats(0.01, 0.99), min_size=2, max_size=8)


def proportional(sizes, shares, labels):
    return expected_variance(sizes, shares, sizes / sizes.sum() * labels)


def equal(sizes, shares, labels):
    return expected_variance(sizes, shares, np.full(len(sizes), labels / len(sizes)))


def optimal(sizes, shares, labels):
    weights = sizes * np.sqrt(population_variance(sizes, shares))
    return expected_variance(sizes, shares, labels * weights / weights.sum())


def random(sizes, shares, labels):
    """Everything as one stratum."""
    whole = sizes.sum(keepdims=True)
    return expected_variance(whole, sizes @ shares / whole, np.array([labels]))


def many(shares, seed=1):
    sizes = np.random.default_rng(seed).integers(1, 50, len(shares)) * HUGE
    return sizes, np.array(shares), sizes / sizes.sum()


@given(some_shares)
def test_proportional_gains_the_spread_of_the_shares(shares):
    """V_srs - V_pro = (1/n) sum W_k (A_k - A)^2: eq. 12."""
    sizes, share, weights = many(shares)
    gain = random(sizes, share, 70) - proportional(sizes, share, 70)
    assert gain == pytest.approx(weights @ (share - weights @ share) ** 2 / 70, abs=1e-12)


@given(some_shares)
def test_optimal_gains_the_spread_of_the_deviations(shares):
    """V_pro - V_opt = (1/n) sum W_k (S_k - S_M)^2: eq. 13."""
    sizes, share, weights = many(shares)
    s = np.sqrt(population_variance(sizes, share))
    gain = proportional(sizes, share, 70) - optimal(sizes, share, 70)
    assert gain == pytest.approx(weights @ (s - weights @ s) ** 2 / 70, abs=1e-12)


@given(st.floats(0.01, 0.99), st.integers(2, 6))
def test_strata_that_are_alike_gain_nothing(share, strata):
    sizes, same, _ = many([share] * strata)
    plain = random(sizes, same, 50)
    assert proportional(sizes, same, 50) == pytest.approx(plain, rel=1e-9)
    assert optimal(sizes, same, 50) == pytest.approx(plain, rel=1e-9)


def test_equal_allocation_is_optimal_where_size_times_deviation_is_constant():
    """W_k S_k constant: S = .5, .3, .1 with W in 3 : 5 : 15."""
    share = (1 + np.sqrt(1 - 4 * np.array([0.5, 0.3, 0.1]) ** 2)) / 2
    sizes = np.array([3, 5, 15]) * HUGE
    assert equal(sizes, share, 90) == pytest.approx(optimal(sizes, share, 90))


def test_equal_allocation_can_be_worse_than_random_sampling():
    """Nine tenths of the items in one of two strata that are alike: K (W_1^2 + W_2^2) = 1.64."""
    sizes = np.array([9, 1]) * HUGE
    share = np.array([0.7, 0.7])
    assert equal(sizes, share, 90) / random(sizes, share, 90) == pytest.approx(1.64)


def test_proportional_loses_where_strata_are_small_and_alike():
    """Case 2: V_srs - V_pro = -A(1 - A)/n sum N_k (N - N_k)/(N (N - 1)(N_k - 1)), here times 1 - n/N = 1/2.

    The paper drops the factor N_k.
    """
    sizes, same = np.array([4, 6, 10]), np.full(3, 0.5)
    loss = proportional(sizes, same, 10) - random(sizes, same, 10)
    assert loss == pytest.approx(0.5 * 0.25 / 10 * sum(n * (20 - n) / (20 * 19 * (n - 1)) for n in (4, 6, 10)))
    assert loss > 0


@pytest.mark.parametrize(
    ("allocated", "closed"),
    [
        (proportional, lambda w, s: w @ s**2 / 60),
        (equal, lambda w, s: 3 * (w**2 @ s**2) / 60),
        (optimal, lambda w, s: (w @ s) ** 2 / 60),
    ],
)
def test_the_sum_over_strata_is_the_papers_closed_form(allocated, closed):
    """Eqs. 7, 8 and 10."""
    sizes, share = np.array([300, 500, 200]) * HUGE, np.array([0.9, 0.7, 0.4])
    weights, s = np.array([0.3, 0.5, 0.2]), np.sqrt(population_variance(sizes, share))
    assert allocated(sizes, share, 60) == pytest.approx(closed(weights, s))


def test_nothing_varies_when_all_is_labelled():
    assert expected_variance(np.array([3, 4]), np.array([2 / 3, 0.5]), np.array([3, 4])) == 0
