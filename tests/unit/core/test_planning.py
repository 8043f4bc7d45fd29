import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.anticipation import first_rates, second_rates
from stratawatch.core.cells import Cells
from stratawatch.core.planning import Room, allocate, floor_share, second_phase
from stratawatch.core.results import Goal

SIZES = [9000, 900, 90, 60, 40, 1]
PATTERNS = ["00", "00", "01", "10", "11", "--"]
MADE = Cells.of(("a", "b"), PATTERNS, np.array(SIZES, dtype=float), np.array([0.01, 0.2, 0.4, 0.6, 0.9, 0.5]))


def room(drawn=None, caps=None):
    served = np.array([*SIZES[:-1], 0])
    return Room(np.zeros(6, dtype=np.int64) if drawn is None else np.array(drawn), served if caps is None else caps)


class TestFirstPhase:
    def test_spends_every_label(self):
        assert allocate(MADE, [], first_rates(MADE), 300, room()).sum() == 300

    def test_gives_every_atom_two_labels_and_those_nobody_judged_none(self):
        totals = allocate(MADE, [], first_rates(MADE), 40, room())
        assert bool(np.all(totals[:-1] >= 2))
        assert totals[-1] == 0

    def test_gives_a_large_quiet_atom_its_part_of_the_proportional_share(self):
        """40% of 200 labels x 9000/10090 = 71 labels, though only precision is asked for."""
        totals = allocate(MADE, [Goal("precision", 0.03)], first_rates(MADE), 200, room())
        assert totals[0] == int(0.4 * 200 * 9000 / 10090)

    def test_goals_pull_labels_to_the_atoms_they_need(self):
        for_precision = allocate(MADE, [Goal("precision", 0.03)], first_rates(MADE), 150, room())
        for_recall = allocate(MADE, [Goal("recall", 0.03)], first_rates(MADE), 150, room())
        assert for_precision[2:5].sum() > for_recall[2:5].sum()

    def test_a_budget_below_two_an_atom_gives_one_to_as_many_as_it_can(self):
        totals = allocate(MADE, [], first_rates(MADE), 3, room())
        assert totals.tolist() == [1, 1, 1, 0, 0, 0]

    def test_more_labels_than_items_take_all_items(self):
        assert allocate(MADE, [], first_rates(MADE), 10**6, room()).tolist() == [*SIZES[:-1], 0]

    def test_a_pool_caps_its_atom_and_the_others_take_the_rest(self):
        caps = np.array([5, 900, 90, 60, 40, 0])
        totals = allocate(MADE, [], first_rates(MADE), 300, room(caps=caps))
        assert totals[0] == 5
        assert totals.sum() == 300


class TestSecondPhase:
    drawn = (20, 12, 6, 6, 6, 0)

    def test_keeps_what_is_drawn_and_spends_the_rest(self):
        rates = second_rates(MADE, np.array([0, 2, 3, 3, 5, 0.0]), np.array(self.drawn, dtype=float))
        totals = second_phase(MADE, [], rates, 150, room(self.drawn))
        assert totals.sum() == 150
        assert bool(np.all(totals >= self.drawn))

    def test_a_fifth_follows_the_first_phase_whatever_its_labels_said(self):
        """Labels that all agree would move every label away; .2 x 12 x 150/50 = 7.2 of the second atom stay planned."""
        rates = second_rates(MADE, np.zeros(6), np.array(self.drawn, dtype=float))
        totals = second_phase(MADE, [Goal("precision", 0.03)], rates, 150, room(self.drawn))
        assert totals[1] >= 12
        assert totals[0] >= 0.2 * 20 * 3

    def test_never_gives_back_labels_when_fewer_are_asked_for(self):
        rates = first_rates(MADE)
        assert second_phase(MADE, [], rates, 10, room(self.drawn)).tolist() == list(self.drawn)


@pytest.mark.parametrize(("labels", "share"), [(1, 0.4), (200, 0.4), (1000, 0.2), (10**6, 0.2)])
def test_the_proportional_floor_shrinks_with_the_labels(labels, share):
    assert floor_share(labels) == pytest.approx(share)


cell = st.tuples(st.sampled_from(["00", "01", "1-", "11", "--"]), st.integers(1, 10**5), st.floats(0, 1))


@settings(deadline=None)
@given(st.lists(cell, min_size=1, max_size=20), st.integers(1, 2000), st.integers(0, 2**32 - 1))
def test_two_rounds_never_take_back_nor_exceed_what_there_is(rows, labels, seed):
    rng = np.random.default_rng(seed)
    patterns, sizes, scores = (list(column) for column in zip(*rows, strict=True))
    made = Cells.of(("a", "b"), patterns, np.array(sizes, dtype=float), np.array(scores))
    whole = np.where(made.served, made.sizes, 0).astype(np.int64)
    pools = np.minimum(whole, rng.integers(0, 200, len(whole)))
    first = allocate(made, [], first_rates(made), labels, Room(np.zeros_like(whole), pools))
    assert first.sum() == min(labels, pools.sum())
    yes = rng.binomial(first, 0.3).astype(float)
    second = second_phase(made, [], second_rates(made, yes, first.astype(float)), 2 * labels, Room(first, pools))
    assert bool(np.all((second >= first) & (second <= pools)))
    assert second.sum() == min(2 * labels, pools.sum())
