"""What every metric must do, and what each does in its degenerate cases."""

import numpy as np
import pytest

from stratawatch.core.estimation.metrics import METRICS, metric_named
from stratawatch.core.estimation.sides import Side
from stratawatch.core.results import Known, Undefined
from stratawatch.errors import StratawatchError


def side(size=1000.0, yes=40.0, labels=50, low=None, high=None, unseen=0.0, variance=0.001):
    share = yes / labels if labels and size else 0.0
    low, high = share * 0.9 if low is None else low, min(1, share * 1.1) if high is None else high
    return Side(size, share, low, high, variance, labels, yes, unseen)


EMPTY = side(size=0.0, yes=0.0, labels=0, low=0.0, high=0.0, variance=0.0)
FEW = side(yes=2.0, size=10_000.0, labels=100, variance=1e-4)
UNLABELLED = side(yes=0.0, labels=0, low=0.0, high=1.0)


@pytest.mark.parametrize("name", METRICS)
class TestEveryMetric:
    def test_is_the_derivative_of_its_value(self, name):
        """The gradient times a small change of the labels is the change of the metric."""
        positive = np.array([True, True, False, False])
        sizes, rates = np.array([300.0, 200.0, 1000.0, 8000.0]), np.array([0.9, 0.5, 0.1, 0.002])
        gradient = METRICS[name].gradient(positive, ~positive, sizes, rates)
        step = np.array([1e-6, -2e-6, 3e-6, 1e-7])
        change = self.value(name, sizes, rates + step) - self.value(name, sizes, rates)
        assert float((sizes * gradient) @ step) == pytest.approx(change, rel=1e-3)

    @staticmethod
    def value(name, sizes, rates):
        a, b = slice(0, 2), slice(2, 4)
        positive = side(size=sizes[a].sum(), yes=sizes[a] @ rates[a], labels=sizes[a].sum())
        negative = side(size=sizes[b].sum(), yes=sizes[b] @ rates[b], labels=sizes[b].sum())
        return METRICS[name].outcome(positive, negative, 0.95).value

    def test_is_untold_without_labels(self, name):
        outcome = METRICS[name].outcome(UNLABELLED, UNLABELLED, 0.95)
        assert isinstance(outcome, Undefined)
        assert outcome.reason.startswith("no label among the ")

    def test_is_untold_when_too_much_is_unseen(self, name):
        outcome = METRICS[name].outcome(side(unseen=101.0), side(unseen=101.0), 0.95)
        assert isinstance(outcome, Undefined)
        assert "are in strata without a label; at most 10% may be" in outcome.reason

    def test_bears_a_tenth_unseen(self, name):
        assert isinstance(METRICS[name].outcome(side(unseen=100.0), side(unseen=100.0), 0.95), Known)

    def test_gradient_ignores_items_the_classifier_did_not_judge(self, name):
        positive, negative = np.array([True, False, False]), np.array([False, True, False])
        gradient = METRICS[name].gradient(positive, negative, np.array([10.0, 20, 30]), np.array([0.5, 0.1, 0.9]))
        assert gradient[2] == 0


class TestPrecision:
    def test_is_the_share_of_its_positive_side(self):
        outcome = METRICS["precision"].outcome(side(), FEW, 0.95)
        assert (outcome.value, outcome.low, outcome.high) == pytest.approx((0.8, 0.72, 0.88))
        assert METRICS["precision"].labels(side(), FEW) == 50

    def test_is_untold_when_no_item_is_called_positive(self):
        assert METRICS["precision"].outcome(EMPTY, FEW, 0.95) == Undefined("it calls no item positive")


class TestFalseOmissionRate:
    def test_is_the_share_of_its_negative_side(self):
        outcome = METRICS["false_omission_rate"].outcome(side(), FEW, 0.95)
        assert outcome.value == pytest.approx(0.02)
        assert METRICS["false_omission_rate"].labels(side(), FEW) == 100

    def test_is_untold_when_every_item_is_called_positive(self):
        outcome = METRICS["false_omission_rate"].outcome(side(), EMPTY, 0.95)
        assert outcome == Undefined("it calls no item negative")


class TestRecall:
    recall = METRICS["recall"]

    def test_is_the_ratio_of_the_totals(self):
        outcome = self.recall.outcome(side(), FEW, 0.95)
        assert outcome.value == pytest.approx(800 / (800 + 200))
        assert outcome.low < 0.8 < outcome.high
        assert self.recall.labels(side(), FEW) == 150

    def test_is_zero_when_nothing_is_called_positive_and_there_are_positives(self):
        outcome = self.recall.outcome(EMPTY, FEW, 0.95)
        assert (outcome.value, outcome.low, outcome.high) == (0.0, 0.0, 0.0)

    def test_is_one_when_everything_is_called_positive(self):
        outcome = self.recall.outcome(side(), EMPTY, 0.95)
        assert (outcome.value, outcome.low, outcome.high) == (1.0, 1.0, 1.0)

    def test_is_untold_without_a_positive_on_either_side(self):
        none_a, none_b = side(yes=0.0, low=0.0, high=0.07), side(yes=0.0, low=0.0, high=0.04)
        assert self.recall.outcome(none_a, none_b, 0.95) == Undefined("no positive among the 100 labels")

    def test_without_misses_found_the_upper_end_is_one_and_the_lower_is_not(self):
        outcome = self.recall.outcome(side(), side(yes=0.0, size=10_000.0, low=0.0, high=0.02), 0.95)
        assert outcome.value == outcome.high == 1.0
        assert 0.5 < outcome.low < 1

    def test_without_hits_found_the_lower_end_is_zero_and_the_upper_is_not(self):
        outcome = self.recall.outcome(side(yes=0.0, low=0.0, high=0.07), FEW, 0.95)
        assert outcome.value == outcome.low == 0.0
        assert 0 < outcome.high < 0.6

    def test_one_side_without_labels_is_untold(self):
        outcome = self.recall.outcome(side(), UNLABELLED, 0.95)
        assert outcome == Undefined("no label among the 1,000 items it calls negative")

    def test_is_untold_when_it_judged_nothing(self):
        assert self.recall.outcome(EMPTY, EMPTY, 0.95) == Undefined("it judged no item")


def test_an_unknown_metric_is_named_with_those_that_exist():
    with pytest.raises(StratawatchError, match="no metric 'recal'; expected one of precision, recall"):
        metric_named("recal")
