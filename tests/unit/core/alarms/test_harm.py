"""Wrong calls in counts: of one window, on average, and above what is usual."""

import numpy as np
import pytest

from stratawatch.core.alarms.harm import WrongCalls, mean_number, more_than_before
from stratawatch.core.estimate import IntervalEstimate


def calls(number, share, below, above):
    return WrongCalls(number, IntervalEstimate(share, share - below, share + above, 300))


class TestMoreThanBefore:
    def test_by_hand(self):
        """Now 300 (-40, +50) and 200 (-30, +30); usual 100 (-30, +20). Sum 500 - 2 x 100 = 300.

        The mean of two: 250 - sqrt(40^2 + 30^2) / 2 = 225, 250 + sqrt(50^2 + 30^2) / 2 = 279.15. Below
        2 sqrt(25^2 + 20^2) = 64.0, above 2 sqrt(29.15^2 + 30^2) = 83.7.
        """
        since = [calls(1000, 0.3, 0.04, 0.05), calls(1000, 0.2, 0.03, 0.03)]
        found = more_than_before(since, [calls(1000, 0.1, 0.03, 0.02)])
        assert (found.value, found.low, found.high) == pytest.approx((300, 300 - 64.03, 300 + 83.67), abs=0.01)

    def test_windows_that_share_labels_know_less(self):
        since, before = [calls(1000, 0.3, 0.04, 0.04)] * 4, [calls(1000, 0.1, 0.02, 0.02)] * 4
        alone, shared = (more_than_before(since, before, factor) for factor in (1.0, 4.0))
        assert shared.half_width == pytest.approx(2 * alone.half_width)

    def test_holds_the_truth_as_often_as_its_windows(self):
        """4,000 falls of which five windows and four before are estimated from 200 labels each."""
        rng, hits, runs = np.random.default_rng(53), 0, 4000
        flags, labels, wrong, usual = 6000, 200, 0.3, 0.16
        for _ in range(runs):
            since, before = (
                [estimated(flags, share, labels, rng) for _ in range(windows)]
                for share, windows in ((wrong, 5), (usual, 4))
            )
            found = more_than_before(since, before)
            hits += found.low <= 5 * flags * (wrong - usual) <= found.high
        assert hits / runs >= 0.95 - 3 * (0.95 * 0.05 / runs) ** 0.5


def estimated(flags, share, labels, rng):
    """A window of these flags whose wrong share is estimated with a Wilson interval."""
    p, z = rng.binomial(labels, share) / labels, 1.96
    middle, half = (
        (p + z**2 / (2 * labels)) / (1 + z**2 / labels),
        z * (p * (1 - p) / labels + z**2 / (4 * labels**2)) ** 0.5 / (1 + z**2 / labels),
    )
    return WrongCalls(flags, IntervalEstimate(p, middle - half, middle + half, labels))


def test_the_mean_is_never_below_nothing():
    assert mean_number([calls(1000, 0.01, 0.01, 0.05), calls(10, 0.0, 0.0, 0.3)], 9.0).low == 0
