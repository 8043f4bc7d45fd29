from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.kumar.allocations import ALLOCATIONS, Equal, OptA1, OptA2, Proportional
from stratawatch.literature.kumar.stratified_share import stratified_share
from stratawatch.literature.stratum_counts import StratumCounts
from tests.support.hypothesis_examples import examples

SIZES = np.array([1000, 3000, 6000])
EVERY = {**ALLOCATIONS, "OPT-A1 smoothed": OptA1(pseudo_labels=1.0), "OPT-A2 smoothed": OptA2(pseudo_labels=1.0)}


def answered(labels, yes):
    return StratumCounts.all_answered(np.array(labels), np.array(yes))


def nothing(sizes):
    return StratumCounts.none_drawn(len(sizes))


def finished(allocation, sizes, right, budget, rng):
    """Ask and answer until it gives back what was asked already; all its steps."""
    counts, steps = nothing(sizes), []
    while True:
        totals = allocation.totals(sizes, counts, budget)
        if totals.tolist() == counts.drawn.tolist():
            return counts, steps
        more = totals - counts.drawn
        good = right - counts.yes
        counts = StratumCounts.all_answered(
            totals, counts.yes + rng.hypergeometric(good, sizes - counts.drawn - good, more)
        )
        steps.append(totals)


@pytest.mark.parametrize("name", EVERY)
class TestEveryAllocation:
    @settings(max_examples=examples(40), deadline=None)
    @given(st.lists(st.tuples(st.integers(2, 200), st.floats(0, 1)), min_size=1, max_size=8), st.integers(0, 300))
    def test_spends_its_budget_exactly_within_the_sizes(self, name, strata, extra):
        sizes = np.array([size for size, _ in strata])
        right = np.array([round(size * share) for size, share in strata])
        budget = int(np.minimum(sizes, 10).sum()) + extra
        counts, steps = finished(EVERY[name], sizes, right, budget, np.random.default_rng(extra))
        assert counts.drawn.sum() == min(budget, sizes.sum())
        assert bool((counts.drawn <= sizes).all())
        assert bool((counts.drawn >= np.minimum(sizes, 2)).all())
        for before, after in pairwise(steps):
            assert bool((after >= before).all())

    def test_asks_again_for_the_same_from_the_same(self, name):
        counts = nothing(SIZES)
        assert EVERY[name].totals(SIZES, counts, 100).tolist() == EVERY[name].totals(SIZES, counts, 100).tolist()

    def test_refuses_a_budget_below_its_first_labels(self, name):
        with pytest.raises(PlanImpossible, match=r"5 labels do not give .* to each of 3 strata; expected at least"):
            EVERY[name].totals(SIZES, nothing(SIZES), 5)

    @pytest.mark.parametrize("sizes", [np.array([], dtype=np.int64), np.array([5, 0])])
    def test_refuses_empty_strata(self, name, sizes):
        with pytest.raises(StratawatchError, match="a stratum is empty"):
            EVERY[name].totals(sizes, nothing(sizes), 100)

    def test_can_estimate_in_the_end(self, name):
        counts, _ = finished(EVERY[name], SIZES, SIZES * 9 // 10, 200, np.random.default_rng(2))
        assert stratified_share(SIZES, counts.labels, counts.yes).value == pytest.approx(0.9, abs=0.1)


class TestFixedOnes:
    def test_proportional(self):
        assert Proportional().totals(SIZES, nothing(SIZES), 50).tolist() == [5, 15, 30]

    def test_proportional_rounds_to_the_largest_remainder(self):
        """7 x (1, 3, 6)/10 = .7, 2.1, 4.2, but two are the least of a stratum: 5 left of 3 : 6."""
        assert Proportional().totals(SIZES, nothing(SIZES), 7).tolist() == [2, 2, 3]

    def test_equal(self):
        assert sorted(Equal().totals(SIZES, nothing(SIZES), 50).tolist()) == [16, 17, 17]

    def test_a_small_stratum_gives_all_it_has_and_the_others_the_rest(self):
        assert Equal().totals(np.array([5, 90, 90]), nothing(SIZES), 65).tolist() == [5, 30, 30]


class TestOptA1:
    def test_first_the_same_everywhere(self):
        assert OptA1(10).totals(SIZES, nothing(SIZES), 100).tolist() == [10, 10, 10]

    def test_then_the_rest_by_size_and_spread(self):
        """s = .527 (5 of 10), .422 (8 of 10), 0: 70 by 527 : 1265 : 0 = 20.6 and 49.4."""
        assert OptA1(10).totals(SIZES, answered([10] * 3, [5, 8, 10]), 100).tolist() == [31, 59, 10]

    def test_the_printed_algorithm_never_asks_again_where_all_agree(self):
        totals = OptA1(10).totals(SIZES, answered([10] * 3, [5, 10, 10]), 500)
        assert totals.tolist() == [480, 10, 10]

    def test_pseudo_labels_ask_there_too(self):
        """(n + 2, yes + 1): s = .5222, .2887, .2887, so 470 by 522 : 866 : 1732."""
        totals = OptA1(10, pseudo_labels=1).totals(SIZES, answered([10] * 3, [5, 10, 10]), 500)
        assert totals.tolist() == [89, 140, 271]

    def test_without_any_spread_sizes_decide(self):
        assert OptA1(10).totals(SIZES, answered([10] * 3, [10] * 3), 130).tolist() == [20, 40, 70]

    def test_waits_until_the_first_are_asked(self):
        assert OptA1(10).totals(SIZES, answered([10, 4, 0], [5, 4, 0]), 100).tolist() == [10, 10, 10]


class TestOptA2:
    def test_goes_in_steps(self):
        assert OptA2(10, 10).totals(SIZES, answered([10] * 3, [5, 8, 10]), 100).tolist() == [13, 17, 10]

    def test_the_last_step_is_what_is_left(self):
        assert OptA2(10, 10).totals(SIZES, answered([10] * 3, [5, 8, 10]), 34).sum() == 34

    def test_one_step_for_everything_is_opt_a1(self):
        counts = answered([10] * 3, [5, 8, 9])
        assert OptA2(10, 1000).totals(SIZES, counts, 90).tolist() == OptA1(10).totals(SIZES, counts, 90).tolist()

    def test_labels_without_a_verdict_were_asked_all_the_same(self):
        counts = StratumCounts(np.array([10] * 3), np.array([10, 8, 9]), np.array([5, 8, 9]))
        assert OptA2(10, 10).totals(SIZES, counts, 100).tolist() == [20, 10, 10]

    def test_it_comes_to_the_optimum(self):
        """W_k S_k of .5, .3, .0995 is 500 : 900 : 597; all but the first labels go that way."""
        right = np.array([500, 2700, 5940])
        counts, _ = finished(
            OptA2(20, 100, pseudo_labels=1), 100 * SIZES, 100 * right, 20_000, np.random.default_rng(3)
        )
        assert (counts.labels / 20_000).tolist() == pytest.approx([0.25, 0.45, 0.30], abs=0.02)


class TestItsFlaw:
    """The same 400 histories, A = .88 in six equal strata as a support vector machine cuts them."""

    SIZES = np.full(6, 50_000)
    RIGHT = np.array([31_600, 41_300, 45_850, 47_850, 48_650, 49_000])

    def errors(self, allocation):
        rng = np.random.default_rng(8)
        done = [finished(allocation, self.SIZES, self.RIGHT, 100, rng)[0] for _ in range(400)]
        return (
            np.array([stratified_share(self.SIZES, t.labels, t.yes).value for t in done]) - self.RIGHT.sum() / 300_000
        )

    def test_the_printed_algorithm_is_biased(self):
        assert self.errors(OptA2(5, 10)).mean() > 0.025

    def test_pseudo_labels_take_most_of_the_bias(self):
        assert abs(self.errors(OptA2(5, 10, pseudo_labels=1)).mean()) < 0.009

    def test_a_fixed_allocation_has_none(self):
        errors = self.errors(Proportional())
        assert abs(errors.mean()) < 3 * errors.std() / 20


class TestRefusals:
    @pytest.mark.parametrize("n_step", [0, 2])
    def test_steps_that_do_not_go_round(self, n_step):
        with pytest.raises(StratawatchError, match=rf"steps of {n_step} labels round some of 3 strata .* n_step >= 3"):
            OptA2(5, n_step).totals(SIZES, nothing(SIZES), 100)
