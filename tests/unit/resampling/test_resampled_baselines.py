"""Measured baselines against scikit-learn's own scorers on the same splits, and against hand arithmetic."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer, precision_score, recall_score
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.svm import LinearSVC

from stratawatch.core.estimate import Undefined
from stratawatch.errors import StratawatchError
from stratawatch.resampling import METHODS, measure_baselines
from stratawatch.resampling.bootstrap import Bootstrap632
from stratawatch.resampling.cross_validation import KFold
from tests.support.fitted_items import RULE, items

X, Y = items()
SCORES = {
    "precision": precision_score,
    "recall": recall_score,
    "false_omission_rate": lambda y, calls: 1 - precision_score(y, calls, pos_label=0),
    "accuracy": accuracy_score,
}


class Parity(BaseEstimator):
    """Calls positive what has an odd number; nothing is learnt, so that all can be worked out by hand."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int) % 2


def found(method):
    return {b.metric: b.interval_at().value for b in measure_baselines(RULE, X, Y, method, seed=4).baselines}


def by_run(splits):
    """The mean of the runs' scores."""
    scorers = {metric: make_scorer(score) for metric, score in SCORES.items()}
    runs = cross_validate(RULE, X, Y, cv=splits, scoring=scorers)
    return {metric: runs[f"test_{metric}"].mean() for metric in SCORES}


class TestEqualToScikitLearn:
    @pytest.mark.parametrize("method", ["k_fold", "leave_one_out"])
    def test_all_folds_together(self, method):
        calls = cross_val_predict(RULE, X, Y, cv=list(METHODS[method].splits(Y == 1, 4)))
        expected = {metric: score(Y, calls) for metric, score in SCORES.items()}
        assert found(method) == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("method", ["holdout", "random_subsampling"])
    def test_the_mean_of_the_runs(self, method):
        assert found(method) == pytest.approx(by_run(list(METHODS[method].splits(Y == 1, 4))), abs=1e-12)

    def test_the_632_bootstrap(self):
        means = by_run(list(Bootstrap632(10).splits(Y == 1, 4)))
        calls = LogisticRegression().fit(X, Y).predict(X)
        expected = {metric: 0.632 * means[metric] + 0.368 * score(Y, calls) for metric, score in SCORES.items()}
        assert found(Bootstrap632(10)) == pytest.approx(expected, abs=1e-12)


class TestByHand:
    def test_a_rule_that_learns_nothing_is_the_same_by_every_fold(self):
        """Numbers 0..19, positive from 10 on, called positive if odd: 5 of each kind."""
        numbers = np.arange(20)[:, None]
        measured = measure_baselines(Parity(), numbers, (np.arange(20) >= 10).astype(int), KFold(5), seed=1)
        assert [b.interval_at().value for b in measured.baselines] == [0.5] * 4
        assert [b.interval_at().n_eff for b in measured.baselines] == [10, 10, 10, 20]

    def test_the_record_can_be_stored_as_it_is(self):
        dates = {"valid_from": "2026-01-01T00:00:00+00:00", "valid_until": "2026-07-01T00:00:00+00:00"}
        measured = measure_baselines(RULE, X, Y, "k_fold", seed=4, **dates)
        baseline = measured.of("recall")
        assert (baseline.metric, baseline.method, baseline.n) == ("recall", "stratified 10-fold, Wilson", 120)
        assert (baseline.seed, baseline.valid_from, baseline.valid_until) == (4, *dates.values())

    def test_nothing_called_positive_is_no_information(self):
        measured = measure_baselines(RULE, X, Y, seed=4, cut_off=1.1)
        assert isinstance(measured.of("precision").interval_at(), Undefined)
        assert measured.of("recall").interval_at().value == 0.0

    def test_the_estimator_is_left_as_it_was(self):
        rule = LogisticRegression()
        measure_baselines(rule, X, Y, "holdout", seed=4)
        assert not hasattr(rule, "coef_")


