"""Scores: what counts as held, as undefined, and as a cell that surely fails."""

import numpy as np
import pytest

from benchmarks.coverage.scores import Intervals, Tally
from benchmarks.coverage.tails import Tails


def tally(held, defined=5000, runs=5000, half_width=0.1):
    tails = Tails(defined, 0, defined - held, 0.0, 0.0)
    return Tally("fixed", "p", 100, "c", "recall", runs, defined, held, half_width, tails)


def intervals(low, high, value=0.3, logit=1.0):
    ends = np.array(low), np.array(high)
    return Intervals(*ends, np.broadcast_to(value, ends[0].shape), np.broadcast_to(logit, ends[0].shape))


class TestTally:
    def test_undefined_runs_are_neither_covered_nor_uncovered(self):
        found = tally(held=90, defined=100, runs=200)
        assert found.coverage == 0.9
        assert found.undefined == 0.5

    def test_without_a_defined_run_there_is_no_coverage(self):
        assert np.isnan(tally(held=0, defined=0).coverage)
        assert not tally(held=0, defined=0).fails

    @pytest.mark.parametrize(("held", "fails"), [(4563, True), (4570, False), (4625, False), (5000, False)])
    def test_a_cell_fails_when_its_upper_end_is_below_the_lowest(self, held, fails):
        """99.9% one-sided: .925 - 3.09 sqrt(.925 x .075/5000) = .9135, that is 4567 of 5000."""
        assert tally(held=held).fails is fails

    def test_few_runs_prove_little(self):
        assert not tally(held=44, defined=50).fails
        assert tally(held=30, defined=50).fails


class TestIntervals:
    def test_ends_count_and_undefined_ones_do_not(self):
        found = intervals(low=[0.1, 0.5, np.nan, 0.3], high=[0.4, 0.9, np.nan, 0.3])
        assert found.held(0.3) == 2
        assert found.held(0.9) == 1
        assert found.defined == 3

    def test_what_cannot_be_told_is_half_wide(self):
        found = intervals(low=[0.1, np.nan], high=[0.3, np.nan])
        assert found.half_width == pytest.approx((0.1 + 0.5) / 2)
        assert found.half_width_error == pytest.approx(0.2 / 2**0.5)

    def test_tails_are_of_the_told_ones_and_leans_in_standard_errors(self):
        """Values .2, .3 and .7 of a truth of .3: .1 too high on average, and their deviation is .216."""
        low, high = [0.1, 0.2, 0.5, np.nan], [0.25, 0.4, 0.9, np.nan]
        found = intervals(low, high, value=np.array([0.2, 0.3, 0.7, np.nan]), logit=np.array([1.0, 0.5, 0.6, np.nan]))
        tails = found.tails(0.3)
        assert (tails.runs, tails.above, tails.below) == (3, 1, 1)
        assert tails.lean == pytest.approx(0.1 / np.std([0.2, 0.3, 0.7]))
        assert tails.logit == pytest.approx(0.7)
