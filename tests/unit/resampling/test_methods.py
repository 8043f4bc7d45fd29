"""What every resampling method must do, whichever it is, and what each does of its own."""

import numpy as np
import pytest
from sklearn import model_selection

from stratawatch.core.baselines.held_out_predictions import HeldOutPredictions
from stratawatch.errors import StratawatchError
from stratawatch.resampling.bootstrap import Bootstrap632
from stratawatch.resampling.cross_validation import KFold
from stratawatch.resampling.methods import METHODS, method_named
from stratawatch.resampling.random_splits import Holdout, RandomSubsampling
from tests.support.fitted_items import items

TRUTH = items()[1] == 1


def pairs(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
class TestEvery:
    def test_nothing_is_tested_on_what_it_was_fitted_to(self, method):
        for train, test in method.splits(TRUTH, 5):
            assert not set(train) & set(test)
            assert test.size

    def test_both_classes_are_fitted_to(self, method):
        for train, _ in method.splits(TRUTH, 5):
            assert 0 < TRUTH[train].sum() < train.size

    def test_a_seed_says_it_all(self, method):
        assert pairs(method.splits(TRUTH, 5)) == pairs(method.splits(TRUTH, 5))

    def test_too_small_a_class_is_refused_in_a_sentence(self, method):
        truth = np.arange(50) == 7
        with pytest.raises(StratawatchError, match=r"too few labelled items .* got 1 positive and 49 negative"):
            list(method.splits(truth, 5))

    def test_it_says_what_it_is_in_a_few_words(self, method):
        assert method.description
        assert len(method.description) < 80


class TestAsScikitLearnDividesThem:
    def test_holdout_is_train_test_split_by_class(self):
        [(train, test)] = Holdout().splits(TRUTH, 11)
        theirs = model_selection.train_test_split(
            np.arange(TRUTH.size), test_size=1 / 3, random_state=11, stratify=TRUTH
        )
        assert (train.tolist(), test.tolist()) == (theirs[0].tolist(), theirs[1].tolist())
        assert len(test) == 40

    def test_random_subsampling(self):
        theirs = model_selection.StratifiedShuffleSplit(7, test_size=0.25, random_state=11).split(TRUTH, TRUTH)
        assert pairs(RandomSubsampling(runs=7, test_share=0.25).splits(TRUTH, 11)) == pairs(theirs)

    def test_folds(self):
        theirs = model_selection.StratifiedKFold(5, shuffle=True, random_state=11).split(TRUTH, TRUTH)
        assert pairs(KFold(5).splits(TRUTH, 11)) == pairs(theirs)

    def test_leave_one_out(self):
        assert pairs(METHODS["leave_one_out"].splits(TRUTH, 11)) == pairs(model_selection.LeaveOneOut().split(TRUTH))


class TestBootstrap:
    def test_a_draw_is_as_large_as_the_data_and_tests_all_that_it_left_out(self):
        for train, test in Bootstrap632(20).splits(TRUTH, 5):
            assert len(train) == TRUTH.size
            assert sorted({*train, *test}) == list(range(TRUTH.size))

    def test_it_holds_about_632_of_a_thousand_items(self):
        truth = np.arange(1000) % 2 == 0
        distinct = [len(set(train)) for train, _ in Bootstrap632(30).splits(truth, 5)]
        assert np.mean(distinct) / 1000 == pytest.approx(1 - np.exp(-1), abs=0.005)

    def test_draws_of_one_class_only_are_drawn_again(self):
        """Four items: one draw in eight is of one class, and a few leave nothing out."""
        truth = np.array([True, True, False, False])
        splits = list(Bootstrap632(100).splits(truth, 5))
        assert len(splits) == 100
        assert all(0 < truth[train].sum() < 4 and test.size for train, test in splits)

    def test_it_cannot_do_without_the_fit_to_all(self):
        predictions = HeldOutPredictions.of_runs([(np.array([0]), np.array([True]))], TRUTH)
        with pytest.raises(StratawatchError, match="needs the answers of the fit to all items"):
            Bootstrap632().baseline_share("accuracy", predictions, None)


class TestRefusals:
    @pytest.mark.parametrize("bad", [{"runs": 0}, {"test_share": 0.0}, {"test_share": 1.0}])
    def test_no_runs_or_no_share(self, bad):
        with pytest.raises(StratawatchError, match="no such splits can be made; expected at least one run"):
            RandomSubsampling(**bad)

    @pytest.mark.parametrize("bad", [-0.5, 1.5])
    def test_a_holdout_that_is_no_share(self, bad):
        with pytest.raises(StratawatchError, match="no such splits can be made"):
            list(Holdout(bad).splits(TRUTH, 1))

    def test_a_share_of_less_than_two_items(self):
        with pytest.raises(StratawatchError, match=r"would leave out a class; .* got 1 and 119"):
            list(Holdout(0.001).splits(TRUTH, 1))

    def test_more_folds_than_items_of_a_class(self):
        with pytest.raises(StratawatchError, match=r"too few labelled items for 49 folds by class; .* got 48 positive"):
            list(KFold(49).splits(TRUTH, 1))

    def test_a_single_fold(self):
        with pytest.raises(StratawatchError, match="expected at least 2 folds; got 1"):
            KFold(1)

    def test_no_draws(self):
        with pytest.raises(StratawatchError, match="no such bootstrap can be drawn"):
            Bootstrap632(0)

    def test_an_unknown_method(self):
        with pytest.raises(
            StratawatchError, match="there is no resampling method 'jackknife'; expected one of holdout"
        ):
            method_named("jackknife")
