import numpy as np
import pytest

from stratawatch.core.estimation.replication.half_samples import half_samples


@pytest.mark.parametrize(("strata", "replicates"), [(1, 2), (2, 4), (3, 4), (4, 8), (31, 32), (60, 64), (483, 512)])
class TestHalfSamples:
    def test_there_are_as_few_replicates_as_balance_allows(self, strata, replicates):
        assert half_samples(strata).shape == (replicates, strata)

    def test_any_two_strata_have_every_pair_of_halves_equally_often(self, strata, replicates):
        signs = 1 - 2 * half_samples(strata)
        assert (signs.T @ signs).tolist() == (replicates * np.eye(strata, dtype=int)).tolist()

    def test_every_stratum_gives_both_halves_equally_often(self, strata, replicates):
        assert set(half_samples(strata).sum(axis=0).tolist()) == {replicates // 2}


def test_nobody_can_change_what_is_shared():
    with pytest.raises(ValueError, match="read-only"):
        half_samples(3)[0, 0] = 1
