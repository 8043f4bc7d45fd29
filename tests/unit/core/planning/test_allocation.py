import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal
from stratawatch.core.planning.allocation import (
    AllocationBounds,
    Floors,
    allocate_budget,
    allocate_for_margins,
    drawable_items,
    min_proportional_share,
    second_round_allocation,
    strata_with_calls,
)
from stratawatch.core.planning.expected_rates import ExpectedRates, prior_rates, updated_rates
from stratawatch.core.planning.goal_variances import (
    DEFAULT_GOALS,
    goal_gradients,
    goal_variances,
    variance_coefficients,
)
from stratawatch.core.tuning import PLANNER
from tests.support.hypothesis_examples import examples

SIZES = [9000, 900, 90, 60, 40, 1]
PATTERNS = ["00", "00", "01", "10", "11", "--"]
MADE = Cells.of(("a", "b"), PATTERNS, np.array(SIZES, dtype=float), np.array([0.01, 0.2, 0.4, 0.6, 0.9, 0.5]))


def room(drawn=None, caps=None):
    served = np.array([*SIZES[:-1], 0])
    return AllocationBounds(
        np.zeros(6, dtype=np.int64) if drawn is None else np.array(drawn), served if caps is None else caps
    )


class TestStrataThatServe:
    """Two strata of judged items, one of them with some that nobody judged, and one of unjudged items alone."""

    made = Cells.of(
        ("a",), ["00", "-1", "11", "-0"], np.array([70.0, 30, 20, 9]), np.full(4, 0.5), strata=np.array([0, 0, 1, 2])
    )

    def test_hold_an_item_that_some_classifier_judged(self):
        assert strata_with_calls(self.made).tolist() == [True, True, False]

    def test_may_be_drawn_whole(self):
        assert drawable_items(self.made).tolist() == [100, 20, 0]


class TestAllocate:
    def test_spends_every_label(self):
        assert allocate_budget(MADE, goal_variances(MADE, [], prior_rates(MADE)), 300, room()).sum() == 300

    def test_gives_every_stratum_two_labels_and_those_nobody_judged_none(self):
        totals = allocate_budget(MADE, goal_variances(MADE, [], prior_rates(MADE)), 40, room())
        assert bool(np.all(totals[:-1] >= 2))
        assert totals[-1] == 0

    def test_gives_a_large_quiet_stratum_its_part_of_the_proportional_share(self):
        """40% of 200 labels x 9000/10090 = 71 labels, though the goal is almost only about the others."""
        goals = [Goal("precision", 0.001), Goal("recall", 0.5)]
        assert allocate_budget(MADE, goal_variances(MADE, goals, prior_rates(MADE)), 200, room())[0] == int(
            0.4 * 200 * 9000 / 10090
        )

    def test_shares_by_size_among_strata_that_goals_need_alone(self):
        """Precision asks about 190 called positive, .4 x 100 x 90/190 = 18 here; all others keep two labels each."""
        totals = allocate_budget(MADE, goal_variances(MADE, [Goal("precision", 0.03)], prior_rates(MADE)), 100, room())
        assert totals[:2].tolist() == [2, 2]
        assert totals[2] >= 18
        assert totals.sum() == 100

    def test_follows_the_square_root_of_needs_above_the_floors(self):
        """Two equal strata whose labels vary by .25 and .09: with only precision 5 to 3 labels."""
        sizes = np.array([10_000, 10_000, 10])
        made = Cells.of(("a",), ["1", "1", "0"], sizes.astype(float), np.array([0.5, 0.9, 0.1]))
        rates = ExpectedRates(made.scores, np.array([0.25, 0.09, 0.09]))
        totals = allocate_budget(
            made,
            goal_variances(made, [Goal("precision", 0.03)], rates),
            802,
            AllocationBounds(np.zeros(3, dtype=np.int64), sizes),
        )
        assert totals.tolist() == [500, 300, 2]

    def test_never_gives_back_what_is_drawn(self):
        drawn = [100, 3, 0, 0, 0, 0]
        totals = allocate_budget(MADE, goal_variances(MADE, [], prior_rates(MADE)), 150, room(drawn))
        assert totals.sum() == 150
        assert totals[0] >= 100

    def test_goals_pull_labels_to_the_strata_they_need(self):
        for_precision = allocate_budget(
            MADE, goal_variances(MADE, [Goal("precision", 0.03)], prior_rates(MADE)), 150, room()
        )
        for_recall = allocate_budget(MADE, goal_variances(MADE, [Goal("recall", 0.03)], prior_rates(MADE)), 150, room())
        assert for_precision[2:5].sum() > for_recall[2:5].sum()

    def test_a_budget_below_two_a_stratum_gives_one_to_as_many_as_it_can(self):
        totals = allocate_budget(MADE, goal_variances(MADE, [], prior_rates(MADE)), 3, room())
        assert totals.tolist() == [1, 1, 1, 0, 0, 0]

    def test_more_labels_than_items_take_all_items(self):
        assert allocate_budget(MADE, goal_variances(MADE, [], prior_rates(MADE)), 10**6, room()).tolist() == [
            *SIZES[:-1],
            0,
        ]

    def test_a_pool_caps_its_stratum_and_the_others_take_the_rest(self):
        caps = np.array([5, 900, 90, 60, 40, 0])
        totals = allocate_budget(MADE, goal_variances(MADE, [], prior_rates(MADE)), 300, room(caps=caps))
        assert totals[0] == 5
        assert totals.sum() == 300


