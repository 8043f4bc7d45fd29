import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.mixing import MIXING
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from tests.support.panel_draws import PANEL, draw, patterns_of, rows_of


@settings(deadline=None)
@given(
    arrays(bool, st.tuples(st.integers(1, 80), st.integers(1, 4))),
    st.lists(st.integers(0, 40), min_size=4, max_size=4),
    st.sampled_from(sorted(MIXING)),
    st.integers(0, 1000),
)
def test_rows_are_called_positive_and_are_the_smallest_of_their_cells(calls, lengths, mixing, seed):
    patterns, cells = patterns_of(calls)
    lengths = np.array(lengths[: calls.shape[1]])
    if not calls.any():
        return
    parent = int(np.argmax(calls.sum(axis=0)))
    rng = np.random.default_rng(seed)
    numbers = rng.random(len(calls))
    made = draw_panel(patterns, lengths, parent, rng, mixing)
    rows = rows_of(made, cells, numbers)
    assert len(set(rows.tolist())) == len(rows) == made.labels
    for classifier, column in enumerate(calls.T):
        found = rows[made.items_of(classifier)]
        assert len(found) == (lengths[classifier] if column.any() else 0)
        assert bool(column[found].all())
    for cell, total in enumerate(made.totals.tolist()):
        mine = np.flatnonzero(cells == cell)
        assert set(rows[cells[rows] == cell]) == set(mine[np.argsort(numbers[mine])][:total])
    used = np.unique(np.concatenate([made.items_of(c) for c in range(calls.shape[1])]))
    assert used.tolist() == list(range(made.labels))


def test_the_same_state_gives_the_same_draw():
    one, two = draw(seed=4), draw(seed=4)
    assert one.items.tolist() == two.items.tolist()
    assert [a.sequence.tolist() for a in one.sequences] == [b.sequence.tolist() for b in two.sequences]


def test_the_all_negative_pattern_is_never_drawn():
    assert draw().totals[PANEL.names.index("000")] == 0


def test_the_parents_sequence_is_recycled_as_far_as_it_goes():
    made = draw()
    shared = np.isin(made.sequences[0].sequence, made.sequences[1].sequence)
    assert shared.sum() == made.sequences[0].saved > 0


def test_a_classifier_that_calls_nothing_gets_nothing():
    patterns = CallPatterns.of(["00", "10"], np.array([5, 50]), 2)
    made = draw((20, 20), parent=0, patterns=patterns)
    assert [len(part.sequence) for part in made.sequences] == [20, 0]


class TestWithReplacement:
    """Items repeat as often as independent draws do, though only sizes are known."""

    @pytest.mark.parametrize("mixing", sorted(MIXING))
    def test_distinct_items_of_the_parent(self, mixing):
        """150 items, 60 draws: 150 (1 - (149/150)^60) = 49.6 distinct ones."""
        found = [len(np.unique(draw(seed=seed, mixing=mixing).items_of(1))) for seed in range(800)]
        assert np.mean(found) == pytest.approx(150 * (1 - (149 / 150) ** 60), abs=0.35)

    def test_pairs_of_a_childs_places_are_the_same_item_as_often_as_chance_has_it(self):
        """S_remain may hit S+: of A_C's 7 items, two places of independent draws agree 1 time in 7."""
        patterns = CallPatterns.of(["10", "11", "01"], np.array([6, 4, 3]), 2)
        first, last = np.array(
            [draw((2, 9), 0, seed=seed, patterns=patterns).items_of(1)[[0, -1]] for seed in range(6000)]
        ).T
        assert np.mean(first == last) == pytest.approx(1 / 7, abs=4 * (6 / 49 / 6000) ** 0.5)


class TestRefusals:
    def test_a_number_of_draws_for_each(self):
        with pytest.raises(StratawatchError, match="each classifier needs its number of draws; expected 3 numbers"):
            draw((60, 60))

    def test_negative_numbers(self):
        with pytest.raises(StratawatchError, match="each classifier needs its number of draws"):
            draw((60, -1, 60))
