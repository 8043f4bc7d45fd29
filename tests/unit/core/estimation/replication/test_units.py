import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.errors import StratawatchError


def strata(of, sizes, clusters=None):
    where = np.array(of, dtype=np.int64)
    return StratifiedUnits(where, np.array(sizes, dtype=float), None if clusters is None else np.array(clusters))


def rows(found):
    return [part.tolist() for part in found]


class TestWeights:
    def test_items_by_label(self):
        assert strata([0, 0, 1], [10, 5]).weights.tolist() == [5, 5, 5]

    def test_a_stratum_without_a_label_joins_the_next(self):
        assert strata([1, 1], [10, 6, 3]).weights.tolist() == [9.5, 9.5]

    def test_the_last_joins_the_one_before(self):
        assert strata([0, 1], [10, 6, 3]).weights.tolist() == [10, 9]

    def test_no_label_stands_for_nothing(self):
        assert strata([], [10]).weights.tolist() == []

    @settings(deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), min_size=1, max_size=12))
    def test_labels_stand_for_all_items(self, cells):
        """Whatever strata have labels, if any has."""
        of = [h for h, (n, _) in enumerate(cells) for _ in range(n)]
        known = strata(of, [n + more for n, more in cells])
        if of:
            assert known.weights.sum() == pytest.approx(known.sizes.sum())


class TestReadable:
    def test_strata_with_enough_units_stand_alone(self):
        assert rows(strata([0, 1, 0, 1], [9, 9]).readable(2)) == [[0, 2], [1, 3]]

    def test_a_thin_one_is_read_with_the_next(self):
        assert rows(strata([0, 1, 1, 2, 2], [9, 9, 9]).readable(2)) == [[0, 1, 2], [3, 4]]

    def test_a_thin_last_with_the_one_before(self):
        assert rows(strata([0, 0, 1], [9, 9]).readable(2)) == [[0, 1, 2]]

    def test_an_exhausted_stratum_is_left_out(self):
        assert rows(strata([0, 0, 1, 1], [2, 9]).readable(2)) == [[2, 3]]

    def test_everything_labelled_leaves_nothing(self):
        assert strata([0, 1], [1, 1]).readable(2) == []

    def test_too_few_units_altogether(self):
        found = strata([0, 0], [9]).readable(3)
        assert found == Undefined("labels of fewer than 3 units say nothing about their own spread")

    def test_clusters_count_once(self):
        assert rows(strata([0, 0, 1, 1], [9, 9], clusters=[4, 4, 5, 6]).readable(2)) == [[0, 1, 2, 3]]


class TestUnits:
    def test_clusters_are_numbered(self):
        assert strata([0] * 4, [9], clusters=[7, 3, 7, 3]).units.tolist() == [1, 0, 1, 0]

    def test_a_label_without_a_cluster_is_its_own(self):
        assert len(set(strata([0] * 4, [9], clusters=[7, -1, -1, 7]).units.tolist())) == 3

    def test_with_clusters_nothing_is_exhausted(self):
        assert not strata([0, 0], [2], clusters=[0, 1]).exhausted.any()
        assert strata([0, 0], [2]).exhausted.all()


@pytest.mark.parametrize(
    ("of", "sizes", "clusters", "words"),
    [
        ([0, 2], [5, 5], None, "a label lies in a stratum that has no size; expected 0 to 1"),
        ([0, 0], [1], None, "stratum 0 has more labels than items; expected at most 1; got 2"),
        ([0, 0], [3], [1], "clusters and strata are not of the same labels"),
    ],
)
def test_what_does_not_fit_is_refused(of, sizes, clusters, words):
    with pytest.raises(StratawatchError, match=words):
        strata(of, sizes, clusters)
