"""Windows together: one window is itself, and the covariance of two is that over every order of random numbers."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.pooled_windows import PooledWindows, WindowLabels
from stratawatch.core.metrics import A, B
from tests.support.pooled_weeks import CLASSIFIERS, NORTH, Week, drawn_apart, random_windows, request

TRUTH = [1, 0, 0, 1, 0, 1]
"""Of six items; an item keeps its truth."""


def first(totals=(2, 1), **rounds) -> Week:
    return Week([("10", 0, [0, 1, 2]), ("01", 0, [3]), ("00", 1, [4])], TRUTH, totals, **rounds)


def second(totals=(2, 1), **rounds) -> Week:
    """Item 1 has left and 5 has come; item 3 is called by both."""
    return Week([("10", 0, [0, 2, 5]), ("11", 0, [3]), ("00", 1, [4])], TRUTH, totals, **rounds)


def by_chance(week: Week, other: Week):
    """The true covariance of the expanded errors over all orders, and the mean of what is estimated for it (of a)."""
    totals, estimated = [], []
    for order in permutations(range(len(TRUTH))):
        pair = PooledWindows((week.labels(order), other.labels(order)))
        totals.append([expanded(*each) for each in zip((week, other), pair.windows, strict=True)])
        estimated.append(pair.covariance([(0, 1)])[0, 0])
    centred = np.array(totals) - np.mean(totals, axis=0)
    return centred[:, 0].T @ centred[:, 1] / len(totals), np.mean(estimated, axis=0)


def expanded(week: Week, found: WindowLabels) -> np.ndarray:
    """The errors of the drawn items on either side of a, each times the items that it stands for."""
    items = [int(digest.split(".")[1]) for digest in found.digests]
    homes = [week.homes[week.items.index(item)] for item in items]
    errors = np.array([week.truth[item] - 0.3 for item in items]) * found.items
    on_a = np.array([week.atoms[home].pattern[0] == "1" for home in homes])
    return np.array([errors @ on_a, errors @ ~on_a])


class TestOneWindow:
    @pytest.mark.parametrize("known", [True, False])
    def test_is_what_it_is_alone(self, known):
        rng = np.random.default_rng(1)
        truth = (rng.random(60) < 0.4).astype(int)
        week = Week(
            [("10", 0, range(20)), ("11", 1, range(20, 40)), ("00", 2, range(40, 60))], truth, (8, 8, 8), known=known
        )
        pooled = PooledWindows((week.labels(rng.permutation(60), (None, NORTH)),))
        alone, together = pooled.windows[0].sides, pooled.sides(range(1))
        for name in ("totals", "variance", "smoothed_variance", "max_weight", "surprise_weight", "joint_max_weight"):
            assert getattr(together, name) == pytest.approx(getattr(alone, name)), name

    @pytest.mark.parametrize("rounds", [(14, 9), (3, 7)])
    def test_with_itself_has_its_raw_variance_as_covariance(self, rounds):
        rng = np.random.default_rng(2)
        truth = (rng.random(60) < 0.4).astype(int)
        atoms = [("10", 0, range(20)), ("11", 0, range(20, 40)), ("00", 1, range(40, 60))]
        week = Week(atoms, truth, (14, 9), first=rounds)
        one = week.labels(rng.permutation(60), (None, NORTH))
        found, raw = PooledWindows((one, one)).covariance([(0, 1)]), one.sides.variance
        assert found[..., A, A] == pytest.approx(raw[..., 0])
        assert found[..., A, B] == pytest.approx(raw[..., 1])
        assert found[..., B, B] == pytest.approx(raw[..., 2])


class TestCovarianceOfTwoWindows:
    def test_of_the_same_items_and_another_total_is_exact_over_all_orders(self):
        """A smaller draw inside a larger one: Cov = N^2 (1 - f)/n S^2 of the larger one."""
        true, found = by_chance(first((2, 1)), first((3, 1)))  # stratum 1 is counted out
        errors = np.array([1, 0, 0, 1]) - 0.3
        on_a = errors * [1, 1, 1, 0]
        assert found[A, A] == pytest.approx(16 * (1 - 3 / 4) / 3 * on_a.var(ddof=1))
        assert found == pytest.approx(true)

    def test_of_items_that_come_and_go_and_change_sides_is_exact_over_all_orders(self):
        true, found = by_chance(first(), second())
        assert true[B, A] > 0.2
        assert found == pytest.approx(true)

    @pytest.mark.parametrize("other", [first((2, 1)), first((2, 1), first=(1, 1)), first((3, 1), first=(2, 1))])
    def test_of_rounds_that_are_joined_by_weights_is_exact_over_all_orders(self, other):
        """The first of three labels stands for 1 - a + 4 a of four items, either other one for 3 (1 - a)/2.

        a is 1/6, the part of two of four labels of five items; by this stratum's labels alone it would be 1/9.
        """
        week, part = first((3, 1), first=(1, 1)), 1 / 6
        labels = week.labels(range(len(TRUTH)))
        expected = [3 * (1 - part) / 2] * 2 + [1 - part + 4 * part]
        assert sorted(labels.items[labels.strata == 0]) == pytest.approx(expected)
        true, found = by_chance(week, other)
        assert found == pytest.approx(true)

    def test_is_nothing_where_an_item_is_drawn_for_sure_or_has_another_number(self):
        order = range(len(TRUTH))
        whole = PooledWindows((first((4, 1)).labels(order), second((2, 1)).labels(order)))
        assert whole.covariance([(0, 1)]) == pytest.approx(np.zeros((1, 2, 2, 2)))
        apart = drawn_apart(PooledWindows((first().labels(order), second().labels(order))))
        assert not apart.covariance([(0, 1)]).any()


class TestSeveralWindows:
    def test_are_the_ratio_of_summed_totals(self):
        """Recall of b: 1 of 2 positives in the first window, 1 of 3 in the second."""
        order = range(len(TRUTH))
        pooled = PooledWindows((first((4, 1)).labels(order), second((4, 1)).labels(order)))
        found = {(one.classifier, one.metric): one for one in pooled.estimates(range(2), CLASSIFIERS, request())}
        recall = found["b", "recall"].result
        assert (recall.low, recall.value, recall.high) == pytest.approx((2 / 5,) * 3)
        assert found["b", "recall"].labels_used == 10

    def test_a_window_without_positives_is_no_gap(self):
        none = Week([("10", 0, [1, 2]), ("00", 1, [4, 8])], [0] * 9, (2, 2))
        some = first((4, 1))
        pooled = PooledWindows((none.labels(range(9)), some.labels(range(9))))
        alone, together = (
            pooled.estimates(places, CLASSIFIERS, request("recall"))[0] for places in (range(1), range(2))
        )
        assert alone.result == Undefined("no positive among the 4 labels")
        assert together.result.value == pytest.approx(1 / 2)

    def test_of_a_classifier_or_segment_that_a_window_does_not_know_has_no_items_there(self):
        one = first().labels(range(6), (None, NORTH))
        turned = one.arranged([1, None, 0], [1, None, 0])
        assert turned.sides.sizes[2, 0] == pytest.approx(one.sides.sizes[0, 1])
        assert turned.errors[:, 0, 2] == pytest.approx(one.errors[:, 1, 0])
        for nothing in (turned.sides.sizes[1], turned.sides.sizes[:, 1], turned.errors[:, 1], turned.errors[:, :, 1]):
            assert not nothing.any()

    @given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.integers(2, 5))
    def test_are_never_surer_than_if_all_labels_were_of_different_items(self, seed, staying, number):
        pooled = random_windows(seed, staying, number)
        together = pooled.sides(range(number))
        apart = drawn_apart(pooled).sides(range(number))
        for slopes in ((1.0, 0.0), (0.0, 1.0), (0.7, -0.4), (1.0, 1.0)):
            a, b = map(np.asarray, slopes)
            assert (together.variance_of(a, b) >= apart.variance_of(a, b) * (1 - 1e-9) - 1e-9).all()
        assert (together.max_weight >= apart.max_weight).all()

    @given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.integers(2, 5))
    def test_say_nothing_else_in_another_order(self, seed, staying, number):
        pooled = random_windows(seed, staying, number)
        turned = PooledWindows(pooled.windows[::-1])
        ends = [
            [
                (one.result.low, one.result.high)
                for one in which.estimates(range(number), CLASSIFIERS, request("recall"))
            ]
            for which in (pooled, turned)
        ]
        assert np.array(ends[0]) == pytest.approx(np.array(ends[1]))
