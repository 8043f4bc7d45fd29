import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.papers.strat.brr import Statistic, brr
from benchmarks.papers.strat.recognisers import identified, ranks, relative_ranks, stratified_rate
from benchmarks.papers.strat.replicates import ReplicationOptions, make_replicates
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.errors import StratawatchError

SCORES = arrays(np.float64, (6, 5), elements=st.integers(0, 4).map(float))


class TestRanks:
    def test_best_is_one_and_worst_is_the_gallery(self):
        assert ranks(np.array([[3.0, 2, 1], [3, 2, 1]]), np.array([0, 2])).tolist() == [1, 3]

    def test_ties_count_against_the_true_class(self):
        assert ranks(np.array([[1.0, 1, 0]]), np.array([1])).tolist() == [2]

    @settings(deadline=None)
    @given(SCORES, st.lists(st.integers(0, 4), min_size=6, max_size=6))
    def test_any_rising_change_of_scores_leaves_them(self, scores, classes):
        of = np.array(classes)
        found = ranks(scores, of)
        assert found.tolist() == ranks(np.exp(scores) * 3 - 1, of).tolist()
        assert bool(((found >= 1) & (found <= 5)).all())

    def test_relative_ranks_are_shares_of_the_gallery(self):
        assert relative_ranks(np.array([1, 5]), 10).tolist() == [0.1, 0.5]

    @settings(deadline=None)
    @given(SCORES, st.lists(st.integers(0, 4), min_size=6, max_size=6))
    def test_identification_rates_rise_to_one(self, scores, classes):
        found = ranks(scores, np.array(classes))
        rates = [identified(found, within).mean() for within in range(1, 6)]
        assert rates == sorted(rates)
        assert rates[-1] == 1


class TestMisclassification:
    def test_by_hand(self):
        """Classes of weight 3/4 and 1/4 with 1 of 4 and 1 of 2 wrong: .3125; v = 9/16 x .1875/3 + 1/16 x .25/1."""
        wrong = np.array([1.0, 0, 0, 0, 1, 0])
        found = stratified_rate(wrong, np.array([0, 0, 0, 0, 1, 1]), np.array([3.0, 1.0]))
        assert found.value == pytest.approx(0.3125)
        assert found.variance == pytest.approx(9 / 16 * 0.1875 / 3 + 1 / 16 * 0.25)
        assert found.shares.tolist() == [0.25, 0.5]

    def test_a_class_of_weight_0_needs_no_probe(self):
        found = stratified_rate(np.array([1.0, 0]), np.array([1, 1]), np.array([0.0, 1.0]))
        assert found.value == 0.5

    def test_a_class_with_one_probe_says_nothing(self):
        found = stratified_rate(np.array([1.0, 0, 0]), np.array([0, 1, 1]))
        assert found == Undefined("1 of 2 classes have fewer than two probes")

    def test_replicates_give_its_variance(self):
        """As in the paper: classes are strata, two probes of each, any number of classes."""
        rng = np.random.default_rng(3)
        classes = np.repeat(np.arange(100), 2)
        wrong = (rng.random(200) < 0.3).astype(float)
        made = make_replicates(StratifiedUnits(classes, np.full(100, 1e15)), ReplicationOptions(), rng)
        total = Statistic(lambda totals: totals[..., 0] / 1e17, lambda totals: np.ones(totals.shape[:-1]))
        found, textbook = brr(made, wrong[:, None], total), stratified_rate(wrong, classes)
        assert found.value == pytest.approx(textbook.value, rel=1e-12)
        assert found.variance == pytest.approx(textbook.variance, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ranks(np.zeros((2, 3)), np.array([0])), "every probe needs its scores and its true class"),
        (lambda: ranks(np.zeros((1, 3)), np.array([3])), "a probe's class is not in the gallery; expected 0 to 2"),
        (lambda: relative_ranks(np.array([5]), 4), "a rank of 5 among 4 classes"),
        (lambda: identified(np.array([1]), 0), "nothing is identified within rank 0"),
        (lambda: stratified_rate(np.array([1.0]), np.array([2]), np.ones(2)), "a class has no weight"),
        (lambda: stratified_rate(np.array([1.0]), np.array([0]), np.zeros(1)), "do not add up to anything"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(StratawatchError, match=words):
        call()
