from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.replicates import ReplicationOptions, make_replicates
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.replicates import replicates_of_pairs
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples
from tests.support.stratified_units import drawn, textbook


def variance(made, values):
    """v of the estimated total."""
    return float(((made.replicated @ values - made.weights @ values) ** 2).sum()) * made.scale


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 40), st.sampled_from([0.0, 0.3, 0.9]), st.integers(0, 2**32))
def test_equal_units_give_the_textbook_variance(strata, fay, seed):
    """Any values, any sizes, any Fay: as many labels in every stratum as there are units."""
    rng = np.random.default_rng(seed)
    known, _, _ = drawn(rng, [2] * strata)
    values = rng.normal(size=2 * strata) * 10
    found = variance(make_replicates(known, ReplicationOptions(fay=fay), rng), values)
    assert found == pytest.approx(textbook(known, values), rel=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([0.0, 0.5]))
def test_every_stratum_keeps_its_size_and_the_mean_its_value(seed, split, fay):
    rng = np.random.default_rng(seed)
    known, yes, _ = drawn(rng, (2 * rng.integers(1, 6, 6)).tolist())
    made = make_replicates(known, ReplicationOptions(fay=fay, split=split), rng)
    assert bool((made.replicated >= 0).all())
    if not split:
        sizes = np.array([made.replicated[:, known.of == h].sum(axis=1) for h in range(6)])
        assert np.allclose(sizes, known.sizes[:, None], rtol=1e-12)
    totals = made.replicated @ yes.astype(float)
    assert totals.mean() == pytest.approx(made.weights @ yes.astype(float), rel=1e-12, abs=1e-9)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(0, 2**32))
def test_pairs_are_those_of_the_product(answers, seed):
    known, _, _ = drawn(np.random.default_rng(seed), answers)
    general = make_replicates(known, ReplicationOptions(split=True), np.random.default_rng(seed))
    pairs = replicates_of_pairs(known, np.random.default_rng(seed))
    if isinstance(pairs, Undefined):
        assert pairs == general
    else:
        assert pairs.replicated.tolist() == general.replicated.tolist()
        assert (pairs.strata, pairs.scale) == (general.strata, general.scale)


def test_all_half_samples_by_enumeration():
    """Three strata: eight replicates would be all 2^3 half-samples; the balanced four give the same variance."""
    rng = np.random.default_rng(5)
    known, _, _ = drawn(rng, [2, 2, 2], sizes=[1e9, 2e9, 3e9])
    values = rng.normal(size=6)
    chosen = [
        sum(size * values[2 * h + pick] for h, (size, pick) in enumerate(zip(known.sizes, picks, strict=True)))
        for picks in product(range(2), repeat=3)
    ]
    everything = float(((np.array(chosen) - known.weights @ values) ** 2).mean())
    made = make_replicates(known, ReplicationOptions(), rng)
    assert len(made.replicated) == 4
    assert variance(made, values) == pytest.approx(everything, rel=1e-8)


class TestMoreLabelsThanUnits:
    @pytest.mark.parametrize("split", [False, True])
    @pytest.mark.parametrize("answers", [[4, 6], [3, 5], [7, 11]])
    def test_the_variance_is_right_on_average(self, answers, split):
        """Over all random deals; 5 standard errors of 1000 deals."""
        rng = np.random.default_rng(11)
        known, _, _ = drawn(rng, answers)
        values = rng.normal(size=sum(answers))
        found = np.array(
            [variance(make_replicates(known, ReplicationOptions(split=split), rng), values) for _ in range(1000)]
        )
        assert found.mean() == pytest.approx(textbook(known, values), abs=5 * found.std() / 1000**0.5)

    def test_splitting_gives_more_degrees_and_a_steadier_variance(self):
        rng = np.random.default_rng(12)
        known, _, _ = drawn(rng, [30, 30])
        values = rng.normal(size=60)
        groups, pairs = (
            [make_replicates(known, ReplicationOptions(split=split), rng) for _ in range(100)]
            for split in (False, True)
        )
        assert (groups[0].strata, pairs[0].strata) == (2, 30)
        assert np.std([variance(made, values) for made in pairs]) < 0.4 * np.std(
            [variance(made, values) for made in groups]
        )


