from math import log

import numpy as np
import pytest

from stratawatch.core.estimation.effective_sample_size import effective_sample_size


def effective(*numbers: float) -> float:
    return float(effective_sample_size(*(np.array(number) for number in numbers), 0.95))


def test_is_the_size_of_a_plain_draw_with_that_variance():
    assert effective(0.3, 0.3 * 0.7 / 250, 0.25, 0.35, 10_000) == pytest.approx(250)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_without_events_it_is_read_off_the_interval(value):
    """n = 100 labels without an event: upper end 1 - .025^(1/100) = .0362."""
    width = 1 - 0.025 ** (1 / 100)
    low, high = (0.0, width) if value == 0 else (1 - width, 1.0)
    assert effective(value, 0.0, low, high, 10_000) == pytest.approx(100)


def test_an_interval_of_everything_is_hardly_a_label():
    assert effective(0.0, 0.0, 0.0, 1.0, 10_000) == pytest.approx(log(0.025) / log(1e-9))


def test_an_exact_value_counts_all_items():
    assert effective(0.3, 0.0, 0.3, 0.3, 500) == 500


def test_never_exceeds_the_items():
    assert effective(0.5, 1e-9, 0.49, 0.51, 500) == 500


def test_many_at_once_are_the_single_ones():
    rows = [(0.3, 1e-3, 0.25, 0.35, 1e4), (0.0, 0.0, 0.0, 0.04, 1e4), (0.5, 1e-9, 0.49, 0.51, 500.0)]
    found = effective_sample_size(*np.array(rows).T, 0.95)
    assert found.tolist() == pytest.approx([effective(*row) for row in rows])
