import pytest

from stratawatch.core.population import Atom
from stratawatch.core.stratification.stratum_atoms import StratumAtoms, atoms_by_stratum

ATOMS = (
    Atom("00", 0, 9, 900, 0.01, stratum=1),
    Atom("01", 0, 9, 50, 0.4, stratum=0),
    Atom("10", -1, -1, 30, None, stratum=0),
    Atom("11", 10, 99, 20, 0.8, stratum=0),
)


class TestStrataOf:
    def test_unites_the_atoms_of_each_in_the_order_of_their_numbers(self):
        assert [one.atoms for one in atoms_by_stratum(ATOMS)] == [ATOMS[1:], ATOMS[:1]]

    def test_of_nothing_are_none(self):
        assert atoms_by_stratum(()) == ()


class TestStratum:
    def test_counts_its_items(self):
        assert [one.items for one in atoms_by_stratum(ATOMS)] == [100, 900]

    def test_has_the_mean_score_of_those_that_have_one(self):
        assert atoms_by_stratum(ATOMS)[0].mean_score == pytest.approx((50 * 0.4 + 20 * 0.8) / 70)

    def test_of_items_without_scores_has_none(self):
        assert StratumAtoms(ATOMS[2:3]).mean_score is None

    def test_names_its_largest_patterns(self):
        assert atoms_by_stratum(ATOMS)[0].pattern_text == "01, 10, 11"
        many = tuple(Atom(letters, 0, 9, size, 0.5) for size, letters in enumerate(("00", "01", "10", "11", "1-"), 1))
        assert StratumAtoms(many).pattern_text == "1-, 11, 10 and 2 more"

    def test_counts_a_pattern_of_several_atoms_once(self):
        several = (Atom("0", 0, 1, 2, 0.1), Atom("1", 2, 3, 3, 0.2), Atom("0", 4, 5, 2, 0.3))
        assert StratumAtoms(several).patterns == ("0", "1")