class TestSecondPhase:
    drawn = (20, 12, 6, 6, 6, 0)

    def test_keeps_what_is_drawn_and_spends_the_rest(self):
        rates = updated_rates(MADE, np.array([0, 2, 3, 3, 5, 0.0]), np.array(self.drawn, dtype=float))
        totals = second_round_allocation(MADE, goal_variances(MADE, [], rates), 150, room(self.drawn))
        assert totals.sum() == 150
        assert bool(np.all(totals >= self.drawn))

    def test_a_fifth_follows_the_first_phase_whatever_its_labels_said(self):
        """Precision asks nothing of the first stratum: .8 x 20 drawn + .2 x 20 x 150/50 = 28."""
        rates = updated_rates(MADE, np.zeros(6), np.array(self.drawn, dtype=float))
        totals = second_round_allocation(
            MADE, goal_variances(MADE, [Goal("precision", 0.03)], rates), 150, room(self.drawn)
        )
        assert totals[0] == pytest.approx(28, abs=1)

    def test_never_gives_back_labels_when_fewer_are_asked_for(self):
        rates = prior_rates(MADE)
        assert second_round_allocation(MADE, goal_variances(MADE, [], rates), 10, room(self.drawn)).tolist() == list(
            self.drawn
        )


class TestForLimits:
    """Two strata of a million items: the square-root rule without rounding or finite sizes in the way."""

    made = Cells.of(("a",), ["1", "0"], np.array([1e6, 1e6]), np.array([0.5, 0.5]))
    open_ = AllocationBounds(np.zeros(2, dtype=np.int64), np.full(2, 10**6))
    variances = np.array([[9.0, 1.0]])

    def labels(self, limit, room=None, proportional=0.0, costs=None):
        costs = None if costs is None else np.array(costs)
        return allocate_for_margins(
            self.made, self.variances, np.array([limit]), room or self.open_, Floors(proportional=proportional), costs
        ).tolist()

    def test_the_fewest_labels_are_those_of_the_square_root_rule(self):
        """n = sqrt(A) x sum of sqrt(A)/limit = (3, 1) x 4/.1, less a hair for the finite sizes."""
        assert self.labels(0.1) == [120, 40]

    def test_a_label_that_costs_less_is_taken_more_often(self):
        """n = sqrt(A/c) x sum of sqrt(A c)/limit = (3, 2) x (3 + 1/2)/.1 with costs 1 and 1/4."""
        assert self.labels(0.1, costs=[1.0, 0.25]) == pytest.approx([105, 70], abs=1)

    def test_no_stratum_has_fewer_than_four(self):
        assert self.labels(100.0) == [PLANNER.min_labels_for_margins] * 2

    def test_what_is_drawn_stays(self):
        """With 300 drawn 9/300 = .03 is used up: 1/.07 = 14.3 more elsewhere."""
        assert self.labels(0.1, AllocationBounds(np.array([300, 0]), self.open_.upper)) == [300, 15]

    def test_a_part_may_follow_the_sizes(self):
        """Half of 160 labels by size are 40 each and change nothing; of .8 just below 64: 9/(.1 - 1/63) = 106.98."""
        assert self.labels(0.1, proportional=0.5) == [120, 40]
        assert self.labels(0.1, proportional=0.8) == [107, 63]

    def test_limits_that_not_even_all_items_keep_take_all(self):
        assert self.labels(0.1, AllocationBounds(np.zeros(2, dtype=np.int64), np.array([50, 50]))) == [50, 50]

    @settings(deadline=None, max_examples=examples(50))
    @given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.3), st.sampled_from([0.0, 0.15]))
    def test_every_limit_is_kept_and_one_label_fewer_would_not_do(self, seed, margin, proportional):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(20, 3000, 8).astype(float)
        patterns = ["".join(rng.choice(["0", "1"], 2)) for _ in sizes[:-2]] + ["01", "10"]
        made = Cells.of(("a", "b"), patterns, sizes, rng.uniform(0.02, 0.98, 8))
        goals = [Goal("precision", margin), Goal("recall", margin)]
        rows = goal_gradients(made, goals, prior_rates(made))
        variances, limits = variance_coefficients(made, rows, prior_rates(made)), (rows.margins / 2) ** 2
        n = allocate_for_margins(
            made, variances, limits, AllocationBounds(np.zeros(8, int), drawable_items(made)), Floors(4, proportional)
        )

        def worst(totals):
            return float((variances @ (1 / totals - 1 / sizes) / limits).max())

        assert worst(n) <= 1 + 1e-6
        assert bool(np.all((n >= np.minimum(4, sizes)) & (n <= sizes)))
        if proportional == 0:
            for stratum in np.flatnonzero(n > np.minimum(4, sizes)):
                assert worst(n - (np.arange(8) == stratum)) > 1


