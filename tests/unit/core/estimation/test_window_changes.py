"""Changes: what both windows share does not widen them."""

import numpy as np
import pytest

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.estimation.window_changes import change_of_windows
from tests.support.pooled_weeks import (
    CLASSIFIERS,
    NORTH,
    Week,
    drawn_apart,
    random_windows,
    request,
)


def changes(pooled, before, after, *metrics, **facts):
    return change_of_windows(pooled, before, after, CLASSIFIERS, request(*metrics, **facts))


class TestChangeOfWindows:
    def test_is_the_difference_of_the_ratios_of_summed_totals(self):
        pooled = random_windows(3, 0.5, 4)
        was, now = (pooled.estimates(places, CLASSIFIERS, request()) for places in (range(2), range(2, 4)))
        found = changes(pooled, range(2), range(2, 4))
        for one, two, change in zip(was, now, found, strict=True):
            assert change.result.value == pytest.approx(two.result.value - one.result.value)
            assert change.labels_used == one.labels_used + two.labels_used

    def test_to_the_same_labels_is_nothing_give_or_take_what_the_sides_differ_by(self):
        """The same draw twice: what one window gets wrong, so does the other. MOVER-D leaves how uneven its ends are."""
        one = random_windows(4, 0.5, 2).windows[0]
        pooled = PooledWindows((one, one))
        alone = pooled.estimates(range(1), CLASSIFIERS, request("precision", "recall"))
        for was, change in zip(alone, changes(pooled, range(1), range(1, 2), "precision", "recall"), strict=True):
            uneven = abs(was.result.high + was.result.low - 2 * was.result.value)
            ends = change.result.low, change.result.value, change.result.high
            assert ends == pytest.approx((-uneven, 0, uneven), abs=1e-6)

    def test_of_labels_that_both_have_is_narrower_than_if_they_were_others(self):
        pooled = random_windows(5, 1.0, 2)
        apart = drawn_apart(pooled)
        for one, two in zip(*(changes(which, range(1), range(1, 2)) for which in (pooled, apart)), strict=True):
            assert one.result.half_width < two.result.half_width

    def test_of_other_items_adds_up_the_distances_of_both(self):
        """MOVER-D without correlation: sqrt((now - low)^2 + (high - was)^2) below."""
        pooled = random_windows(6, 0.0, 2)
        was, now = (
            pooled.estimates(places, CLASSIFIERS, request("recall"))[0].result for places in (range(1), range(1, 2))
        )
        (found, _) = changes(pooled, range(1), range(1, 2), "recall")
        below = np.hypot(now.value - now.low, was.high - was.value)
        assert found.result.low == pytest.approx(now.value - was.value - below)

    def test_inside_a_segment_is_of_its_items_alone(self):
        pooled = PooledWindows(tuple(week(each, (None, NORTH)) for each in ([1, 0, 1, 0] * 10, [1, 0, 0, 0] * 10)))
        whole, north = changes(pooled, range(1), range(1, 2), "precision", segments=(None, NORTH))[::2]
        assert isinstance(whole.result, IntervalEstimate)
        assert north.segment == NORTH
        assert north.labels_used < whole.labels_used

    def test_says_which_side_cannot_be_told(self):
        pooled = PooledWindows((week([0] * 40), week([1, 0] * 20)))
        found = changes(pooled, range(1), range(1, 2), "recall")[0]
        assert isinstance(found.result, Undefined)
        assert found.result.reason.startswith("before: no positive among the ")


def week(truth, segments=(None,)):
    atoms = [("10", 0, list(range(20))), ("01", 1, list(range(20, 40)))]
    return Week(atoms, truth, (12, 12)).labels(range(40), segments)
