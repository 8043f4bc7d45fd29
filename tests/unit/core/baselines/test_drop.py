from math import hypot

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.baselines.drop import Drop, drop_interval, metric_drop
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.errors import StratawatchError

BEFORE, NOW = IntervalEstimate(0.8, 0.75, 0.84, 300), IntervalEstimate(0.7, 0.64, 0.75, 280)
EXACT = IntervalEstimate(0.8, 0.8, 0.8, 1e9)


class TestByHand:
    @pytest.mark.parametrize(
        ("metric", "before", "now"), [("precision", BEFORE, NOW), ("false_omission_rate", NOW, BEFORE)]
    )
    def test_what_should_be_large_has_dropped_or_what_should_be_small_has_risen(self, metric, before, now):
        """.1 less the root of .05^2 + .05^2, and more by that of .04^2 + .06^2."""
        found, expected = metric_drop(metric, before, now), (0.1, 0.1 - hypot(0.05, 0.05), 0.1 + hypot(0.04, 0.06))
        assert (found.value, found.low, found.high) == pytest.approx(expected)

    def test_an_exact_baseline_leaves_the_current_interval(self):
        found = metric_drop("precision", EXACT, NOW)
        assert (found.low, found.high) == pytest.approx((0.05, 0.16))

    def test_better_than_before_is_a_negative_drop(self):
        assert metric_drop("recall", NOW, BEFORE).value == pytest.approx(-0.1)


class TestProof:
    def test_beyond_and_not_beyond(self):
        assert Drop(0.1, 0.031, 0.17).proven_beyond(0.03)
        assert not Drop(0.1, 0.029, 0.17).proven_beyond(0.03)

    def test_a_point_baseline_proves_what_an_honest_one_does_not(self):
        """28 of 40 now: proven against .9 exactly, not against 36 of 40."""
        now = BaselineShare(0.7, 40).interval_at(0.95)
        assert metric_drop("precision", IntervalEstimate(0.9, 0.9, 0.9, 1e9), now).proven_beyond(0.05)
        assert not metric_drop("precision", BaselineShare(0.9, 40).interval_at(0.95), now).proven_beyond(0.05)


class TestRefusals:
    def test_a_value_outside_its_interval(self):
        with pytest.raises(StratawatchError, match="a recall does not lie inside its interval"):
            metric_drop("recall", IntervalEstimate(0.9, 0.7, 0.8, 10), NOW)

    def test_an_unknown_metric(self):
        with pytest.raises(StratawatchError, match="there is no metric 'recal'"):
            metric_drop("recal", BEFORE, NOW)


counts = st.tuples(st.integers(0, 50), st.integers(50, 500)).map(lambda pair: BaselineShare(pair[0] / 50, pair[1]))


@given(counts, counts)
def test_the_interval_holds_the_drop_and_is_wider_than_either_alone(before, now):
    one, two = before.interval_at(0.95), now.interval_at(0.95)
    found = metric_drop("accuracy", one, two)
    assert found.low - 1e-12 <= one.value - two.value <= found.high + 1e-12
    assert 2 * max(one.half_width, two.half_width) <= found.high - found.low + 1e-12
    assert found.high - found.low <= 2 * (one.half_width + two.half_width) + 1e-12


@given(counts, counts)
def test_turned_over_it_is_the_rise(before, now):
    one, two = before.interval_at(0.95), now.interval_at(0.95)
    forth, back = metric_drop("accuracy", one, two), metric_drop("accuracy", two, one)
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


def test_it_covers_the_drop():
    """240 of 300 before and 210 of 300 after, in the mean: the interval of the drop holds .1 about 95 times in 100."""
    rng = np.random.default_rng(8)
    before, now = (rng.binomial(300, p, 20_000) / 300 for p in (0.8, 0.7))
    of_before, of_now = (IntervalEnds(*wilson_interval(x, np.asarray(300.0), 0.95)) for x in (before, now))
    low, high = drop_interval(before, now, of_before, of_now)
    assert float(((low <= 0.1) & (high >= 0.1)).mean()) == pytest.approx(0.95, abs=0.008)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_many_at_once_are_each_alone(sign):
    metric = "precision" if sign > 0 else "false_omission_rate"
    ends = [IntervalEnds(np.array([k.low]), np.array([k.high])) for k in (BEFORE, NOW)]
    low, high = drop_interval(np.array([BEFORE.value]), np.array([NOW.value]), *ends, sign)
    found = metric_drop(metric, BEFORE, NOW)
    assert (float(low[0]), float(high[0])) == (found.low, found.high)
