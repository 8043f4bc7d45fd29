import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.replicates import replicates_of_pairs
from stratawatch.core.estimation.replication.units import StratifiedUnits
from tests.support.hypothesis_examples import examples
from tests.support.stratified_units import drawn, textbook


def rng(seed=0):
    return np.random.default_rng(seed)


def variance(made, values):
    """v of the estimated total."""
    return float(((made.replicated @ values - made.weights @ values) ** 2).sum()) * made.scale


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32))
def test_pairs_give_the_textbook_variance(strata, seed):
    """Any values, any sizes: two labels in every stratum."""
    known, _, _ = drawn(rng(seed), [2] * strata)
    values = rng(seed).normal(size=2 * strata) * 10
    assert variance(replicates_of_pairs(known, rng(seed)), values) == pytest.approx(textbook(known, values), rel=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 2**32))
def test_no_weight_is_negative_and_the_mean_is_the_estimate(seed):
    known, yes, _ = drawn(rng(seed), (2 * rng(seed).integers(1, 6, 6)).tolist())
    made = replicates_of_pairs(known, rng(seed))
    assert bool((made.replicated >= 0).all())
    totals = made.replicated @ yes.astype(float)
    assert totals.mean() == pytest.approx(made.weights @ yes.astype(float), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("answers", [[4, 6], [3, 5], [7, 11]])
def test_the_variance_is_right_on_average(answers):
    """Over all random deals; 5 standard errors of 1000 deals."""
    source = rng(11)
    known, _, _ = drawn(source, answers)
    values = source.normal(size=sum(answers))
    found = np.array([variance(replicates_of_pairs(known, source), values) for _ in range(1000)])
    assert found.mean() == pytest.approx(textbook(known, values), abs=5 * found.std() / 1000**0.5)


def test_there_are_as_many_degrees_of_freedom_as_pairs():
    assert replicates_of_pairs(drawn(rng(12), [30, 31])[0], rng()).strata == 30


def test_many_labels_are_paired_in_groups():
    assert replicates_of_pairs(drawn(rng(13), [3000, 3000])[0], rng()).strata == 1000


class TestThinAndExhausted:
    def test_a_wholly_labelled_stratum_adds_nothing(self):
        known, _, _ = drawn(rng(14), [4, 2], sizes=[4, 100])
        made = replicates_of_pairs(known, rng())
        assert made.strata == 1
        assert bool((made.replicated[:, :4] == 1).all())

    def test_everything_labelled_is_exact(self):
        known, yes, _ = drawn(rng(15), [4, 2], sizes=[4, 2])
        made = replicates_of_pairs(known, rng())
        assert made.strata == 0
        assert variance(made, yes.astype(float)) == 0

    def test_single_labels_are_replicated_together(self):
        assert replicates_of_pairs(drawn(rng(16), [1, 1, 3])[0], rng()).strata == 2

    def test_too_few_labels_say_nothing(self):
        assert isinstance(replicates_of_pairs(drawn(rng(17), [1])[0], rng()), Undefined)

    def test_no_label_says_nothing(self):
        known = StratifiedUnits(np.zeros(0, dtype=np.int64), np.array([10.0]))
        assert replicates_of_pairs(known, rng()) == Undefined("no label")


def test_the_same_numbers_deal_the_same_replicates():
    known, _, _ = drawn(rng(21), [9, 9])
    one, other = (replicates_of_pairs(known, rng(3)) for _ in range(2))
    assert one.replicated.tolist() == other.replicated.tolist()
