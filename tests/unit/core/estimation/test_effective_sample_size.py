from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stratawatch.core.estimation.effective_sample_size import effective_sample_size, labels_as_narrow
from stratawatch.core.estimation.wilson import wilson_interval

Z2 = NormalDist().inv_cdf(0.975) ** 2


def effective(*numbers: float, trust: float = 1.0) -> float:
    return float(effective_sample_size(*(np.array(number) for number in numbers), 0.95, trust))


def test_is_the_size_of_a_plain_draw_with_that_variance():
    assert effective(0.3, 0.3 * 0.7 / 250, 0.25, 0.35, 10_000) == pytest.approx(250)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_without_events_it_is_read_off_the_interval(value):
    """Wilson's end of n = 100 labels without an event: z^2/(n + z^2) = .0370."""
    width = Z2 / (100 + Z2)
    low, high = (0.0, width) if value == 0 else (1 - width, 1.0)
    assert effective(value, 0.0, low, high, 10_000) == pytest.approx(100)


@given(value=st.floats(0, 1), n=st.floats(0.5, 1e6), confidence=st.sampled_from([0.8, 0.95, 0.9999]))
def test_labels_of_a_length_have_that_length(value, n, confidence):
    low, high = wilson_interval(np.array(value), np.array(n), confidence)
    half = float(high - low) / 2
    assume(1e-9 < half < 0.499)
    assert labels_as_narrow(np.array(value), np.array(half), confidence) == pytest.approx(n, rel=1e-4)


def test_a_variance_that_knows_of_few_events_does_not_tell_it():
    """29 labels, all right: the variance of a model's rate near 1 says 10 labels or 10 million."""
    for variance in (1e-4, 1e-10):
        assert effective(0.999, variance, 0.865, 1.0, 10_000, trust=0.0) == pytest.approx(25, abs=0.5)


def test_between_them_it_lies_between():
    found = [effective(0.9, 0.0002, 0.85, 0.94, 10_000, trust=trust) for trust in (0, 0.25, 0.5, 0.75, 1)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(450)


def test_an_interval_of_everything_is_hardly_a_label():
    assert effective(0.0, 0.0, 0.0, 1.0, 10_000) < 0.01


def test_an_exact_value_counts_all_items():
    assert effective(0.3, 0.0, 0.3, 0.3, 500) == 500


def test_never_exceeds_the_items():
    assert effective(0.5, 1e-9, 0.49, 0.51, 500) == 500


def test_many_at_once_are_the_single_ones():
    rows = [(0.3, 1e-3, 0.25, 0.35, 1e4), (0.0, 0.0, 0.0, 0.04, 1e4), (0.5, 1e-9, 0.49, 0.51, 500.0)]
    found = effective_sample_size(*np.array(rows).T, 0.95)
    assert found.tolist() == pytest.approx([effective(*row) for row in rows])
