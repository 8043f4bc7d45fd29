import numpy as np
import pytest

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.population import Segment
from stratawatch.demo.comparison import compare_with_truth
from stratawatch.demo.world import SimulatedWeek

CALLS = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]], dtype=bool)
WEEK = SimulatedWeek(3, np.array([0, 1, 0, 1]), np.zeros((4, 3)), CALLS, np.array([True, False, True, True]))


def estimate(metric: str, low: float, high: float, segment: Segment | None = None) -> Estimate:
    return Estimate("logistic", metric, segment, IntervalEstimate((low + high) / 2, low, high, 10), 10, "", 0.95)


class TestCompare:
    def test_puts_the_truth_and_its_domain_beside_each_estimate(self):
        precision, recall, omission = compare_with_truth(
            WEEK, [estimate(metric, 0.1, 0.9) for metric in ("precision", "recall", "false_omission_rate")]
        )
        assert (precision.truth, precision.domain) == (pytest.approx(2 / 3), 3)
        assert (recall.truth, recall.domain) == (pytest.approx(2 / 3), 3)
        assert (omission.truth, omission.domain) == (1.0, 1)

    def test_inside_a_region_only_its_items_count(self):
        (compared,) = compare_with_truth(WEEK, [estimate("precision", 0.1, 0.9, Segment("region", "north"))])
        assert (compared.truth, compared.domain, compared.week) == (1.0, 2, 3)


class TestHolds:
    @pytest.mark.parametrize(
        ("low", "high", "holds"), [(0.6, 0.7, True), (2 / 3, 0.7, True), (0.67, 0.7, False), (0.5, 0.66, False)]
    )
    def test_when_the_interval_contains_the_truth(self, low, high, holds):
        (compared,) = compare_with_truth(WEEK, [estimate("precision", low, high)])
        assert compared.contains_truth is holds

    def test_an_estimate_that_tells_nothing_contains_nothing(self):
        nothing = Estimate("logistic", "precision", None, Undefined("no labels"), 0, "", 0.95)
        (compared,) = compare_with_truth(WEEK, [nothing])
        assert compared.interval is None
        assert not compared.contains_truth
