"""Allocation, fewest labels and the interval of a share, as people who sample strata use them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch import StratawatchError, Undefined, allocate, estimate_share, fewest_labels
from stratawatch.errors import PlanImpossible

SIZES = [9000, 900, 100]
VARIANCES = [0.01, 0.09, 0.25]
Z = 1.959963984540054


def variance(labels, sizes, variances):
    """sum_h W_h^2 S_h^2 (1/n_h - 1/N_h), by hand."""
    n, items = np.asarray(labels, dtype=float), np.asarray(sizes, dtype=float)
    return float(((items / items.sum()) ** 2 * np.asarray(variances) * (1 / n - 1 / items)).sum())


class TestAllocate:
    def test_one_variable_is_neymans_rule(self):
        """N_h S_h is 900, 270, 50 of 1220: 221.3, 66.4, 12.3 of 300; the largest remainder gets the last label."""
        assert allocate(300, SIZES, VARIANCES).tolist() == [221, 67, 12]

    def test_equal_strata_get_equal_labels(self):
        assert allocate(90, [500, 500, 500], [0.2, 0.2, 0.2]).tolist() == [30, 30, 30]

    def test_what_a_small_stratum_cannot_take_goes_to_the_others(self):
        assert allocate(300, [9000, 900, 5], [0.01, 0.01, 1e6]).tolist() == [268, 27, 5]

    def test_all_items_are_the_most(self):
        assert allocate(10**6, SIZES, VARIANCES).tolist() == SIZES

    def test_floors_are_kept(self):
        assert allocate(300, SIZES, [0.01, 0.0, 0.0], floors=[2, 20, 30]).tolist() == [250, 20, 30]

    def test_the_tighter_margin_weighs_more(self):
        rows = [[0.25, 0.01], [0.01, 0.25]]
        even, tilted = (allocate(100, [5000, 5000], rows, margins=m).tolist() for m in ([0.1, 0.1], [0.1, 0.05]))
        assert even == [50, 50]
        assert tilted[1] > 60

    @given(st.lists(st.tuples(st.integers(0, 5000), st.floats(0, 1)), min_size=1, max_size=8), st.integers(0, 3000))
    def test_the_sum_is_exact_between_the_bounds(self, strata, labels):
        sizes, variances = (np.array(one) for one in zip(*strata, strict=True))
        got = allocate(labels, sizes, variances)
        least = np.minimum(2, sizes)
        assert got.sum() == min(max(labels, least.sum()), sizes.sum())
        assert ((least <= got) & (got <= sizes)).all()


class TestFewestLabels:
    def test_one_variable_keeps_its_margin_and_one_label_less_does_not(self):
        labels = fewest_labels(0.02, SIZES, VARIANCES)
        assert Z * variance(labels, SIZES, VARIANCES) ** 0.5 <= 0.02
        for stratum in range(3):
            fewer = labels - (np.arange(3) == stratum)
            assert Z * variance(fewer, SIZES, VARIANCES) ** 0.5 > 0.02

    def test_it_agrees_with_allocate_at_the_same_number(self):
        labels = fewest_labels(0.02, SIZES, VARIANCES)
        assert abs(allocate(int(labels.sum()), SIZES, VARIANCES) - labels).max() <= 1

    def test_every_variable_keeps_its_margin(self):
        rows, margins = [[0.25, 0.01], [0.01, 0.09]], [0.04, 0.02]
        labels = fewest_labels(margins, [5000, 5000], rows, confidence=0.9)
        assert all(
            1.6449 * variance(labels, [5000, 5000], row) ** 0.5 <= m for row, m in zip(rows, margins, strict=True)
        )

    def test_dear_labels_are_spared(self):
        cheap = fewest_labels(0.03, [5000, 5000], [0.2, 0.2])
        dear = fewest_labels(0.03, [5000, 5000], [0.2, 0.2], costs=[1, 9])
        assert dear[1] < cheap[1] < dear[0]

    def test_caps_that_keep_no_margin_are_refused(self):
        with pytest.raises(PlanImpossible, match="not even all labels that the caps allow keep the margins; got 20"):
            fewest_labels(0.001, [5000, 5000], [0.2, 0.2], caps=10)


class TestEstimateShare:
    def test_it_is_the_stratified_mean(self):
        share = estimate_share([2, 9, 6], [221, 67, 12], SIZES)
        assert share.value == pytest.approx(0.9 * 2 / 221 + 0.09 * 9 / 67 + 0.01 * 6 / 12)
        assert share.low < share.value < share.high

    def test_a_simple_sample_is_worth_itself(self):
        assert estimate_share([30], [100], [10_000]).n_eff == pytest.approx(100, rel=0.01)

    def test_nothing_met_is_no_proof_of_nothing(self):
        share = estimate_share([0], [100], [10_000])
        assert (share.value, share.low) == (0, 0)
        assert share.high == pytest.approx(1 - 0.025 ** (1 / 100), abs=0.002)

    def test_a_census_has_no_doubt(self):
        assert estimate_share([3], [10], [10]).half_width == 0

    def test_more_confidence_is_wider(self):
        assert estimate_share([30], [100], [10_000], confidence=0.99).half_width > 0.11

    @pytest.mark.parametrize("sizes", [[50, 50], [0, 0]])
    def test_without_labels_it_is_undefined(self, sizes):
        assert estimate_share([0, 0], [0, 0], sizes) == Undefined("there is no label")


@pytest.mark.parametrize(
    "call",
    [
        lambda: allocate(10, [5, 5], [0.1]),
        lambda: allocate(10, [5, -5], [0.1, 0.1]),
        lambda: allocate(10, [5, 5], [0.1, np.nan]),
        lambda: allocate(10, [5, 5], [0.1, 0.1], margins=0),
        lambda: fewest_labels(-0.1, [5, 5], [0.1, 0.1]),
        lambda: estimate_share([2], [1], [5]),
        lambda: estimate_share([1], [6], [5]),
        lambda: estimate_share([1, 1], [2], [5]),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(call):
    with pytest.raises(StratawatchError, match="expected"):
        call()
