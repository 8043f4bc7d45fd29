import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.call_patterns import CallPatterns
from stratawatch.literature.tripathi.overlap import Overlap

calls = arrays(bool, st.tuples(st.integers(1, 60), st.integers(1, 4)))


class TestOverlap:
    def test_ratios(self):
        overlap = Overlap(parent=200, child=50, both=40)
        assert (overlap.parent_ratio, overlap.child_ratio, overlap.outside) == (0.2, 0.8, 10)

    def test_of_nothing_the_ratios_are_zero(self):
        assert (Overlap(0, 0, 0).parent_ratio, Overlap(0, 0, 0).child_ratio) == (0.0, 0.0)

    @pytest.mark.parametrize("sizes", [(5, 3, 4), (3, 5, 4), (5, 5, -1)])
    def test_more_in_both_than_in_one_is_refused(self, sizes):
        with pytest.raises(StratawatchError, match="two sets cannot overlap like this; expected 0 to"):
            Overlap(*sizes)


class TestOfACensus:
    def test_score_bins_of_a_pattern_come_together(self):
        patterns = CallPatterns.of(["00", "10", "10", "11"], np.array([7, 1, 2, 4]), 2)
        assert patterns.names == ("00", "10", "11")
        assert patterns.sizes.tolist() == [7, 3, 4]
        assert patterns.called_positive.tolist() == [7, 4]
        assert patterns.called_negative.tolist() == [7, 10]

    def test_who_did_not_say_calls_neither(self):
        patterns = CallPatterns.of(["1-", "01"], np.array([3, 4]), 2)
        assert patterns.called_positive.tolist() == [3, 4]
        assert patterns.called_negative.tolist() == [4, 0]

    def test_letters_of_auxiliary_scores_are_not_read(self):
        assert CallPatterns.of(["101", "100"], np.array([3, 4]), 2).names == ("10",)

    def test_an_empty_census(self):
        assert CallPatterns.of([], np.zeros(0, dtype=np.int64), 2).called_positive.tolist() == [0, 0]


@given(calls)
def test_items_in_memory_and_their_census_are_the_same(calls):
    patterns, cells = CallPatterns.of_calls(calls)
    names = ["".join("01"[call] for call in row) for row in calls.astype(int)]
    census = CallPatterns.of(names, np.ones(len(names), dtype=np.int64), calls.shape[1])
    assert patterns.names == census.names
    assert patterns.sizes.tolist() == census.sizes.tolist()
    assert [patterns.names[cell] for cell in cells] == names


@given(calls)
def test_overlaps_are_those_of_the_sets(calls):
    patterns, _ = CallPatterns.of_calls(calls)
    for parent in range(calls.shape[1]):
        for child in range(calls.shape[1]):
            a, c = calls[:, parent], calls[:, child]
            assert patterns.overlap(parent, child) == Overlap(a.sum(), c.sum(), (a & c).sum())


class TestParent:
    patterns = CallPatterns.of(["00", "10"], np.array([5, 5]), 2)

    def test_a_parent_is_one_of_the_classifiers(self):
        with pytest.raises(StratawatchError, match="none of the classifiers; expected 0 to 1; got 2"):
            self.patterns.checked_parent(2)

    def test_a_parent_without_positive_calls_is_refused(self):
        with pytest.raises(StratawatchError, match=r"calls no item positive.*name another parent"):
            self.patterns.checked_parent(1)

    def test_any_other_will_do(self):
        assert self.patterns.checked_parent(0) == 0
