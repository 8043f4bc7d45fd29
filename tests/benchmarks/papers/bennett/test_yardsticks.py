import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.bennett.yardsticks import in_conf, oracle, percent_change, savings

Z = 1.959964


def test_random_sampling_needs_p_times_1_minus_p():
    """z^2 p (1 - p)/margin^2 = 384.1 x .16/.09."""
    assert oracle(np.array([5000]), np.array([0.8]), 0.03) == pytest.approx((Z / 0.03) ** 2 * 0.16, rel=1e-6)


def test_without_replacement_all_items_are_enough():
    assert oracle(np.array([50, 50]), np.array([0.5, 0.5]), 1e-9, replacement=False) == pytest.approx(100)


def test_confidence_asks_for_more():
    sure, usual = (oracle(np.array([9]), np.array([0.5]), 0.1, confidence) for confidence in (0.99, 0.95))
    assert sure / usual == pytest.approx((2.575829 / Z) ** 2, rel=1e-6)


bins = st.lists(st.tuples(st.integers(1, 5000), st.floats(0.01, 0.99)), min_size=1, max_size=5)


@given(bins, st.floats(0.005, 0.1))
def test_the_oracle_keeps_the_margin_exactly(cells, margin):
    """With n_k proportional to N_k sigma_k, z se is the margin."""
    sizes, rates = (np.array(column) for column in zip(*cells, strict=True))
    spread, weights = np.sqrt(rates * (1 - rates)), sizes / sizes.sum()
    n = oracle(sizes, rates, margin) * weights * spread / (weights @ spread)
    assert Z * np.sqrt((weights**2 * spread**2 / n).sum()) == pytest.approx(margin, rel=1e-5)


@given(bins, st.floats(0.005, 0.1))
def test_knowing_bins_never_costs_labels(cells, margin):
    sizes, rates = (np.array(column) for column in zip(*cells, strict=True))
    whole = np.array([sizes.sum()]), np.array([sizes @ rates / sizes.sum()])
    assert oracle(sizes, rates, margin) <= oracle(*whole, margin) * (1 + 1e-9)
    assert oracle(sizes, rates, margin, replacement=False) <= sizes.sum() * (1 + 1e-9)


def test_published_percentages_follow_from_labels():
    """Random sampling at 69,300 labels, `perc opt` 11,973 fewer."""
    assert percent_change(69_300 - 11_973, 69_300) == pytest.approx(-17.3, abs=0.05)
    assert savings(69_300 - 11_973, 69_300) == 11_973


def test_in_conf_counts_the_ends():
    assert in_conf(np.array([0.75, 0.25, 0.5, 0.8]), 0.5, 0.25) == 0.75
