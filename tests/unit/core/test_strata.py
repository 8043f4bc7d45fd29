import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.bins import centre
from stratawatch.core.population import NO_BIN, Census, Segment
from stratawatch.core.strata import cut_atoms
from stratawatch.errors import PlanImpossible


def census(rows, classifiers=None, segments=None):
    """Rows of (pattern, bin, count)."""
    rows = sorted(rows)
    names = classifiers or tuple(f"c{i}" for i in range(len(rows[0][0])))
    return Census(
        classifiers=names,
        patterns=tuple(pattern for pattern, _, _ in rows),
        bins=np.array([bin_ for _, bin_, _ in rows], dtype=np.int64),
        counts=np.array([count for _, _, count in rows], dtype=np.int64),
        segments=segments or {},
    )


def spread(pattern, first, last, each=100):
    return [(pattern, bin_, each) for bin_ in range(first, last + 1)]


def of(atoms, pattern):
    return [atom for atom in atoms if atom.pattern == pattern]


class TestSingleClassifier:
    rows = (*spread("0", 50, 450), *spread("1", 520, 900))

    def test_has_six_strata_on_either_side(self):
        atoms = cut_atoms(census(self.rows), 1000)
        assert [len(of(atoms, "0")), len(of(atoms, "1"))] == [6, 6]

    def test_has_fewer_when_labels_are_few(self):
        atoms = cut_atoms(census(self.rows), 60)
        assert all(1 <= len(of(atoms, letter)) < 6 for letter in "01")

    def test_has_one_stratum_when_scores_are_constant(self):
        atoms = cut_atoms(census([("0", 100, 5000), ("1", 900, 500)]), 1000)
        assert [(a.pattern, a.first_bin, a.last_bin, a.size) for a in atoms] == [
            ("0", 100, 100, 5000),
            ("1", 900, 900, 500),
        ]

    def test_never_splits_a_bin(self):
        atoms = cut_atoms(census([("0", 100, 9000), ("0", 101, 10), ("1", 900, 500)]), 1000)
        bins = [bin_ for atom in of(atoms, "0") for bin_ in range(atom.first_bin, atom.last_bin + 1)]
        assert len(bins) == len(set(bins))

    def test_equal_bins_are_cut_at_equal_steps(self):
        """Six bins with almost the same centre and as many items: six strata hold one each."""
        atoms = cut_atoms(census(spread("1", 512, 517, each=1000)), 1000)
        assert [atom.size for atom in atoms] == [1000] * 6


class TestPanel:
    rows = (
        *spread("000", 20, 450, each=200),
        *spread("001", 400, 500, each=10),
        *spread("110", 520, 600, each=10),
        *spread("111", 550, 950, each=10),
    )

    def test_the_largest_negative_pattern_has_most_strata(self):
        atoms = cut_atoms(census(self.rows), 1500)
        assert len(of(atoms, "000")) == 8

    def test_a_pattern_with_a_large_share_of_the_positive_calls_has_up_to_six(self):
        assert len(of(cut_atoms(census(self.rows), 1500), "111")) == 6

    def test_others_have_at_most_three(self):
        atoms = cut_atoms(census(self.rows), 1500)
        assert len(of(atoms, "001")) == 3
        assert len(of(atoms, "110")) == 3

    def test_items_without_a_score_are_a_stratum_of_their_own(self):
        atoms = cut_atoms(census([*self.rows, ("001", NO_BIN, 77)]), 1500)
        alone = [atom for atom in of(atoms, "001") if atom.first_bin == NO_BIN]
        assert [(atom.last_bin, atom.size, atom.mean_score) for atom in alone] == [(NO_BIN, 77, None)]

    def test_items_that_nobody_judged_are_counted_in_one_atom(self):
        atoms = cut_atoms(census([*self.rows, ("---", NO_BIN, 1234)]), 1500)
        assert [atom.size for atom in of(atoms, "---")] == [1234]


class TestFacts:
    def test_mean_score_is_weighted_by_items(self):
        (atom,) = cut_atoms(census([("1", 600, 30), ("1", 601, 10)]), 2)
        assert atom.mean_score == pytest.approx((30 * centre(600) + 10 * centre(601)) / 40)

    def test_segments_are_counted_in_every_atom_that_has_them(self):
        north = Segment("region", "north")
        made = census([("0", 10, 50), ("1", 900, 20)], segments={north: np.array([7, 0])})
        first, second = cut_atoms(made, 100)
        assert first.segments == {north: 7}
        assert second.segments == {}


class TestSmallBudgets:
    rows = (*spread("00", 20, 450), *spread("01", 400, 500), *spread("10", 500, 600), *spread("11", 550, 950))

    def test_strata_are_merged_until_the_first_round_reaches_every_atom(self):
        atoms = cut_atoms(census(self.rows), 50)
        assert 2 * len(atoms) <= 20

    def test_a_budget_of_one_round_is_not_cut_for_a_first_of_two(self):
        """Seven patterns and three strata of 1111: 9 atoms of two labels fit into 39, not into the first 16 of 40."""
        rows = [("0001", 700, 1000), ("0010", 700, 10), ("0100", 520, 100), ("0110", 60, 1000), ("1000", 500, 10)]
        rows += [("1010", 60, 100), *(("1111", bin_, 100) for bin_ in (520, 530, 540))]
        assert [len(cut_atoms(census(rows), budget)) for budget in (39, 40)] == [9, 8]

    def test_the_smallest_workable_budget_gives_two_labels_to_every_pattern(self):
        assert len(cut_atoms(census(self.rows), 8)) == 4

    def test_a_smaller_one_is_impossible_and_says_what_would_do(self):
        with pytest.raises(
            PlanImpossible, match="7 labels cannot serve 4 patterns of calls; expected at least 8 labels"
        ):
            cut_atoms(census(self.rows), 7)

    def test_items_without_a_score_join_the_others_before_a_plan_is_impossible(self):
        atoms = cut_atoms(census([*self.rows, ("11", NO_BIN, 40)]), 8)
        assert [(a.first_bin, a.size) for a in of(atoms, "11")] == [(NO_BIN, 401 * 100 + 40)]

    def test_a_pattern_of_one_item_needs_one_label(self):
        assert len(cut_atoms(census([("0", 5, 1), ("1", 900, 1)]), 2)) == 2

    def test_an_empty_census_has_no_atoms(self):
        assert cut_atoms(Census(("c",), (), np.array([], dtype=np.int64), np.array([], dtype=np.int64)), 10) == ()


row = st.tuples(st.sampled_from(["00", "01", "1-", "11", "--"]), st.integers(-1, 1023), st.integers(1, 10**6))


@settings(max_examples=60, deadline=None)
@given(st.lists(row, min_size=1, max_size=60, unique_by=lambda r: r[:2]), st.integers(10, 3000))
def test_atoms_are_a_partition_of_the_census(rows, budget):
    made = census(rows)
    atoms = cut_atoms(made, budget)
    assert sum(atom.size for atom in atoms) == made.size
    for pattern, bin_, _ in rows:
        homes = [a for a in atoms if a.pattern == pattern and a.first_bin <= bin_ <= a.last_bin]
        assert len(homes) == 1
    assert [(a.pattern, a.first_bin) for a in atoms] == sorted((a.pattern, a.first_bin) for a in atoms)
    assert 2 * len([a for a in atoms if a.pattern != "--" and a.size > 1]) <= budget
