import numpy as np
import pytest

from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.weighted_values import MOST_GROUPS, WeightedValues


class TestCounting:
    def test_equal_values_are_counted_together(self):
        values = WeightedValues.of(np.array([2.0, 1.0, 2.0]), np.array([3.0, 1.0, 4.0]))
        assert (values.z.tolist(), values.items.tolist()) == ([1, 2], [1, 7])

    def test_a_value_without_items_is_none(self):
        assert WeightedValues.of(np.array([1.0, 2.0]), np.array([0.0, 5.0])).z.tolist() == [2]

    @pytest.mark.parametrize("weights", [[], [0.0]])
    def test_nothing_is_refused(self, weights):
        with pytest.raises(StratawatchError, match="nothing to stratify"):
            WeightedValues.of(np.zeros(len(weights)), np.array(weights))

    @pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0]])
    def test_weights_that_do_not_fit_are_refused(self, weights):
        with pytest.raises(StratawatchError, match="do not fit"):
            WeightedValues.of(np.array([1.0, 2.0]), np.array(weights))


class TestGrouping:
    def test_few_values_stay_as_they_are(self):
        values = WeightedValues.of(np.array([1.0, 5.0]))
        assert values.grouped() is values

    def test_groups_keep_every_item_and_the_sum(self):
        rng = np.random.default_rng(1)
        values = WeightedValues.of(rng.random(5000) ** 3, rng.integers(1, 9, 5000).astype(float))
        grouped = values.grouped()
        assert 0.5 * MOST_GROUPS < grouped.z.size <= MOST_GROUPS
        assert grouped.items.sum() == values.items.sum()
        assert grouped.items @ grouped.z == pytest.approx(values.items @ values.z)
        assert bool((np.diff(grouped.z) > 0).all())


def test_scaled_values_lie_between_zero_and_one_and_come_back():
    values = WeightedValues.of(np.array([2.0, 3.0, 6.0]), np.array([1.0, 2.0, 1.0]))
    assert values.scaled.z.tolist() == [0, 0.25, 1]
    assert values.unscaled(values.scaled.z).tolist() == [2, 3, 6]


def test_the_deviation_counts_items():
    """Mean 3.5, squares 2.25 + 2 x .25 + 6.25 = 9 of 4."""
    assert WeightedValues.of(np.array([2.0, 3.0, 6.0]), np.array([1.0, 2.0, 1.0])).deviation == 1.5


def test_equal_parts_are_cut_at_the_nearest_end_of_a_value():
    """Half of 10 is 5: the first value reaches 4, the second 7; 4 is nearer."""
    values = WeightedValues.of(np.array([1.0, 2.0, 3.0]), np.array([4.0, 3.0, 3.0]))
    assert values.equal_shares(values.items, 2).tolist() == [1.5]
