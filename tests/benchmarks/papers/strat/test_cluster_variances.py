import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.linearised import cluster_variances
from stratawatch.core.estimation.cluster_design_effect import VarianceStrata
from stratawatch.core.estimation.replication.units import StratifiedUnits


def effect(strata, moves):
    return cluster_variances(strata, VarianceStrata.of(strata), moves).design_effect


def random_labels(seed, counts):
    rng = np.random.default_rng(seed)
    return np.repeat(np.arange(len(counts)), counts), np.array(counts) * 50.0, rng.normal(size=(sum(counts), 3))


@settings(deadline=None)
@given(st.integers(0, 99), st.lists(st.integers(2, 9), min_size=1, max_size=6))
def test_labels_that_are_alone_have_no_effect(seed, counts):
    of, sizes, moves = random_labels(seed, counts)
    for clusters in (np.arange(len(of)), np.full(len(of), -1)):
        assert effect(StratifiedUnits(of, sizes, clusters), moves) == pytest.approx(np.ones(3))


@settings(deadline=None)
@given(st.integers(0, 99), st.lists(st.integers(2, 9), min_size=1, max_size=6), st.integers(2, 4))
def test_labels_that_come_m_times_have_nearly_m(seed, counts, times):
    """Within a stratum of C clusters of m copies: m (C/(C - 1)) / (m C/(m C - 1))."""
    of, sizes, moves = random_labels(seed, counts)
    again = StratifiedUnits(np.repeat(of, times), times * sizes, np.repeat(np.arange(len(of)), times))
    once = cluster_variances(
        StratifiedUnits(of, sizes, np.arange(len(of))), VarianceStrata.of(StratifiedUnits(of, sizes)), moves
    ).alone
    found = cluster_variances(again, VarianceStrata.of(again), np.repeat(moves, times, axis=0))
    assert found.together == pytest.approx(once * times**2)
    each = [(times * c - 1) / (c - 1) for c in counts]
    assert bool(np.all((min(each) * (1 - 1e-9) <= found.design_effect) & (found.design_effect <= max(each) + 1e-9)))


def test_clusters_across_strata_add_up():
    """Two strata of four labels; label i of both is of cluster i, and moves alike: twice together is four times V."""
    moves = np.tile([[1.0], [0.0], [0.0], [3.0]], (2, 1))
    both = StratifiedUnits(np.repeat([0, 1], 4), np.array([100.0, 100.0]), np.tile(np.arange(4), 2))
    assert effect(both, moves) == pytest.approx(2)


def test_opposite_labels_of_a_cluster_make_it_small():
    strata = StratifiedUnits(np.zeros(4, dtype=np.int64), np.array([100.0]), np.array([0, 0, 1, 1]))
    assert effect(strata, np.array([[1.0], [0.0], [1.0], [0.0]])) == pytest.approx(0)


def test_labels_that_move_nothing_have_none():
    strata = StratifiedUnits(np.zeros(4, dtype=np.int64), np.array([100.0]), np.array([0, 0, 1, 1]))
    assert np.isnan(effect(strata, np.ones((4, 1)))).all()
    exhausted = StratifiedUnits(np.zeros(2, dtype=np.int64), np.array([2.0]))
    assert np.isnan(effect(exhausted, np.ones((2, 1)))).all()
