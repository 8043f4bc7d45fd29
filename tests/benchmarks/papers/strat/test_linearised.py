import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.brr import ClassifierCalls
from benchmarks.papers.strat.cluster_shares import cluster_share
from benchmarks.papers.strat.linearised import clustered, linearised
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.metrics import METRICS
from tests.support.stratified_units import drawn, textbook


def drawn_calls(*args, **options):
    """Strata, labels and calls."""
    strata, yes, positive = drawn(*args, **options)
    return strata, yes, ClassifierCalls.of(strata, positive)


def everything_positive(n, items):
    return ClassifierCalls(np.ones(n, dtype=bool), np.zeros(n, dtype=bool), items, 0.0)


def test_precision_is_the_stratified_mean():
    known, yes, calls = drawn_calls(np.random.default_rng(1), [5, 9, 2])
    found = linearised(known, yes, calls, "precision")
    assert found.variance == pytest.approx(textbook(known, (yes & calls.positive) * 1.0) / calls.positive_items**2)


@pytest.mark.parametrize("metric", METRICS)
def test_slopes_are_those_of_the_metric(metric):
    """V is the sum of squares of what a label moves: nudge every label's weight and look."""
    known, yes, calls = drawn_calls(np.random.default_rng(2), [8, 8])
    found = clustered(StratifiedUnits(known.of, known.sizes, np.arange(16)), yes, calls, metric)
    plain = linearised(known, yes, calls, metric)
    left = 1 - 1 / known.weights
    assert found.design_effect == pytest.approx(1)
    assert found.spread.value == plain.value
    assert left.min() * found.spread.variance <= plain.variance <= left.max() * found.spread.variance


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=3, max_size=30))
def test_one_stratum_of_clusters_is_cochrans_ratio_estimator(counts):
    yes_by, sizes = (np.array(column, dtype=float) for column in zip(*counts, strict=True))
    yes_by = np.minimum(yes_by, sizes)
    clusters = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    yes = np.concatenate([np.arange(m) < y for y, m in zip(yes_by, sizes, strict=True)])
    n = len(yes)
    known = StratifiedUnits(np.zeros(n, dtype=np.int64), np.array([1000.0]), clusters)
    found = clustered(known, yes, everything_positive(n, 1000.0), "precision")
    expected = cluster_share(yes_by, sizes)
    assert isinstance(found, Undefined) == isinstance(expected, Undefined)
    if not isinstance(found, Undefined):
        assert found.spread.value == pytest.approx(expected.share)
        assert found.spread.variance == pytest.approx(expected.standard_error**2)
        assert found.spread.degrees == len(sizes) - 1


def test_clusters_across_strata_add_up():
    """Two strata, the same clusters in both, the same labels: moves double, so the variance is 4 times one stratum's."""
    yes = np.array([1, 0, 1, 1, 0, 0], dtype=bool)
    one = StratifiedUnits(np.zeros(6, dtype=np.int64), np.array([600.0]), np.array([0, 0, 1, 1, 2, 2]))
    two = StratifiedUnits(np.repeat([0, 1], 6), np.array([600.0, 600.0]), np.tile([0, 0, 1, 1, 2, 2], 2))
    single = clustered(one, yes, everything_positive(6, 1200.0), "precision").spread.variance
    both = clustered(two, np.tile(yes, 2), everything_positive(12, 1200.0), "precision").spread.variance
    assert both == pytest.approx(4 * single)


class TestDesignEffect:
    def test_of_clusters_that_agree_it_is_nearly_their_size(self):
        """30 clusters of 4 that all agree within: m (C/(C - 1)) / (n/(n - 1)) = 4 x (30/29) x (119/120)."""
        yes = np.repeat(np.arange(30) % 2 == 0, 4)
        known = StratifiedUnits(np.zeros(120, dtype=np.int64), np.array([5000.0]), np.repeat(np.arange(30), 4))
        found = clustered(known, yes, everything_positive(120, 5000.0), "precision")
        assert found.design_effect == pytest.approx(4 * (30 / 29) * (119 / 120))
        assert found.mean_size == 4
        assert 1 + found.correlation * (found.mean_size - 1) == pytest.approx(found.design_effect)

    def test_of_single_labels_it_is_one_and_has_no_correlation(self):
        known, yes, calls = drawn_calls(np.random.default_rng(3), [9, 9], clusters=np.arange(18))
        found = clustered(known, yes, calls, "recall")
        assert found.design_effect == pytest.approx(1)
        assert found.correlation == Undefined("no cluster has two labels")

    def test_labels_without_a_cluster_are_alone(self):
        known, yes, calls = drawn_calls(np.random.default_rng(4), [9, 9], clusters=np.full(18, -1))
        assert clustered(known, yes, calls, "recall").clusters == 18


class TestThin:
    def test_single_labels_are_read_with_their_neighbour(self):
        known, yes, calls = drawn_calls(np.random.default_rng(5), [1, 6])
        assert linearised(known, yes, calls, "accuracy").variance > 0

    def test_an_exhausted_stratum_adds_nothing(self):
        known, yes, calls = drawn_calls(np.random.default_rng(6), [4, 6], sizes=[4, 90])
        alone = StratifiedUnits(np.zeros(6, dtype=np.int64), np.array([90.0]))
        later = ClassifierCalls(calls.positive[4:], calls.negative[4:], 0.0, 94.0)
        whole = linearised(known, yes, calls, "prevalence").variance
        assert whole == pytest.approx(linearised(alone, yes[4:], later, "prevalence").variance)


class TestNoInformation:
    def test_nothing_labelled_on_the_side_that_counts(self):
        known, yes, calls = drawn_calls(np.random.default_rng(12), [4], clusters=np.arange(4))
        silent = ClassifierCalls(np.zeros(4, dtype=bool), calls.positive | calls.negative, 10.0, 20.0)
        nothing = Undefined("no label among the 10 items it calls positive")
        assert linearised(known, yes, silent, "precision") == nothing
        assert clustered(known, yes, silent, "precision") == nothing

    def test_a_single_label(self):
        known, yes, calls = drawn_calls(np.random.default_rng(13), [1])
        nothing = Undefined("labels of fewer than 2 units say nothing about their own spread")
        assert linearised(known, yes, calls, "accuracy") == nothing

    def test_no_clusters(self):
        known, yes, calls = drawn_calls(np.random.default_rng(7), [4, 4])
        assert clustered(known, yes, calls, "recall") == Undefined("no clusters are known")

    def test_labels_that_agree(self):
        known, _, calls = drawn_calls(np.random.default_rng(8), [9])
        found = linearised(known, np.ones(9, dtype=bool), calls, "prevalence")
        assert found == Undefined("labels without any variation say nothing about their error")

    def test_one_cluster(self):
        known, yes, calls = drawn_calls(np.random.default_rng(9), [9], clusters=np.zeros(9, dtype=np.int64))
        assert isinstance(clustered(known, yes, calls, "accuracy"), Undefined)

    def test_no_positive(self):
        known, _, calls = drawn_calls(np.random.default_rng(10), [9], clusters=np.arange(9))
        nothing = Undefined("the labels hold nothing to make it of")
        assert linearised(known, np.zeros(9, dtype=bool), calls, "recall") == nothing
        assert clustered(known, np.zeros(9, dtype=bool), calls, "recall") == nothing

    def test_everything_labelled_is_exact(self):
        known, yes, calls = drawn_calls(np.random.default_rng(11), [6], sizes=[6])
        assert linearised(known, yes, calls, "accuracy").variance == 0