class TestClasses:
    EXPECTED = measure_baselines(RULE, X, Y, "random_subsampling", seed=4).baselines

    @pytest.mark.parametrize("labels", [Y == 1, Y.astype(float), pd.Series(Y), Y.tolist()])
    def test_true_and_false_are_one_and_zero(self, labels):
        assert measure_baselines(RULE, X, labels, "random_subsampling", seed=4).baselines == self.EXPECTED

    def test_the_positive_class_by_name(self):
        words = np.where(Y == 1, "spam", "ham")
        measured = measure_baselines(RULE, X, words, "random_subsampling", seed=4, positive="spam")
        assert measured.baselines == self.EXPECTED

    def test_turned_over_the_precision_is_the_negatives(self):
        turned = measure_baselines(Parity(), X, 1 - Y, "leave_one_out", seed=4, metrics=["precision"])
        named = measure_baselines(
            Parity(), X, 1 - Y, "leave_one_out", seed=4, metrics=["negative_predictive_value"], positive=0
        )
        assert named.baselines[0].interval_at() == turned.baselines[0].interval_at()

    def test_a_frame_of_features(self):
        frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(500, 620))
        assert measure_baselines(RULE, frame, Y, "random_subsampling", seed=4).baselines == self.EXPECTED

    def test_a_list_of_rows(self):
        assert measure_baselines(RULE, X.tolist(), Y, "random_subsampling", seed=4).baselines == self.EXPECTED


class TestCutOff:
    def test_one_half_of_a_probability_is_what_is_predicted(self):
        plain = measure_baselines(RULE, X, Y, seed=4)
        assert measure_baselines(RULE, X, Y, seed=4, cut_off=0.5).baselines == plain.baselines

    def test_a_lower_one_finds_more(self):
        low, high = (measure_baselines(RULE, X, Y, seed=4, cut_off=c).of("recall").interval_at() for c in (0.2, 0.6))
        assert low.value > high.value

    @pytest.mark.parametrize("positive", [0, 1])
    def test_margins_have_their_sign(self, positive):
        plain = measure_baselines(LinearSVC(), X, Y, seed=4, positive=positive)
        assert measure_baselines(LinearSVC(), X, Y, seed=4, positive=positive, cut_off=0.0).baselines == plain.baselines

    def test_a_rule_without_scores_is_refused(self):
        with pytest.raises(StratawatchError, match="Parity has no score to set a cut-off on"):
            measure_baselines(Parity(), X, Y, seed=4, cut_off=0.5)


class TestRefusals:
    @pytest.mark.parametrize("labels", [np.zeros(120), np.arange(120), np.array([np.nan, 0] * 60), X])
    def test_labels_that_are_not_of_two_kinds(self, labels):
        with pytest.raises(StratawatchError, match="y does not tell two classes apart"):
            measure_baselines(RULE, X, labels, seed=4)

    def test_classes_of_which_none_is_known_to_be_positive(self):
        with pytest.raises(StratawatchError, match=r"which class is the positive one; .* name it: positive='spam'"):
            measure_baselines(RULE, X, np.where(Y == 1, "spam", "ham"), seed=4)

    def test_a_positive_class_that_is_not_there(self):
        with pytest.raises(StratawatchError, match="no item is positive; expected 2 in y; got 0 and 1"):
            measure_baselines(RULE, X, Y, seed=4, positive=2)

    def test_other_items_than_labels(self):
        with pytest.raises(StratawatchError, match="X and y do not belong together; expected 120 rows of X; got 119"):
            measure_baselines(RULE, X[1:], Y, seed=4)

    @pytest.mark.parametrize("method", ["random_subsampling", "leave_one_out", "bootstrap_632"])
    @pytest.mark.parametrize("seed", [-1, 2**32, 0.5, None, True])
    def test_what_is_no_seed(self, seed, method):
        with pytest.raises(
            StratawatchError, match=f"no seed; expected a whole number from 0 to 4294967295; got {seed}"
        ):
            measure_baselines(RULE, X, Y, method, seed=seed)

    @pytest.mark.parametrize("said", ["garbage", "2026-01-01", 2026])
    @pytest.mark.parametrize("which", ["valid_from", "valid_until"])
    def test_a_date_that_is_no_moment(self, which, said):
        message = f"date of a baseline is not a moment with its offset from UTC; got {said}; write 2026-06-01T00"
        with pytest.raises(StratawatchError, match=message):
            measure_baselines(RULE, X, Y, seed=4, **{which: said})

    def test_what_cannot_be_fitted(self):
        with pytest.raises(StratawatchError, match="function cannot be fitted"):
            measure_baselines(items, X, Y, seed=4)

    def test_a_metric_that_is_no_share(self):
        with pytest.raises(StratawatchError, match="there is no baseline of 'f1'"):
            measure_baselines(RULE, X, Y, seed=4, metrics=["f1"])

    def test_a_metric_that_was_not_asked_for(self):
        with pytest.raises(StratawatchError, match="no baseline of 'recall' was measured; expected one of precision"):
            measure_baselines(RULE, X, Y, "holdout", seed=4, metrics=["precision"]).of("recall")
