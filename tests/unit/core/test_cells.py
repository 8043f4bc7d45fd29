import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.core.score_bins import centre
from tests.support.censuses import census

ATOMS = [
    Atom("00", 0, 9, 900, 0.02, stratum=0),
    Atom("0-", -1, -1, 100, None, stratum=0),
    Atom("10", 500, 600, 50, 0.6, stratum=2),
    Atom("1-", -1, -1, 10, None, stratum=2),
    Atom("--", -1, -1, 30, None, stratum=1),
]
MADE = Cells.of_atoms(("a", "b"), ATOMS)


class TestOf:
    def test_letters_become_a_column_a_classifier(self):
        assert MADE.positive.tolist() == [[False, False]] * 2 + [[True, False]] * 2 + [[False, False]]
        assert MADE.negative.tolist() == [[True, True], [True, False], [False, True], [False, False], [False, False]]

    def test_letters_beyond_the_classifiers_are_hints(self):
        """1 leans to yes, 0 to no; a helper that said nothing does not lean."""
        made = Cells.of(("a",), ["110", "0-1", "-11"], np.ones(3), np.full(3, 0.5))
        assert made.auxiliary_calls.tolist() == [[1, -1], [0, 1], [1, 1]]
        assert made.positive.tolist() == [[True], [False], [False]]

    def test_without_helpers_there_are_no_hints(self):
        assert MADE.auxiliary_calls.shape == (5, 0)

    def test_every_cell_is_a_stratum_of_its_own_unless_told_otherwise(self):
        assert Cells.of(("a",), ["0", "1"], np.ones(2), np.ones(2)).strata.tolist() == [0, 1]

    def test_no_cells(self):
        made = Cells.of(("a", "b"), [], np.zeros(0), np.zeros(0))
        assert made.positive.shape == (0, 2)
        assert made.stratum_count == 0
        assert made.by_stratum(made.sizes).shape == (0,)


class TestOfCensus:
    def test_rows_are_read_at_the_centres_of_their_bins(self):
        made = Cells.of_census(census([("0", 20, 7), ("1", NO_BIN, 3)]))
        assert made.sizes.tolist() == [7, 3]
        assert made.scores[0] == centre(20)
        assert np.isnan(made.scores[1])

    def test_helpers_are_hints(self):
        made = Cells.of_census(census([("01", 20, 7), ("10", 500, 3)], classifiers=("a",), auxiliary=("judge",)))
        assert made.classifiers == ("a",)
        assert made.auxiliary_calls.tolist() == [[1], [-1]]


class TestOfAtoms:
    def test_no_atoms_make_no_cells(self):
        assert Cells.of_atoms(("a", "b"), []).sizes.shape == (0,)
        assert not np.any(Cells.of_atoms(("a",), []).has_call)
        assert Cells.of_atoms(("a",), []).prior_rate is None

    def test_what_history_foretold_counts_if_every_atom_has_it(self):
        told = [Atom("0", 0, 9, 5, 0.1, prior_rate=0.0), Atom("1", 600, 700, 5, 0.7, stratum=1, prior_rate=0.8)]
        assert Cells.of_atoms(("a",), told).prior_rate.tolist() == [0.0, 0.8]
        assert Cells.of_atoms(("a",), [told[0], Atom("1", 600, 700, 5, 0.7, stratum=1)]).prior_rate is None


class TestStrata:
    def test_are_counted_whether_or_not_cells_come_in_their_order(self):
        assert MADE.stratum_count == 3
        assert MADE.stratum_sizes.tolist() == [1000, 30, 60]

    def test_sums_go_along_the_last_axis(self):
        values = np.array([[1.0, 2, 3, 4, 5], [10, 20, 30, 40, 50]])
        assert MADE.by_stratum(values).tolist() == [[3, 5, 7], [30, 50, 70]]
        assert MADE.by_stratum(values[0]).tolist() == [3, 5, 7]

    @given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
    def test_sums_lose_nothing(self, homes, seed):
        strata = np.array(homes)
        made = Cells.of(("a",), ["0"] * len(homes), np.ones(len(homes)), np.ones(len(homes)), strata)
        values = np.random.default_rng(seed).normal(size=len(homes))
        sums = made.by_stratum(values)
        assert sums.tolist() == pytest.approx([values[strata == h].sum() for h in range(max(homes) + 1)])


class TestWhatCallsSay:
    def test_items_that_nobody_judged_serve_nobody(self):
        assert MADE.has_call.tolist() == [True, True, True, True, False]

    def test_a_helper_alone_serves_nobody(self):
        assert Cells.of(("a",), ["-1", "01"], np.ones(2), np.ones(2)).has_call.tolist() == [False, True]

    def test_a_helper_calls_nothing_positive(self):
        assert Cells.of(("a",), ["01", "10"], np.ones(2), np.ones(2)).called_by_any.tolist() == [False, True]

    def test_votes_count_only_classifiers_that_judged(self):
        assert MADE.votes.tolist() == [0, 0, 0.5, 1, 0]


class TestFilledScores:
    def test_a_missing_score_is_filled_by_what_the_calls_say(self):
        assert MADE.imputed_scores.tolist() == pytest.approx([0.02, 0.02, 0.6, 0.5, 0.02])

    def test_negatives_take_the_mean_of_the_negatives_items(self):
        """(900 x .02 + 300 x .1)/1200 = .04."""
        more = Cells.of_atoms(("a", "b"), [*ATOMS, Atom("00", 10, 19, 300, 0.1, stratum=0)])
        assert more.imputed_scores[1] == pytest.approx(0.04)

    def test_without_any_score_negatives_count_as_one_in_twenty(self):
        made = Cells.of(("a",), ["0", "1", "-"], np.ones(3), np.full(3, np.nan))
        assert made.imputed_scores.tolist() == [0.05, 0.5, 0.05]
