from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.stratification.agglomerate import InitialGroups, Moments
from tests.support.hypothesis_examples import examples
from tests.support.machine_speed import slowness


def moments(sizes, spreads, means) -> Moments:
    """Cells by their items, the standard deviation of x and the mean of x."""
    sizes, spreads, means = (np.array(values, dtype=float) for values in (sizes, spreads, means))
    means = means.reshape(len(sizes), -1)
    return Moments(sizes, sizes * (spreads**2 + (means**2).sum(axis=1)), sizes[:, None] * means)


def agglomerate(made: Moments, most_groups: int, least: float = 1):
    return InitialGroups.of(made).merged(most_groups, least)


def drawn(cells: int, goals: int, seed: int = 3) -> Moments:
    rng = np.random.default_rng(seed)
    return moments(rng.integers(1, 500, cells), rng.random(cells), rng.random((cells, goals)))


def groups(labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == number).tolist()) for number in np.unique(labels)}


def by_the_book(made: Moments, wanted: int) -> set[frozenset[int]]:
    """The greedy rule word for word: compute every pair's loss anew at every step."""

    def q(cells):
        rows = sorted(cells)
        n, squares, sums = made.sizes[rows].sum(), made.squares[rows].sum(), made.sums[rows].sum(axis=0)
        return float(np.sqrt(max(n * squares - sums @ sums, 0)))

    parts = [frozenset([i]) for i in range(len(made.sizes))]
    while len(parts) > wanted:
        one, other = min(combinations(parts, 2), key=lambda pair: q(pair[0] | pair[1]) - q(pair[0]) - q(pair[1]))
        parts = [part for part in parts if part not in (one, other)] + [one | other]
    return set(parts)


class TestSpread:
    def test_of_a_union_is_that_of_its_items(self):
        """Ten items at 1 and thirty at 5: mean 4, variance (10 x 9 + 30 x 1)/40 = 3, Q = 40 sqrt(3)."""
        pooled = moments([10, 30], [0, 0], [1, 5]).pooled(np.array([0, 0]))
        assert pooled.spread.tolist() == pytest.approx([40 * np.sqrt(3)])

    def test_a_cell_whose_items_are_alike_has_none(self):
        assert moments([7], [0], [0.3]).spread.tolist() == pytest.approx([0], abs=1e-6)


class TestMerge:
    def test_cells_that_are_alike_come_together(self):
        made = moments([10, 10, 10, 10], [0.1] * 4, [[0, 1], [1, 0], [0, 1.01], [1.01, 0]])
        assert agglomerate(made, 2).tolist() == [0, 1, 0, 1]

    def test_cells_that_no_goal_needs_are_one_group_however_many_are_wanted(self):
        made = moments([100, 900, 50, 60, 70], [0, 0, 0.2, 0.2, 0], [0, 0, 0.3, 0.31, 0])
        assert agglomerate(made, 5).tolist() == [0, 0, 1, 2, 0]

    def test_where_no_goal_needs_any_cell_there_are_as_many_as_wanted(self):
        assert agglomerate(moments([100, 900, 50], [0] * 3, [0] * 3), 2).max() == 1

    def test_cells_that_no_goal_needs_come_together_before_all_others(self):
        made = moments([100, 900, 50, 60], [0, 0, 0.2, 0.2], [0, 0, 0.3, 0.31])
        assert agglomerate(made, 3).tolist() == [0, 0, 1, 2]

    def test_equal_means_with_unequal_spreads_stay_apart_longest(self):
        made = moments([100, 100, 100], [0.1, 0.11, 0.9], [0.5, 0.5, 0.5])
        assert agglomerate(made, 2).tolist() == [0, 0, 1]

    @pytest.mark.parametrize("seed", range(5))
    def test_is_the_greedy_rule(self, seed):
        made = drawn(25, 3, seed)
        for wanted in (20, 9, 2):
            assert groups(agglomerate(made, wanted)) == by_the_book(made, wanted)

    def test_more_groups_than_cells_leave_the_cells(self):
        assert agglomerate(drawn(5, 2), 9).tolist() == [0, 1, 2, 3, 4]

    def test_groups_are_filled_up_to_the_least_number_of_items(self):
        made = moments([1, 50, 1, 40], [0.3] * 4, [0.1, 0.5, 0.9, 0.95])
        assert agglomerate(made, 4, least=2).tolist() == [0, 0, 1, 1]

    def test_a_single_item_may_be_all_there_is(self):
        assert agglomerate(moments([1], [0], [1]), 1, least=2).tolist() == [0]

    def test_no_cells(self):
        assert agglomerate(Moments(np.zeros(0), np.zeros(0), np.zeros((0, 2))), 3).tolist() == []


class TestManyCells:
    def test_grouping_from_above_loses_next_to_nothing(self, monkeypatch):
        """Six hundred cells: pair by pair throughout, and halved to two hundred first."""
        made = drawn(600, 4)
        quick = made.pooled(agglomerate(made, 30)).spread.sum()
        monkeypatch.setattr("stratawatch.core.stratification.agglomerate._MOST", 600)
        slow = made.pooled(agglomerate(made, 30)).spread.sum()
        assert quick <= 1.01 * slow

    def test_a_larger_budget_of_groups_never_loses_more(self):
        made = drawn(700, 5)
        lost = [made.pooled(agglomerate(made, wanted)).spread.sum() for wanted in (1, 8, 20, 60)]
        assert lost == sorted(lost, reverse=True)

    def test_cells_that_are_all_alike_are_grouped_all_the_same(self):
        labels = agglomerate(moments([10] * 500, [0.1] * 500, np.full((500, 2), 0.3)), 8)
        assert len(np.unique(labels)) == 8

    def test_takes_a_moment_for_twenty_thousand_cells(self):
        made = drawn(20_000, 40)
        started = process_time()
        agglomerate(made, 60)
        assert process_time() - started < 3 * slowness()


cell = st.tuples(st.integers(1, 10**5), st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(cell, min_size=1, max_size=40), st.integers(1, 30))
def test_numbers_are_contiguous_from_the_first_cell_on(cells, wanted):
    made = moments([c[0] for c in cells], [c[1] for c in cells], [c[2:] for c in cells])
    labels = agglomerate(made, wanted, least=2)
    first = [int(np.flatnonzero(labels == number)[0]) for number in range(labels.max() + 1)]
    assert first == sorted(first)
    assert len(first) <= wanted
    assert made.pooled(labels).sizes.min() >= min(2, made.sizes.sum())
    assert made.pooled(labels).spread.sum() >= made.spread.sum() * (1 - 1e-9) - 1e-6
