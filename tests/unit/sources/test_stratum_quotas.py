from statistics import mean

import pytest

from stratawatch.adapters.sources.stratum_quotas import ABOVE_ALL_DIGESTS, max_digest, quotas_of, stratum_sizes
from stratawatch.core.population import Atom
from stratawatch.core.random_numbers import digest
from tests.support.draw_by_hand import uniform


class TestCeiling:
    def test_it_lets_through_a_few_more_than_wanted_and_never_fewer(self):
        """Over 40 seeds: the mean is n + 6 sqrt n + 10 = 170, and no seed falls below n = 100."""
        limit = max_digest(100, 5_000)
        kept = [sum(digest(f"seed {s}", str(i)) < limit for i in range(5_000)) for s in range(40)]
        assert min(kept) >= 100
        assert mean(kept) == pytest.approx(170, abs=3 * 170**0.5 / 40**0.5)

    def test_comparing_text_is_comparing_numbers(self):
        limit = max_digest(30, 1_000)
        for i in range(2_000):
            one = digest("s", str(i))
            assert (one < limit) == (uniform(one) < int(limit, 16) / 2**52)

    def test_it_has_leading_zeros(self):
        assert max_digest(1, 10**12).startswith("0000000")
        assert len(max_digest(1, 10**12)) == 13

    @pytest.mark.parametrize(("number", "size"), [(1, 1), (10, 38), (100, 170)])
    def test_a_small_atom_is_taken_whole(self, number, size):
        assert max_digest(number, size) == ABOVE_ALL_DIGESTS

    def test_everything_is_above_every_digest(self):
        assert ABOVE_ALL_DIGESTS > "f" * 32

    def test_a_factor_asks_for_more(self):
        assert max_digest(100, 5_000, 8.0) > max_digest(100, 5_000)


def rows_of(quotas):
    return list(zip(*(column.tolist() for column in quotas.columns.values()), strict=True))


class TestWanted:
    ATOMS = (
        Atom("1", 3, 5, 10, None, stratum=0),
        Atom("0", -1, -1, 4, None, stratum=1),
        Atom("0", 0, 1, 2, None, stratum=1),
        Atom("-", -1, -1, 3, None, stratum=2),
    )

    def test_an_atom_has_a_row_for_each_of_its_bins(self):
        quotas = quotas_of(self.ATOMS, (2, 1, 3), (0, 2), None)
        assert list(quotas.columns) == ["calls_1", "bin", "atom", "stratum", "quota", "max_digest"]
        assert rows_of(quotas) == [
            (1, 3, 0, 0, 2, "g"),
            (1, 4, 0, 0, 2, "g"),
            (1, 5, 0, 0, 2, "g"),
            (2, -1, 3, 2, 3, "g"),
        ]
        assert quotas.max_digests == {"g"}

    def test_a_long_pattern_has_several_words(self):
        letters = "1" + 14 * "0" + "-"
        ((first, second, *rest),) = rows_of(quotas_of((Atom(letters, 7, 7, 4, None),), (2,), (0,), None))
        assert (first, second, rest) == (1, 2, [7, 0, 0, 2, "g"])

    def test_the_atoms_of_a_stratum_share_its_number_and_its_ceiling(self):
        big = (Atom("1", 3, 3, 30_000, None), Atom("0", 4, 4, 10_000, None))
        (one, other) = rows_of(quotas_of(big, (100,), (0,), 1.0))
        assert one[3:] == other[3:] == (0, 100, max_digest(100, 40_000))

    def test_only_the_strata_in_question_are_there(self):
        assert quotas_of(self.ATOMS, (2, 1, 2), (1,), 1.0).columns["atom"].tolist() == [1, 2, 2]

    def test_a_stratum_is_as_large_as_its_atoms_together(self):
        assert stratum_sizes(self.ATOMS) == {0: 10, 1: 6, 2: 3}
