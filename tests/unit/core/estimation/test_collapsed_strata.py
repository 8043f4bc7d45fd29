import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.collapsed_strata import CollapsedStrata
from stratawatch.core.labelled_sample import FOLDS


def cells(patterns, scores, sizes, strata=None):
    names = tuple("abc"[: len(patterns[0])])
    home = None if strata is None else np.array(strata)
    return Cells.of(names, patterns, np.array(sizes, dtype=float), np.array(scores, dtype=float), home)


def answered(*row):
    """So many answers in each cell, all in one fold."""
    return np.array([row, *([0] * len(row) for _ in range(FOLDS - 1))], dtype=float)


class TestJoining:
    made = cells(["1", "1", "1", "0"], [0.6, 0.7, 0.9, 0.72], [100, 200, 300, 400])

    def test_a_stratum_without_an_answer_joins_its_nearest_neighbour_in_score(self):
        strata = CollapsedStrata.of(self.made, answered(5, 0, 5, 5))
        assert strata.sizes[strata.stratum_of_cell].tolist() == [300, 300, 300, 400]
        assert strata.stratum_of_cell[0] == strata.stratum_of_cell[1] != strata.stratum_of_cell[2]

    def test_never_joins_one_without_a_pattern_in_common(self):
        strata = CollapsedStrata.of(self.made, answered(0, 0, 0, 5))
        assert strata.sizes[strata.stratum_of_cell].tolist() == [100, 200, 300, 400]
        assert strata.is_unlabelled.tolist() == [True, True, True, False]

    def test_one_pattern_in_common_is_enough(self):
        made = cells(["1", "0", "1", "0"], [0.6, 0.2, 0.9, 0.1], [100, 200, 300, 400], [0, 0, 1, 2])
        strata = CollapsedStrata.of(made, answered(0, 0, 5, 5))
        assert strata.stratum_of_cell[0] == strata.stratum_of_cell[1] == strata.stratum_of_cell[3]
        assert not strata.is_unlabelled.any()

    def test_items_without_a_score_have_no_neighbour(self):
        made = cells(["1", "1"], [np.nan, 0.7], [100, 200])
        assert CollapsedStrata.of(made, answered(0, 5)).is_unlabelled.tolist() == [True, False]

    def test_items_that_nobody_judged_join_nothing(self):
        made = cells(["-", "1"], [0.7, 0.7], [100, 200])
        strata = CollapsedStrata.of(made, answered(0, 5))
        assert strata.sizes[strata.stratum_of_cell].tolist() == [100, 200]


class TestFigures:
    made = cells(["1", "1", "0"], [0.6, 0.7, 0.1], [100, 200, 700], [1, 1, 0])

    def test_answers_and_what_they_stand_for_are_by_stratum(self):
        strata = CollapsedStrata.of(self.made, answered(5, 10, 7))
        assert strata.expansions[strata.stratum_of_cell].tolist() == [20, 20, 100]
        assert strata.sampling_correction[strata.stratum_of_cell].tolist() == pytest.approx([0.95, 0.95, 0.99])

    def test_shares_of_folds_sum_to_one_where_there_are_answers(self):
        counts = np.arange(15.0).reshape(FOLDS, 3)
        strata = CollapsedStrata.of(self.made, counts)
        assert strata.shares.sum(axis=0).tolist() == pytest.approx([1, 1])
        assert strata.shares[1, strata.stratum_of_cell[0]] == pytest.approx((3 + 4) / (counts[:, :2].sum()))

    def test_sums_run_over_the_cells_of_a_stratum(self):
        strata = CollapsedStrata.of(self.made, answered(1, 1, 1))
        sums = strata.sums(np.array([[1.0, 2, 4], [10, 20, 40]]))
        assert sums[:, strata.stratum_of_cell].tolist() == [[3, 3, 4], [30, 30, 40]]

    def test_no_cells_at_all_are_no_strata(self):
        nothing = Cells.of(("a",), [], np.zeros(0), np.zeros(0))
        strata = CollapsedStrata.of(nothing, np.zeros((FOLDS, 0)))
        assert strata.sums(np.zeros((2, 0))).shape == (2, 0)