class TestThinAndExhausted:
    def test_a_wholly_labelled_stratum_adds_nothing(self):
        rng = np.random.default_rng(14)
        known, _, _ = drawn(rng, [4, 2], sizes=[4, 100])
        made = make_replicates(known, ReplicationOptions(), rng)
        assert made.strata == 1
        assert bool((made.replicated[:, :4] == 1).all())

    def test_everything_labelled_is_exact(self):
        known, yes, _ = drawn(np.random.default_rng(15), [4, 2], sizes=[4, 2])
        made = make_replicates(known, ReplicationOptions(), np.random.default_rng(0))
        assert made.strata == 0
        assert variance(made, yes.astype(float)) == 0

    def test_single_labels_are_replicated_together(self):
        known, _, _ = drawn(np.random.default_rng(16), [1, 1, 3])
        assert make_replicates(known, ReplicationOptions(), np.random.default_rng(0)).strata == 2

    def test_too_few_labels_say_nothing(self):
        known, _, _ = drawn(np.random.default_rng(17), [1])
        assert isinstance(make_replicates(known, ReplicationOptions(), np.random.default_rng(0)), Undefined)

    def test_no_label_says_nothing(self):
        known = StratifiedUnits(np.zeros(0, dtype=np.int64), np.array([10.0]))
        assert make_replicates(known, ReplicationOptions(), np.random.default_rng(0)) == Undefined("no label")


class TestClusters:
    def test_clusters_stay_together(self):
        rng = np.random.default_rng(18)
        clusters = np.repeat(np.arange(8), 3)
        known, _, _ = drawn(rng, [24], clusters=clusters)
        made = make_replicates(known, ReplicationOptions(), rng)
        for cluster in range(8):
            inside = made.replicated[:, clusters == cluster]
            assert bool((inside == inside[:, :1]).all())

    def test_the_variance_is_that_of_cluster_means_on_average(self):
        """Equal clusters of one stratum: N^2 times the variance of their means over 8; 5 errors of 1000 deals."""
        rng = np.random.default_rng(19)
        known, _, _ = drawn(rng, [24], sizes=[1000], clusters=np.repeat(np.arange(8), 3))
        values = rng.normal(size=24)
        found = np.array([variance(make_replicates(known, ReplicationOptions(), rng), values) for _ in range(1000)])
        expected = 1000**2 * values.reshape(8, 3).mean(axis=1).var(ddof=1) / 8
        assert found.mean() == pytest.approx(expected, abs=5 * found.std() / 1000**0.5)

    def test_clusters_across_strata_are_refused(self):
        known, _, _ = drawn(np.random.default_rng(20), [3, 3], clusters=np.array([0, 1, 2, 2, 3, 4]))
        with pytest.raises(StratawatchError, match="1 clusters have labels in several strata; expected every cluster"):
            make_replicates(known, ReplicationOptions(), np.random.default_rng(0))


def test_the_same_numbers_deal_the_same_replicates():
    known, _, _ = drawn(np.random.default_rng(21), [9, 9])
    one, other = (make_replicates(known, ReplicationOptions(), np.random.default_rng(3)) for _ in range(2))
    assert one.replicated.tolist() == other.replicated.tolist()


@pytest.mark.parametrize(
    ("fay", "words"),
    [(1.0, "Fay's factor is out of range; expected 0 <= fay < 1; got 1"), (-0.1, "Fay's factor is out of range")],
)
def test_what_cannot_be_dealt_is_refused(fay, words):
    with pytest.raises(StratawatchError, match=words):
        ReplicationOptions(fay=fay)
