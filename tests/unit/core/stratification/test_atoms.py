import numpy as np

from stratawatch.core.population import Census, Segment
from stratawatch.core.stratification.atoms import atoms_of_groups, nonempty_rows

EN = Segment("lang", "en")
CENSUS = Census(
    ("a",),
    ("1", "0", "0", "1", "0", "1"),
    np.array([900, 30, 400, -1, 10, 600]),
    np.array([5, 6, 7, 3, 0, 2]),
    {EN: np.array([5, 1, 2, 0, 0, 0])},
)


def test_rows_that_hold_items_by_pattern_and_bin():
    assert nonempty_rows(CENSUS).tolist() == [1, 2, 3, 5, 0]


def test_runs_of_a_group_are_one_atom_and_a_group_is_a_stratum():
    """Groups 7 (both patterns), 4 and 9; the row without items has none of its own."""
    atoms = atoms_of_groups(CENSUS, np.array([7, 4, 7, 9, 1, 7]))
    found = [(atom.pattern, atom.first_bin, atom.last_bin, atom.size, atom.stratum) for atom in atoms]
    assert found == [("0", 30, 30, 6, 0), ("0", 400, 400, 7, 1), ("1", -1, -1, 3, 2), ("1", 600, 900, 7, 1)]
    assert [dict(atom.segments) for atom in atoms] == [{EN: 1}, {EN: 2}, {}, {EN: 5}]
    assert atoms[2].mean_score is None


def test_nothing_is_no_atom():
    assert (
        atoms_of_groups(Census(("a",), (), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)), np.zeros(0)) == ()
    )
