import math

import numpy as np
import pytest

from stratawatch.core.metrics import REPORTED
from stratawatch.demo.true_values import true_values

#                  logistic trees bayes vote
CALLS = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [1, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 0]], dtype=bool)
TRUTH = np.array([True, False, True, False, True])


class TestTrueValues:
    def test_by_hand(self):
        values = true_values(CALLS, TRUTH)
        assert values["logistic", "precision"] == pytest.approx(2 / 3)
        assert values["logistic", "recall"] == pytest.approx(2 / 3)
        assert values["logistic", "false_omission_rate"] == pytest.approx(1 / 2)
        assert values["bayes", "precision"] == pytest.approx(3 / 4)
        assert values["vote", "recall"] == pytest.approx(2 / 3)

    def test_inside_a_segment_only_its_items_count(self):
        values = true_values(CALLS, TRUTH, np.array([True, True, False, False, True]))
        assert values["logistic", "precision"] == pytest.approx(1 / 2)
        assert values["trees", "recall"] == pytest.approx(1 / 2)

    def test_has_every_classifier_and_metric(self):
        values = true_values(CALLS, TRUTH)
        assert len(values) == 4 * len(REPORTED)
        assert {metric for _, metric in values} == set(REPORTED)

    def test_a_share_of_nothing_is_not_a_number(self):
        assert math.isnan(true_values(~np.ones_like(CALLS), TRUTH)["trees", "precision"])
