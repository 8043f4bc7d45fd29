import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.history.past_labels import History
from stratawatch.core.population import NO_BIN, Census, Segment
from stratawatch.core.score_bins import bins_of, centre
from stratawatch.core.stratification.initial_atoms import initial_atoms
from tests.support.censuses import census, of, spread
from tests.support.hypothesis_examples import examples


def history(rows: int, positive_above: float = 0.1) -> History:
    scores = np.linspace(0.001, 0.9, rows)
    return History(
        ages=np.ones(rows, dtype=np.int64),
        patterns=("0",) * rows,
        scores=scores,
        positive=scores > positive_above,
        weights=np.ones(rows),
        drawable=np.zeros(rows, dtype=np.bool_),
    )


class TestHowMany:
    def test_the_largest_negative_pattern_has_24_however_small(self):
        made = census([*spread("00", 20, 119, each=1), *spread("11", 600, 899, each=100), *spread("01", 400, 499)])
        assert [len(of(initial_atoms(made), pattern)) for pattern in ("00", "01", "11")] == [24, 8, 24]

    def test_only_one_negative_pattern_is_the_largest(self):
        made = census([*spread("00", 20, 99, each=9), *spread("0-", 20, 99, each=8), *spread("11", 520, 999, each=90)])
        assert [len(of(initial_atoms(made), pattern)) for pattern in ("00", "0-")] == [24, 8]

    @pytest.mark.parametrize(("items", "atoms"), [(60, 8), (59, 3), (20, 3), (19, 1), (1, 1)])
    def test_others_have_as_many_as_their_items_allow(self, items, atoms):
        made = census([*spread("0", 20, 419), *spread("1", 600, 600 + items - 1, each=1)])
        assert len(of(initial_atoms(made), "1")) == atoms

    def test_a_pattern_with_a_third_of_the_items_has_24(self):
        made = census([*spread("0", 20, 119), *spread("1", 600, 649)])
        assert len(of(initial_atoms(made), "1")) == 24

    def test_auxiliary_letters_split_patterns_but_do_not_call_anything_positive(self):
        rows = [*spread("00", 20, 419), *spread("01", 20, 419, each=50), *spread("11", 600, 700, each=1)]
        atoms = initial_atoms(census(rows, auxiliary=("judge",)))
        assert [len(of(atoms, pattern)) for pattern in ("00", "01", "11")] == [24, 24, 8]


class TestWhere:
    def test_equal_bins_are_cut_at_equal_steps(self):
        """Eight bins with almost the same centre and as many items: eight atoms hold one each."""
        made = census([*spread("0", 20, 419, each=500), *spread("1", 512, 519, each=1000)])
        assert [atom.size for atom in of(initial_atoms(made), "1")] == [1000] * 8

    def test_items_of_one_bin_stay_together(self):
        made = census([("0", 100, 5000), ("0", 101, 10), ("1", 900, 500)])
        assert [(a.pattern, a.first_bin, a.last_bin) for a in initial_atoms(made)] == [
            ("0", 100, 100),
            ("0", 101, 101),
            ("1", 900, 900),
        ]

    def test_uncertain_scores_are_cut_finer_than_certain_ones(self):
        sure, unsure = bins_of([0.002, 0.3]).tolist()
        rows = [*spread("0", sure - 20, sure + 19), *spread("0", unsure - 20, unsure + 19)]
        atoms = initial_atoms(census([*rows, *spread("1", 900, 999, each=100)]))
        assert sum(a.last_bin > 200 + sure for a in of(atoms, "0")) > sum(
            a.last_bin <= 200 + sure for a in of(atoms, "0")
        )

    def test_a_history_moves_cuts_to_where_its_labels_changed(self):
        """Labels turn from no to yes at .1: the atoms around it become narrower than from scores alone."""
        made = census([*spread("0", 50, 500), ("1", 900, 5000)])
        turn = int(bins_of([0.1])[0])

        def width(atoms):
            return next(a.last_bin - a.first_bin for a in of(atoms, "0") if a.first_bin <= turn <= a.last_bin)

        assert width(initial_atoms(made, history(400))) < 0.7 * width(initial_atoms(made))

    def test_a_short_history_changes_nothing(self):
        made = census([*spread("0", 50, 500), ("1", 900, 5000)])
        assert initial_atoms(made, history(199)) == initial_atoms(made)


class TestWithoutScores:
    def test_judged_items_are_an_atom_of_their_own(self):
        atoms = initial_atoms(census([*spread("0", 50, 450), ("0", NO_BIN, 77)]))
        assert [(a.last_bin, a.size, a.mean_score) for a in atoms if a.first_bin == NO_BIN] == [(NO_BIN, 77, None)]

    def test_items_that_nobody_judged_are_one_atom_scores_or_not(self):
        atoms = of(initial_atoms(census([*spread("0", 50, 450), ("-", NO_BIN, 1234), ("-", 500, 6)])), "-")
        assert [(a.first_bin, a.last_bin, a.size, a.mean_score) for a in atoms] == [(NO_BIN, 500, 1240, centre(500))]

    def test_an_empty_census_has_no_atoms(self):
        assert initial_atoms(Census(("c",), (), np.array([], dtype=np.int64), np.array([], dtype=np.int64))) == ()


class TestFacts:
    def test_mean_score_is_weighted_by_items(self):
        (atom,) = of(initial_atoms(census([("0", 20, 999), ("1", 600, 10), ("1", 601, 5)])), "1")
        assert atom.mean_score == pytest.approx((10 * centre(600) + 5 * centre(601)) / 15)

    def test_segments_are_counted_in_every_atom_that_has_them(self):
        north = Segment("region", "north")
        made = census([("0", 10, 50), ("1", 900, 20)], segments={north: np.array([7, 0])})
        assert [atom.segments for atom in initial_atoms(made)] == [{north: 7}, {}]


row = st.tuples(st.sampled_from(["00", "01", "1-", "11", "--"]), st.integers(-1, 1023), st.integers(0, 10**6))


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(row, min_size=1, max_size=60, unique_by=lambda r: r[:2]), st.randoms(use_true_random=False))
def test_atoms_are_a_partition_whatever_the_order_of_rows(rows, random):
    atoms = initial_atoms(census(sorted(rows)))
    for pattern, bin_, count in rows:
        homes = [a for a in of(atoms, pattern) if a.first_bin <= bin_ <= a.last_bin]
        assert len(homes) == 1 or (count == 0 and len(homes) <= 1)
    assert sum(atom.size for atom in atoms) == sum(count for _, _, count in rows)
    assert all(atom.size > 0 for atom in atoms)
    assert [(a.pattern, a.first_bin) for a in atoms] == sorted((a.pattern, a.first_bin) for a in atoms)
    random.shuffle(rows)
    assert initial_atoms(census(rows)) == atoms
