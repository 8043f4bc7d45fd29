import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.population import Atom

MADE = Cells.of_atoms(
    ("a", "b"),
    [
        Atom("00", 0, 9, 900, 0.02),
        Atom("0-", -1, -1, 100, None),
        Atom("10", 500, 600, 50, 0.6),
        Atom("1-", -1, -1, 10, None),
        Atom("--", -1, -1, 30, None),
    ],
)


def test_letters_become_a_column_a_classifier():
    assert MADE.positive.tolist() == [[False, False]] * 2 + [[True, False]] * 2 + [[False, False]]
    assert MADE.negative.tolist() == [[True, True], [True, False], [False, True], [False, False], [False, False]]


def test_items_that_nobody_judged_serve_nobody():
    assert MADE.served.tolist() == [True, True, True, True, False]


def test_votes_count_only_classifiers_that_judged():
    assert MADE.votes.tolist() == [0, 0, 0.5, 1, 0]


def test_a_missing_score_is_filled_by_what_the_calls_say():
    assert MADE.filled_scores.tolist() == pytest.approx([0.02, 0.02, 0.6, 0.5, 0.02])


def test_no_atoms_make_no_cells():
    assert Cells.of_atoms(("a", "b"), []).sizes.shape == (0,)
    assert not np.any(Cells.of_atoms(("a",), []).served)
