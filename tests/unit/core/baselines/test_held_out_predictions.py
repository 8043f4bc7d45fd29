import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.baselines.held_out_predictions import (
    HeldOutPredictions,
    bootstrap_632,
    mean_of_runs,
    metric_by_run,
    metric_of_pooled_runs,
)
from stratawatch.core.baselines.labelled import share_from_counts
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import BASELINES_REPORTED, ConfusionCounts
from stratawatch.errors import StratawatchError

TRUTH = np.array([True, True, True, False, False, False])


def trials(*runs):
    """Runs as (items, calls), over the six items of TRUTH."""
    return HeldOutPredictions.of_runs([(np.array(items), np.array(calls, dtype=bool)) for items, calls in runs], TRUTH)


TWO_RUNS = trials(([0, 1, 3], [1, 0, 0]), ([1, 4, 5, 0], [1, 1, 0, 1]))
"""Accuracies 2/3 and 3/4, precisions 1 and 2/3; items 0 and 1 are tested twice."""


class TestByHand:
    def test_runs(self):
        assert metric_by_run("accuracy", TWO_RUNS.by_run()).tolist() == pytest.approx([2 / 3, 3 / 4])
        assert metric_by_run("precision", TWO_RUNS.by_run()).tolist() == pytest.approx([1, 2 / 3])

    def test_the_mean_of_the_runs(self):
        assert mean_of_runs("accuracy", TWO_RUNS).value == pytest.approx((2 / 3 + 3 / 4) / 2)

    def test_all_answers_together(self):
        assert metric_of_pooled_runs("accuracy", TWO_RUNS).value == pytest.approx(5 / 7)
        assert metric_of_pooled_runs("precision", TWO_RUNS).value == pytest.approx(3 / 4)

    def test_items_told_twice_are_not_two_items(self):
        """Accuracy counts items 0..5 2, 2, 0, 1, 1, 1 times: 7^2/11. Precision 2, 1 and 1 times: 4^2/6."""
        assert metric_of_pooled_runs("accuracy", TWO_RUNS).n == pytest.approx(49 / 11)
        assert metric_of_pooled_runs("precision", TWO_RUNS).n == pytest.approx(16 / 6)

    def test_the_632_bootstrap(self):
        """eps 2/3 and 3/4, the fit to all 5 of 6: .632 x 17/24 + .368 x 5/6 = .754333."""
        fitted = ConfusionCounts.of_calls(np.array([True, True, True, True, False, False]), TRUTH)
        found = bootstrap_632("accuracy", TWO_RUNS, fitted)
        assert found.value == pytest.approx(0.632 * 17 / 24 + 0.368 * 5 / 6)
        assert found.value == pytest.approx(0.754333, abs=5e-7)
        precision = bootstrap_632("precision", TWO_RUNS, fitted)
        assert precision.value == pytest.approx(0.632 * (1 + 2 / 3) / 2 + 0.368 * 3 / 4)

    def test_a_rule_that_knows_all_items_by_heart_is_flattered(self):
        """Coin tosses: half of the unseen are right and all of the seen, .632 x .5 + .368 = .684."""
        coin = trials(([0, 3], [1, 1]), ([1, 4], [0, 0]))
        assert bootstrap_632("accuracy", coin, ConfusionCounts.of_calls(TRUTH, TRUTH)).value == pytest.approx(0.684)


class TestNoInformation:
    NEVER = trials(([0, 3], [0, 0]), ([1, 4], [0, 0]))

    @pytest.mark.parametrize("method", [metric_of_pooled_runs, mean_of_runs])
    def test_nothing_called_positive_in_any_run(self, method):
        found = method("precision", self.NEVER)
        assert isinstance(found, Undefined)
        assert "no labelled item is called positive" in found.reason

    def test_a_run_without_a_precision_does_not_count_as_zero(self):
        assert mean_of_runs("precision", trials(([0, 3], [0, 0]), ([1, 4], [1, 0]))).value == 1.0

    def test_632_needs_both_of_its_parts(self):
        calls_none = ConfusionCounts.of_calls(np.zeros(6, dtype=bool), TRUTH)
        assert isinstance(bootstrap_632("precision", self.NEVER, ConfusionCounts.of_calls(TRUTH, TRUTH)), Undefined)
        assert bootstrap_632("precision", TWO_RUNS, calls_none) == Undefined(
            "of the fit to all items, no labelled item is called positive"
        )

    def test_no_runs_are_refused(self):
        with pytest.raises(StratawatchError, match="nothing was tested; expected at least one run"):
            trials()


@given(st.lists(st.booleans(), min_size=6, max_size=6), st.permutations(range(6)), st.integers(1, 5))
def test_items_tested_once_each_are_labelled_predictions(calls, order, cut):
    """However they are dealt out to folds: values and numbers of labels alike."""
    calls, order = np.array(calls), np.array(order)
    once = trials((order[:cut], calls[order[:cut]]), (order[cut:], calls[order[cut:]]))
    for metric in BASELINES_REPORTED:
        assert metric_of_pooled_runs(metric, once) == share_from_counts(metric, ConfusionCounts.of_calls(calls, TRUTH))


@given(st.integers(1, 30))
def test_telling_everything_again_and_again_tells_nothing_new(times):
    again = trials(*[([0, 1, 3], [1, 0, 0])] * times)
    assert metric_of_pooled_runs("accuracy", again).n == pytest.approx(3)
    assert mean_of_runs("accuracy", again).value == pytest.approx(2 / 3)
