from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.errors import StratawatchError

shares = st.floats(0.01, 0.99)
labels = st.integers(5, 500)
sizes = st.floats(500, 1e6)


class TestShare:
    def test_it_counts_as_many_labels_as_it_was_given(self):
        known = BaselineShare(0.8, 62.5).interval_at(0.95)
        assert (known.value, known.n_eff) == (0.8, 62.5)

    @pytest.mark.parametrize(("value", "n"), [(1.2, 10), (-0.1, 10), (0.5, 0), (float("nan"), 10)])
    def test_what_is_none_is_refused(self, value, n):
        with pytest.raises(StratawatchError, match="this is no share of labels"):
            BaselineShare(value, n)


CALLED, PASSED = BaselineShare(0.8, 100), BaselineShare(0.02, 400)


def both(metric="recall", called=CALLED, passed=PASSED):
    return TwoSampleBaseline(metric, called, passed, called_size=1000, passed_size=9000)


class TestTwoSides:
    def test_recall_by_hand(self):
        """TP 800, FN 180 with Wilson's ends: the odds' ends are the roots of Fieller's kind that MOVER-R solves."""
        called, passed = CALLED.interval_at(0.95), PASSED.interval_at(0.95)
        tp, l1, u1 = (1000 * x for x in (called.value, called.low, called.high))
        fn, l2, u2 = (9000 * x for x in (passed.value, passed.low, passed.high))
        low = (tp * fn - sqrt((tp * fn) ** 2 - l1 * u2 * (2 * tp - l1) * (2 * fn - u2))) / (u2 * (2 * fn - u2))
        high = (tp * fn + sqrt((tp * fn) ** 2 - u1 * l2 * (2 * tp - u1) * (2 * fn - l2))) / (l2 * (2 * fn - l2))
        known = both().interval_at(0.95)
        assert known.value == pytest.approx(800 / 980)
        assert (known.low, known.high) == pytest.approx((low / (1 + low), high / (1 + high)))

    def test_accuracy_by_hand(self):
        """.1 x .8 + .9 x .98 = .962; each end is the root of the sum of both squared distances."""
        called, passed = CALLED.interval_at(0.95), PASSED.interval_at(0.95)
        down = sqrt((0.1 * (0.8 - called.low)) ** 2 + (0.9 * (passed.high - 0.02)) ** 2)
        up = sqrt((0.1 * (called.high - 0.8)) ** 2 + (0.9 * (0.02 - passed.low)) ** 2)
        known = both("accuracy").interval_at(0.95)
        assert (known.value, known.low, known.high) == pytest.approx((0.962, 0.962 - down, 0.962 + up))

    def test_no_miss_found_does_not_prove_that_there_is_none(self):
        known = both(passed=BaselineShare(0.0, 400)).interval_at(0.95)
        assert known.value == known.high == 1.0
        assert known.low < 0.95
        assert known.n_eff == 100

    def test_no_hit_found(self):
        known = both(called=BaselineShare(0.0, 100)).interval_at(0.95)
        assert known.value == known.low == 0.0
        assert known.high > 0.1

    def test_n_eff_would_give_an_interval_about_as_long(self):
        known = both().interval_at(0.95)
        plain = BaselineShare(known.value, known.n_eff).interval_at(0.95)
        assert plain.half_width == pytest.approx(known.half_width, rel=0.05)

    def test_another_metric_is_refused(self):
        with pytest.raises(StratawatchError, match="'precision' is not of two sides; expected one of recall, accuracy"):
            both("precision")


@given(st.sampled_from(["recall", "accuracy"]), shares, shares, labels, labels, sizes, sizes)
def test_the_interval_holds_the_value_and_grows_with_the_confidence(metric, p, f, n, m, called, passed):
    evidence = TwoSampleBaseline(metric, BaselineShare(p, n), BaselineShare(f, m), called, passed)
    narrow, wide = evidence.interval_at(0.9), evidence.interval_at(0.99)
    assert 0 <= wide.low <= narrow.low + 1e-9
    assert narrow.low <= narrow.value <= narrow.high
    assert narrow.high - 1e-9 <= wide.high <= 1
