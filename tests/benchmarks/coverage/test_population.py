"""Populations: a census of items, with the truth."""

import numpy as np
import pytest

from benchmarks.coverage.population import Items, Population
from benchmarks.coverage.truths import TRUTHS, Confusion
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import NO_BIN
from stratawatch.core.score_bins import bin_of


@pytest.fixture
def items():
    letters = np.array([["1", "0"], ["0", "0"], ["1", "0"], ["0", "-"], ["1", "0"]])
    scores = np.array([0.9, 0.1, 0.9, np.nan, 0.7])
    return Items(letters, scores, np.array([True, True, False, True, False]))


class TestPopulation:
    def test_rows_are_sorted_and_hold_every_item(self, items):
        found = Population.of(items, ("a", "b"))
        assert found.census.patterns == ("0-", "00", "10", "10")
        assert found.census.bins.tolist() == [NO_BIN, bin_of(0.1), bin_of(0.7), bin_of(0.9)]
        assert found.census.counts.tolist() == [1, 1, 1, 2]
        assert found.yes.tolist() == [1, 1, 0, 1]

    def test_truth_is_about_the_items_that_a_classifier_judged(self, items):
        found = Population.of(items, ("a", "b"))
        assert found.truth("precision", 0) == pytest.approx(1 / 3)
        assert found.truth("recall", 0) == pytest.approx(1 / 3)
        assert found.truth("false_omission_rate", 1) == pytest.approx(2 / 4)
        assert found.truth("prevalence", 1) == pytest.approx(2 / 4)

    def test_letters_of_helpers_are_no_classifiers(self, items):
        found = Population.of(items, ("a",), ("judge",))
        assert len(found.confusions) == 1
        assert found.census.auxiliary == ("judge",)

    def test_kept_and_new_items_make_one_population(self, items):
        joined = items.at(np.array([0, 3])).joined(items)
        assert len(joined) == 7
        assert joined.patterns.tolist()[:3] == ["10", "0-", "10"]


class TestTruths:
    def test_every_metric_of_the_product_has_a_truth(self):
        assert set(METRICS) <= set(TRUTHS)

    def test_metrics_by_hand(self):
        """20 called, 15 of them right; 80 passed, 5 of them positive."""
        truth = {name: rule(Confusion(20, 80, 15, 5)) for name, rule in TRUTHS.items()}
        assert truth == pytest.approx(
            truth
            | {
                "precision": 0.75,
                "recall": 0.75,
                "false_omission_rate": 0.0625,
                "f1": 0.75,
                "accuracy": 0.9,
                "specificity": 75 / 80,
                "negative_predictive_value": 0.9375,
                "prevalence": 0.2,
            }
        )
