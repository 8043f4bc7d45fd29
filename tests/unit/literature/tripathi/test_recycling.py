"""Algorithm 1 on two sets: A_P = 0..both+only-1, A_C = the items of both and those after A_P."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.mixing import MIXING, UNIFORM_SAMPLE, UNIFORM_SHUFFLE, mixing_named
from stratawatch.literature.tripathi.pattern_sizes import Overlap
from stratawatch.literature.tripathi.recycling import recycle_samples_for_precision

OPTIONS = sorted(MIXING)


class Sets:
    """Items of both are 0.., those of A_P alone follow, then those of A_C alone; draws are remembered."""

    def __init__(self, both, only_parent, only_child):
        self.overlap = Overlap(both + only_parent, both + only_child, both)
        self.child = np.r_[np.arange(both), both + only_parent + np.arange(only_child)]
        self.asked = []

    def recycle(self, rng, parent_length, length, option=UNIFORM_SHUFFLE, parent=None):
        parent = rng.integers(self.overlap.parent, size=parent_length) if parent is None else parent

        def more(outside, count):
            self.asked.append((outside, count))
            pool = self.child[self.overlap.both :] if outside else self.child
            return rng.choice(pool, count) if count else np.zeros(0, dtype=np.int64)

        inside = parent < self.overlap.both
        return recycle_samples_for_precision(parent, inside, self.overlap, length, more, rng, option)


class TestMixing:
    def test_a_shuffle_has_every_place_once(self):
        assert sorted(mixing_named(UNIFORM_SHUFFLE)(50, np.random.default_rng(1))) == list(range(50))

    def test_a_sample_repeats_places(self):
        places = mixing_named(UNIFORM_SAMPLE)(50, np.random.default_rng(1))
        assert len(places) == 50
        assert len(set(places.tolist())) < 50

    @pytest.mark.parametrize("option", OPTIONS)
    def test_nothing_mixed_is_nothing(self, option):
        assert mixing_named(option)(0, np.random.default_rng(1)).tolist() == []

    def test_the_default_is_the_shuffle(self):
        sets = Sets(50, 0, 0)
        made = sets.recycle(np.random.default_rng(1), 40, 40, parent=np.arange(40))
        assert sorted(made.sequence) == list(range(40))

    def test_another_name_is_refused(self):
        with pytest.raises(StratawatchError, match="no mixing is called 'stir'; expected uniform_shuffle or uniform_s"):
            mixing_named("stir")


@given(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(OPTIONS),
    st.integers(0, 1000),
)
def test_every_sequence_is_as_long_asked_and_lies_in_the_child(sizes, parent_length, length, option, seed):
    sets = Sets(*sizes)
    if sets.overlap.child == 0:
        length = 0
    if sets.overlap.parent == 0:
        parent_length = 0
    made = sets.recycle(np.random.default_rng(seed), parent_length, length, option)
    assert len(made.sequence) == length
    assert set(made.sequence.tolist()) <= set(sets.child.tolist())
    assert made.remaining == max(0, length - made.recycled - made.outside)
    assert 0 <= made.saved <= min(made.recycled, length) or option == UNIFORM_SAMPLE
    assert sets.asked == [(True, made.outside), (False, made.remaining)]


class TestParts:
    def test_s_minus_is_in_proportion(self):
        """10 of both for 20 outside: 6 recycled ask for 12 more, and 30 - 18 remain."""
        made = Sets(10, 10, 20).recycle(np.random.default_rng(1), 0, 30, parent=np.array([0, 1, 1, 2, 3, 15, 9]))
        assert (made.recycled, made.outside, made.remaining, made.saved) == (6, 12, 12, 6)

    def test_repeats_of_the_parent_are_kept(self):
        made = Sets(10, 10, 0).recycle(np.random.default_rng(1), 0, 4, parent=np.array([7, 7, 7, 3]))
        assert sorted(made.sequence) == [3, 7, 7, 7]

    @pytest.mark.parametrize(
        ("sets", "drawn"), [(Sets(0, 10, 20), 15), (Sets(10, 10, 20), 0)], ids=["no overlap", "a parent without draws"]
    )
    def test_everything_is_fresh(self, sets, drawn):
        made = sets.recycle(np.random.default_rng(1), drawn, 12)
        assert (made.recycled, made.outside, made.remaining, made.saved) == (0, 0, 12, 0)

    def test_a_child_inside_its_parent_needs_nothing_from_outside(self):
        made = Sets(10, 10, 0).recycle(np.random.default_rng(1), 40, 100)
        assert made.outside == 0
        assert made.recycled + made.remaining == 100

    def test_a_child_that_is_its_parent_is_all_recycled(self):
        made = Sets(10, 0, 0).recycle(np.random.default_rng(1), 40, 40)
        assert (made.saved, made.recycled, made.remaining) == (40, 40, 0)

    def test_a_cut_discards_labels_that_are_paid_for(self):
        made = Sets(10, 0, 10).recycle(np.random.default_rng(1), 40, 40)
        assert made.recycled + made.outside - len(made.sequence) == 40
        assert made.saved < made.recycled == 40

    def test_a_part_of_an_item_is_rounded_to_the_right_mean(self):
        """Each recycled draw of 3 asks for 1/7 of an item: 3/7 on average."""
        rng = np.random.default_rng(5)
        sets = Sets(7, 0, 1)
        found = [sets.recycle(rng, 0, 9, parent=np.array([0, 1, 2])).outside for _ in range(4000)]
        assert set(found) == {0, 1}
        assert abs(np.mean(found) - 3 / 7) < 4 * (12 / 49 / 4000) ** 0.5


class TestUniform:
    """Lemmas 1 and 2: any place of S_C is any item of A_C with the same probability."""

    @pytest.mark.parametrize("option", OPTIONS)
    @pytest.mark.parametrize("length", [3, 9])
    @pytest.mark.parametrize("place", [0, -1])
    def test_every_place_is_uniform(self, option, length, place):
        rng, sets, runs = np.random.default_rng(length), Sets(4, 6, 3), 6000
        hits = np.bincount([sets.recycle(rng, 5, length, option).sequence[place] for _ in range(runs)], minlength=13)
        hits = hits[sets.child]
        chi2 = float(((hits - runs / 7) ** 2 / (runs / 7)).sum())
        assert hits.sum() == runs
        assert chi2 < 22.5  # 6 degrees of freedom: 1 in 1000

    def test_sampling_has_up_to_twice_the_variance_of_a_plain_sequence(self):
        """Half of the items are yes: .25/n; drawn again, .25/n more."""
        rng, sets, n = np.random.default_rng(3), Sets(4000, 0, 0), 200
        means = {
            option: [(sets.recycle(rng, n, n, option).sequence < 2000).mean() for _ in range(3000)]
            for option in OPTIONS
        }
        assert np.var(means[UNIFORM_SHUFFLE]) * n / 0.25 == pytest.approx(1, abs=0.1)
        assert np.var(means[UNIFORM_SAMPLE]) * n / 0.25 == pytest.approx(2, abs=0.2)
