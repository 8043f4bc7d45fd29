import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stratawatch.literature.tripathi.pattern_sizes import CallPatterns, Overlap
from tests.support.panel_draws import patterns_of

calls = arrays(bool, st.tuples(st.integers(1, 60), st.integers(1, 4)))


class TestOverlap:
    def test_ratios(self):
        overlap = Overlap(parent=200, child=50, both=40)
        assert (overlap.parent_ratio, overlap.child_ratio, overlap.outside) == (0.2, 0.8, 10)

    def test_of_nothing_the_ratios_are_zero(self):
        assert (Overlap(0, 0, 0).parent_ratio, Overlap(0, 0, 0).child_ratio) == (0.0, 0.0)


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
def test_overlaps_are_those_of_the_sets(calls):
    patterns, _ = patterns_of(calls)
    for parent in range(calls.shape[1]):
        for child in range(calls.shape[1]):
            a, c = calls[:, parent], calls[:, child]
            assert patterns.overlap(parent, child) == Overlap(a.sum(), c.sum(), (a & c).sum())
