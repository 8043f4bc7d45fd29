from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.sample_size import sample_size

shares = st.floats(0.005, 0.4)


@pytest.mark.parametrize(("at_least", "labels"), [(0.5, 1068), (0.9, 385), (0.93, 278)])
def test_the_papers_three_figures(at_least, labels):
    assert sample_size(0.03, 0.95, at_least) == labels


@given(shares, st.floats(0.6, 0.999), st.floats(0.5, 0.99))
def test_the_margin_is_held_by_these_labels_and_not_by_one_fewer(margin, confidence, p):
    n, z = sample_size(margin, confidence, p), NormalDist().inv_cdf((1 + confidence) / 2)
    assert z * (p * (1 - p) / n) ** 0.5 <= margin * (1 + 1e-9)
    if n > 1:
        assert z * (p * (1 - p) / (n - 1)) ** 0.5 > margin * (1 - 1e-9)


@given(st.floats(0, 0.5))
def test_a_floor_below_a_half_helps_nothing(at_least):
    assert sample_size(0.03, at_least=at_least) == 1068


@pytest.mark.parametrize("margin", [0, 1, -0.1, float("nan")])
def test_a_margin_is_a_share(margin):
    with pytest.raises(StratawatchError, match="the margin is no share; expected a number between 0 and 1"):
        sample_size(margin)


@pytest.mark.parametrize("at_least", [1, -0.1])
def test_a_least_precision_of_one_leaves_nothing_to_count(at_least):
    with pytest.raises(StratawatchError, match="least precision from 0 to below 1"):
        sample_size(0.03, at_least=at_least)


def test_a_confidence_is_a_share():
    with pytest.raises(StratawatchError, match="the confidence is no share"):
        sample_size(0.03, confidence=95)
