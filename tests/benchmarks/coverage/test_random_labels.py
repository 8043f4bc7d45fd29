"""The reference: Wilson intervals on simple random samples."""

import numpy as np
import pytest

from benchmarks.coverage.random_labels import half_widths, wilson_half_width
from benchmarks.coverage.truths import Confusion


def test_wilson_is_what_statistics_libraries_say():
    from scipy.stats import binomtest

    interval = binomtest(7, 20).proportion_ci(method="wilson")
    found = wilson_half_width(np.array([7.0]), np.array([20.0]))[0]
    assert found == pytest.approx((interval.high - interval.low) / 2, abs=1e-6)


def test_a_rare_class_leaves_recall_untold_in_most_samples():
    """10 positives of 10,000: 100 labels meet one with probability .0957, else recall is .5 wide."""
    _, recall = half_widths(Confusion(100, 9900, 8, 2), 100, 4000, np.random.default_rng(1))
    assert recall == pytest.approx(
        0.5 - 0.0957 * (0.5 - wilson_half_width(np.array([1.0]), np.array([1.0]))[0]), abs=0.01
    )


def test_labels_shrink_it():
    truth = Confusion(2000, 8000, 1500, 100)
    few, many = (half_widths(truth, labels, 500, np.random.default_rng(1)) for labels in (200, 800))
    assert few[0] / many[0] == pytest.approx(2, abs=0.1)
    assert few[1] / many[1] == pytest.approx(2, abs=0.2)