@pytest.mark.parametrize(("labels", "share"), [(1, 0.4), (200, 0.4), (1000, 0.2), (10**6, 0.2)])
def test_the_proportional_floor_shrinks_with_the_labels(labels, share):
    assert min_proportional_share(labels) == pytest.approx(share)


cell = st.tuples(st.sampled_from(["00", "01", "1-", "11", "--"]), st.integers(1, 10**5), st.floats(0, 1))


@settings(deadline=None)
@given(st.lists(cell, min_size=1, max_size=20), st.integers(1, 2000), st.integers(0, 2**32 - 1))
def test_two_rounds_never_take_back_nor_exceed_what_there_is(rows, labels, seed):
    rng = np.random.default_rng(seed)
    patterns, sizes, scores = (list(column) for column in zip(*rows, strict=True))
    made = Cells.of(("a", "b"), patterns, np.array(sizes, dtype=float), np.array(scores))
    whole = np.where(made.has_call, made.sizes, 0).astype(np.int64)
    pools = np.minimum(whole, rng.integers(0, 200, len(whole)))
    first = allocate_budget(
        made, goal_variances(made, [], prior_rates(made)), labels, AllocationBounds(np.zeros_like(whole), pools)
    )
    assert first.sum() == min(labels, pools.sum())
    yes = rng.binomial(first, 0.3).astype(float)
    variances = goal_variances(made, [], updated_rates(made, yes, first.astype(float)))
    second = second_round_allocation(made, variances, 2 * labels, AllocationBounds(first, pools))
    assert bool(np.all((second >= first) & (second <= pools)))
    assert second.sum() == min(2 * labels, pools.sum())


def test_by_size_alone_is_by_size_where_a_small_stratum_has_more_than_its_share():
    made = Cells.of(("a",), ["1", "0", "0"], np.array([50.0, 2000, 47_950]), np.array([0.8, 0.2, 0.001]))
    bounds = AllocationBounds(np.zeros(3, dtype=np.int64), made.stratum_sizes.astype(np.int64))
    variances = goal_variances(made, DEFAULT_GOALS, prior_rates(made))
    totals = allocate_budget(made, variances, 600, bounds, 1.0)
    assert np.abs(totals - 600 * made.stratum_sizes / made.stratum_sizes.sum()).max() <= 5
    assert totals.sum() == 600
