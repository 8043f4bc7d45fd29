import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.errors import StratawatchError
from stratawatch.literature.bennett.bins import BINNINGS, bin_numbers

SCORES = np.array([0.5, 0.51, 0.52, 0.53, 0.54, 0.6, 0.61, 0.75, 0.8, 0.9])


def sizes(values, cuts):
    return np.bincount(bin_numbers(values, cuts), minlength=len(cuts) + 1).tolist()


@pytest.mark.parametrize("name", BINNINGS)
class TestEveryBinning:
    def test_one_bin_needs_no_cut(self, name):
        assert BINNINGS[name](SCORES, np.ones(10), 1).tolist() == []

    def test_a_constant_score_is_one_bin(self, name):
        assert BINNINGS[name](np.full(9, 0.7), np.ones(9), 4).tolist() == []

    def test_cells_without_items_do_not_count(self, name):
        with_ghost = BINNINGS[name](np.append(SCORES, 99.0), np.append(np.ones(10), 0.0), 4)
        assert with_ghost.tolist() == BINNINGS[name](SCORES, np.ones(10), 4).tolist()

    def test_order_does_not_matter(self, name):
        assert BINNINGS[name](SCORES[::-1], np.ones(10), 3).tolist() == BINNINGS[name](SCORES, np.ones(10), 3).tolist()

    def test_no_bins_are_refused(self, name):
        with pytest.raises(StratawatchError, match="cut into no bins; expected at least 1 bin; got 0"):
            BINNINGS[name](SCORES, np.ones(10), 0)

    def test_nothing_to_cut_is_refused(self, name):
        with pytest.raises(StratawatchError, match="nothing to cut"):
            BINNINGS[name](np.zeros(0), np.zeros(0), 4)

    def test_an_item_without_a_score_is_refused(self, name):
        with pytest.raises(StratawatchError, match="leave out items without a score"):
            BINNINGS[name](np.array([0.1, np.nan]), np.ones(2), 2)

    @given(data=st.data())
    def test_every_bin_holds_items_and_counts_stand_for_items(self, name, data):
        cells = data.draw(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 9)), min_size=1, max_size=30))
        count = data.draw(st.integers(1, 8))
        values, weights = (np.array(column, dtype=float) for column in zip(*cells, strict=True))
        items = np.repeat(values, weights.astype(int))
        cuts = BINNINGS[name](values, weights, count)
        assert cuts.tolist() == BINNINGS[name](items, np.ones(len(items)), count).tolist()
        assert len(cuts) < count
        assert bool(np.all(np.diff(cuts) > 0))
        assert min(sizes(items, cuts)) > 0


def test_equal_cuts_the_range_into_equal_parts():
    cuts = BINNINGS["equal"](SCORES, np.ones(10), 4)
    assert cuts.tolist() == pytest.approx([0.6, 0.7, 0.8])
    assert sizes(SCORES, cuts) == [5, 2, 1, 2]


def test_perc_gives_bins_of_one_size():
    assert sizes(SCORES, BINNINGS["perc"](SCORES, np.ones(10), 5)) == [2, 2, 2, 2, 2]


def test_perc_keeps_ties_together_and_cuts_where_it_is_nearest():
    """Of 1 + 6 + 3 items half are 5: below .2 lies 1, below .3 lie 7, and 7 is nearer."""
    cuts = BINNINGS["perc"](np.array([0.1, 0.2, 0.3]), np.array([1.0, 6.0, 3.0]), 2)
    assert cuts.tolist() == [0.3]


def test_a_heavy_tie_leaves_fewer_bins():
    cuts = BINNINGS["perc"](np.array([0.1, 0.2]), np.array([1.0, 99.0]), 4)
    assert cuts.tolist() == [0.2]
