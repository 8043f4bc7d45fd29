from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.population import Candidates
from stratawatch.core.random_numbers import digest
from stratawatch.core.sampling import order_by_random_number, take_smallest
from stratawatch.errors import StratawatchError

STRATA = np.array([0, 1, 0])
"""Three atoms in two strata."""


def pool(*rows):
    """Candidates from rows of (item, atom, digest)."""
    items, atoms, digests = zip(*rows, strict=True)
    return Candidates(items, np.array(atoms, dtype=np.int64), digests)


MADE = pool(("a", 2, "ff"), ("b", 1, "03"), ("c", 0, "05"), ("d", 1, "01"), ("e", 0, "aa"))


class TestInOrder:
    def test_by_stratum_then_digest_whatever_the_atom(self):
        """Atoms 0 and 2 share stratum 0."""
        order, strata = order_by_random_number(MADE, STRATA)
        assert [MADE.items[row] for row in order.tolist()] == ["c", "e", "a", "d", "b"]
        assert strata.tolist() == [0, 0, 0, 1, 1]

    def test_equal_digests_are_ordered_by_item(self):
        order, _ = order_by_random_number(pool(("z", 0, "07"), ("y", 0, "07")), STRATA)
        assert order.tolist() == [1, 0]

    def test_an_empty_pool(self):
        order, strata = order_by_random_number(Candidates((), np.zeros(0, dtype=np.int64), ()), STRATA)
        assert order.shape == strata.shape == (0,)


class TestSmallest:
    def test_takes_the_smallest_digests_of_every_stratum(self):
        assert [MADE.items[row] for row in take_smallest(*order_by_random_number(MADE, STRATA), [2, 1])] == [
            "c",
            "e",
            "d",
        ]

    def test_nothing_wanted_is_nothing_drawn(self):
        assert take_smallest(*order_by_random_number(MADE, STRATA), [0, 0]) == ()

    def test_an_empty_stratum_gives_nothing(self):
        assert take_smallest(*order_by_random_number(pool(("a", 1, "aa")), STRATA), [0, 1]) == (0,)

    def test_more_than_the_pool_is_refused(self):
        with pytest.raises(StratawatchError, match="pool of stratum 1 is exhausted; expected at least 3 candidates"):
            take_smallest(*order_by_random_number(MADE, STRATA), [1, 3])

    @given(st.lists(st.integers(0, 2), max_size=60), st.integers(0, 2**32 - 1))
    def test_larger_totals_only_add_items(self, atoms, seed):
        candidates = Candidates(
            tuple(f"i{i}" for i in range(len(atoms))),
            np.array(atoms, dtype=np.int64),
            tuple(digest(str(seed), f"i{i}") for i in range(len(atoms))),
        )
        rng = np.random.default_rng(seed)
        order, strata = order_by_random_number(candidates, STRATA)
        most = np.bincount(strata, minlength=2)
        large = rng.integers(0, most + 1)
        small = rng.integers(0, large + 1)
        few, many = (take_smallest(order, strata, totals.tolist()) for totals in (small, large))
        assert set(few) <= set(many)
        assert Counter(STRATA[candidates.atoms[list(many)]].tolist()) == Counter(np.repeat([0, 1], large).tolist())

    def test_every_item_is_as_likely_as_any_other_of_its_stratum(self):
        """2 of 8 in 4000 draws: 1000 each, with a standard deviation of 27."""
        found = Counter()
        for seed in range(4000):
            digests = tuple(digest(str(seed), f"i{i}") for i in range(8))
            candidates = Candidates(tuple(f"i{i}" for i in range(8)), np.array([0, 2] * 4), digests)
            found.update(take_smallest(*order_by_random_number(candidates, STRATA), [2, 0]))
        assert all(abs(found[i] - 1000) < 5 * 27 for i in range(8))
