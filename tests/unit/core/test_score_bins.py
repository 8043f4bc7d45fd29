from math import nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.population import NO_BIN
from stratawatch.core.score_bins import BIN_COUNT, bin_of, bins_of, centre, centres
from stratawatch.errors import StratawatchError
from tests.support.draw_by_hand import score_to_probability

scores = st.floats(0, 1)


class TestBinOf:
    @pytest.mark.parametrize(
        ("z", "expected"),
        [
            (0.0, 0),
            (2**-21, 1),
            (nextafter(2**-16, 0), 31),
            (2**-16, 32),
            (nextafter(2**-15, 0), 63),
            (2**-15, 64),
            (0.25, 480),
            (0.25 * (1 + 1 / 32), 481),
            (nextafter(0.5, 0), 511),
            (0.5, 512),
            (nextafter(0.5, 1), 512),
            (0.75, 543),
            (nextafter(0.75, 1), 544),
            (1 - 2**-16, 991),
            (nextafter(1, 0), 1023),
            (1.0, 1023),
        ],
    )
    def test_edges_of_the_ladder(self, z, expected):
        assert bin_of(z) == expected

    @given(scores, scores)
    def test_bins_ascend_with_the_score(self, a, b):
        low, high = sorted((a, b))
        assert bin_of(low) <= bin_of(high)

    @given(st.floats(0, 0.5, exclude_max=True))
    def test_a_score_below_one_half_follows_the_written_rule(self, z):
        if z < 2**-16:
            expected = int(z * 2**16 * 32)
        else:
            k = next(k for k in range(1, 16) if 2 ** -(k + 1) <= z < 2**-k)
            expected = (16 - k) * 32 + int((z * 2 ** (k + 1) - 1) * 32)
        assert bin_of(z) == expected

    @given(st.floats(0.5, 1))
    def test_the_upper_half_mirrors_the_lower(self, z):
        mirrored = 512 if z == 0.5 else 1023 - bin_of(1 - z)
        assert bin_of(z) == mirrored

    @pytest.mark.parametrize("z", [-0.1, 1.1, float("nan"), float("inf")])
    def test_a_score_outside_zero_and_one_is_refused(self, z):
        with pytest.raises(StratawatchError, match=r"expected a number in \[0, 1\]"):
            bins_of([0.5, z])


class TestCentre:
    def test_every_bin_holds_its_own_centre(self):
        everything = np.arange(BIN_COUNT)
        assert bins_of(centres(everything)).tolist() == everything.tolist()

    def test_centres_ascend(self):
        assert bool(np.all(np.diff(centres(np.arange(BIN_COUNT))) > 0))

    def test_items_without_a_score_have_no_centre(self):
        assert np.isnan(centres([NO_BIN]))[0]
        with pytest.raises(StratawatchError, match="no centre"):
            centre(NO_BIN)

    def test_there_is_no_bin_beyond_the_last(self):
        with pytest.raises(StratawatchError, match="there is no bin 1024"):
            centre(BIN_COUNT)


class TestMargins:
    @given(st.floats(-1e6, 1e6))
    def test_any_finite_margin_can_be_binned(self, margin):
        assert 0 <= bin_of(score_to_probability(margin, "margin")) < BIN_COUNT
