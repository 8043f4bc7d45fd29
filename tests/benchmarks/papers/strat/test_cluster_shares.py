import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.cluster_shares import cluster_share, kish_error
from stratawatch.core.estimate import Undefined
from stratawatch.errors import StratawatchError


def counts_with(clusters, most, total, squares):
    """Counts 0 to `most` whose sum and sum of squares are these, by taking one from a low and giving it to a high."""
    found = [total // clusters] * (clusters - total % clusters) + [total // clusters + 1] * (total % clusters)
    while (now := sum(y * y for y in found)) < squares:
        # Moving one from a to b adds 2 (b - a + 1).
        low, high = min(
            ((a, b) for a in set(found) for b in set(found) if a > 0 and b < most),
            key=lambda pair: abs(squares - now - 2 * (pair[1] - pair[0] + 1)),
        )
        found.remove(low)
        found.remove(high) if high in found else None
        found += [low - 1, high + 1]
    assert (len(found), sum(found), sum(y * y for y in found)) == (clusters, total, squares)
    return np.array(found, dtype=float)


class TestLeprosy:
    """61 patients of 6 sites, 153 sites negative: binomial error 2.58 points, with patients as clusters 4.65."""

    found = cluster_share(counts_with(61, 6, 153, 669), np.full(61, 6.0))

    def test_the_published_errors(self):
        assert round(100 * self.found.binomial_error, 2) == 2.58
        assert round(100 * self.found.standard_error, 2) == 4.65
        assert round(self.found.standard_error / self.found.binomial_error, 1) == 1.8

    def test_the_design_effect_is_one_plus_rho_times_five(self):
        assert self.found.design_effect == pytest.approx(3.248, abs=5e-4)
        assert 1 + self.found.correlation * 5 == pytest.approx(self.found.design_effect)

    def test_only_the_sums_matter(self):
        """Other counts with the same sums: v is ((669 - 153^2/61)/60)/(61 x 36)."""
        expected = ((669 - 153**2 / 61) / 60 / (61 * 36)) ** 0.5
        assert self.found.standard_error == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=40))
def test_single_elements_and_whole_clusters(cells):
    yes, sizes = (np.array(column, dtype=float) for column in zip(*cells, strict=True))
    found = cluster_share(np.minimum(yes, sizes), sizes)
    if isinstance(found, Undefined):
        return
    assert found.share == pytest.approx(np.minimum(yes, sizes).sum() / sizes.sum())
    again = cluster_share(np.minimum(yes, sizes) * 3, sizes * 3)
    assert again.standard_error == pytest.approx(found.standard_error)
    n = sizes.sum()
    assert again.design_effect == pytest.approx(found.design_effect * (3 * n - 1) / (n - 1))


def test_single_elements_are_the_binomial_with_n_minus_1():
    yes = np.array([1.0] * 3 + [0.0] * 7)
    found = cluster_share(yes, np.ones(10))
    assert found.standard_error == pytest.approx((0.3 * 0.7 / 9) ** 0.5)
    assert found.correlation == Undefined("no cluster has two elements")


def test_all_clusters_drawn_leaves_no_error():
    assert cluster_share(np.array([1.0, 2.0]), np.array([2.0, 2.0]), fraction=1.0).standard_error == 0


def test_coverage_of_clusters_that_differ():
    """120 clusters of 8, chances Beta(1, 3): the interval with clusters holds, the binomial one does not."""
    rng = np.random.default_rng(20)
    chances = rng.beta(1, 3, size=(2000, 120))
    held = np.zeros(2)
    for row in rng.binomial(8, chances).astype(float):
        found = cluster_share(row, np.full(120, 8.0))
        for place, error in enumerate((found.standard_error, found.binomial_error)):
            held[place] += abs(found.share - 0.25) <= 1.96 * error
    assert held[0] / 2000 > 0.93
    assert held[1] / 2000 < 0.80


def test_kishs_figure():
    """He prints .074 for rho (m_bar - 1) = .2."""
    assert round(kish_error(0.2), 3) == 0.074
    assert kish_error(0.0) == pytest.approx(0.05)


class TestNoInformation:
    def test_one_cluster(self):
        assert isinstance(cluster_share(np.array([1.0]), np.array([2.0])), Undefined)

    def test_clusters_that_are_all_alike(self):
        assert isinstance(cluster_share(np.array([1.0, 2.0, 1.0]), np.array([2.0, 4.0, 2.0])), Undefined)

    def test_elements_that_agree(self):
        assert isinstance(cluster_share(np.array([0.0, 0.0]), np.array([2.0, 2.0])), Undefined)


@pytest.mark.parametrize(
    ("yes", "sizes", "fraction"),
    [([3.0, 1], [2.0, 2], 0), ([1.0, 1], [0.0, 2], 0), ([1.0], [2.0, 2], 0), ([1.0, 1], [2.0, 2], 1.5)],
)
def test_counts_that_do_not_fit_are_refused(yes, sizes, fraction):
    with pytest.raises(StratawatchError, match="clusters"):
        cluster_share(np.array(yes), np.array(sizes), fraction)
