import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.drops import ActiveBaseline
from stratawatch.core.alarms.least_precise import is_precise_enough
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Limit
from tests.support.judging import judge_alone

DROP = Limit("precision", max_drop=0.02)
SURE = ActiveBaseline(BaselineShare(0.80, 1e9), "2026-08-01")


def estimate(value, low, high, confidence=0.95, metric="precision"):
    return Estimate("lr", metric, None, IntervalEstimate(value, low, high, 100.0), 214, "test", confidence)


def judged(ordinary, page, limit=DROP, baseline=SURE, margin=0.03):
    now, wide = (estimate(*ends, conf, limit.metric) for ends, conf in ((ordinary, 0.95), (page, 0.995)))
    return judge_alone(now, wide, limit, margin, baseline=baseline)


class TestAgainstABaselineThatIsKnownExactly:
    """Then the drop's interval is the current one's, and 80% less 2 points is a floor of 78%."""

    def test_breach_needs_the_wide_interval_beyond_what_is_allowed(self):
        said = judged((0.70, 0.66, 0.74), (0.70, 0.63, 0.77))
        assert said.state == AlarmState.BREACH
        assert said.reason == (
            "fell by 10.0 points (6.0 to 14.0) against the baseline of 2026-08-01, a fall of 2 is allowed: proven to be "
            "more (at least 3.0 with 99.5% confidence); now 70.0% (66.0 to 74.0, 95%), 214 labels"
        )

    def test_the_ordinary_interval_alone_proves_no_breach(self):
        said = judged((0.72, 0.67, 0.77), (0.72, 0.64, 0.80))
        assert said.state == AlarmState.AT_RISK
        assert "fell by 8.0 points (3.0 to 13.0)" in said.reason
        assert "a fall of 2 is allowed: more so far, not proven; now" in said.reason

    def test_a_rise_is_told_as_one(self):
        said = judged((0.83, 0.80, 0.86), (0.83, 0.78, 0.88))
        assert said.state == AlarmState.OK
        assert said.reason.startswith(
            "rose by 3.0 points (0.0 to 6.0) against the baseline of 2026-08-01, a fall of 2 is allowed: "
            "proven to be within; now"
        )

    def test_unproven_is_a_small_drop_with_an_interval_across(self):
        said = judged((0.79, 0.76, 0.82), (0.79, 0.74, 0.84))
        assert (said.state, "fell by 1.0 points (-2.0 to 4.0)" in said.reason) == (AlarmState.UNPROVEN, True)

    def test_a_drop_of_exactly_what_is_allowed_at_worst_is_ok(self):
        ends = (0.85, 0.7800001, 0.92)
        assert judged(ends, ends).state == AlarmState.OK

    @pytest.mark.parametrize(
        ("ordinary", "page", "state", "words"),
        [
            ((0.06, 0.05, 0.07), (0.06, 0.045, 0.075), AlarmState.BREACH, "rose by 5.0 points"),
            ((0.04, 0.025, 0.055), (0.04, 0.02, 0.06), AlarmState.AT_RISK, "rose by 3.0 points"),
            ((0.015, 0.011, 0.019), (0.015, 0.01, 0.02), AlarmState.OK, "rose by 0.50 points (0.10 to 0.90)"),
            ((0.002, 0.001, 0.003), (0.002, 0.001, 0.003), AlarmState.OK, "fell by 0.80 points (0.70 to 0.90)"),
        ],
    )
    def test_where_small_is_good_a_rise_is_what_is_limited(self, ordinary, page, state, words):
        limit = Limit("false_omission_rate", max_drop=0.02)
        said = judged(ordinary, page, limit, ActiveBaseline(BaselineShare(0.01, 1e10), "2026-08-01"))
        assert (said.state, words in said.reason) == (state, True), said.reason
        assert " against the baseline of 2026-08-01, a rise of 2 is" in said.reason


class TestAgainstAnUncertainBaseline:
    def test_the_same_drop_is_proven_by_a_long_one_and_not_by_a_short_one(self):
        ends = (0.72, 0.70, 0.74), (0.72, 0.69, 0.75)
        by_labels = {
            n: judged(*ends, baseline=ActiveBaseline(BaselineShare(0.80, n), "2026-08-01")).state
            for n in (50, 400, 1e4)
        }
        assert by_labels == {50: AlarmState.BLIND, 400: AlarmState.AT_RISK, 1e4: AlarmState.BREACH}

    def test_its_interval_is_made_at_the_confidence_of_each_test(self):
        """With 700 labels the drop's 95% interval lies beyond 2 points, that of a page does not."""
        baseline, now = ActiveBaseline(BaselineShare(0.80, 700), "2026-08-01"), IntervalEstimate(0.74, 0.73, 0.75, 1e4)
        assert baseline.drop_to("precision", now, 0.95).low > 0.02 > baseline.drop_to("precision", now, 0.995).low
        assert judged((0.74, 0.73, 0.75), (0.74, 0.73, 0.75), baseline=baseline).state == AlarmState.AT_RISK

    def test_of_two_sides_serves_as_well(self):
        both = TwoSampleBaseline(
            "recall", BaselineShare(0.8, 1000), BaselineShare(0.01, 9000), called_size=1000, passed_size=9000
        )
        said = judged(
            (0.5, 0.45, 0.55), (0.5, 0.4, 0.6), Limit("recall", max_drop=0.1), ActiveBaseline(both, "2026-08-01")
        )
        assert said.state == AlarmState.BREACH

    def test_too_wide_to_tell_is_blind_and_says_how_wide(self):
        said = judged(
            (0.80, 0.74, 0.86), (0.80, 0.7, 0.9), baseline=ActiveBaseline(BaselineShare(0.80, 100), "2026-08-01")
        )
        assert said.state == AlarmState.BLIND
        assert "too wide to tell (plus-minus 9.8, more than 9.0); now 80.0%" in said.reason

    def test_but_a_wide_interval_that_proves_something_is_not_blind(self):
        baseline = ActiveBaseline(BaselineShare(0.80, 60), "2026-08-01")
        assert judged((0.3, 0.2, 0.4), (0.3, 0.15, 0.45), baseline=baseline).state == AlarmState.BREACH
        assert judged((0.5, 0.4, 0.6), (0.5, 0.1, 0.9), baseline=baseline).state == AlarmState.AT_RISK


class TestWithoutABaseline:
    def test_is_blind_and_says_why(self):
        said = judged((0.8, 0.75, 0.85), (0.8, 0.7, 0.9), baseline=Undefined("no baseline is in force; measure one"))
        assert said.state == AlarmState.BLIND
        assert said.reason == "cannot see how far it fell: no baseline is in force; measure one"

    def test_what_is_allowed_is_told_to_the_last_digit(self):
        ends = (0.02, 0.01, 0.03)
        limit = Limit("false_omission_rate", max_drop=0.0025)
        assert (
            " a rise of 0.25 is allowed: "
            in judged(ends, ends, limit, ActiveBaseline(BaselineShare(0.01, 1e10), "then")).reason
        )

    def test_where_small_is_good_cannot_tell_a_rise(self):
        limit, ends = Limit("false_omission_rate", max_drop=0.02), (0.01, 0.005, 0.015)
        said = judged(ends, ends, limit, Undefined("no baseline is in force"))
        assert said.reason == "cannot see how far it rose: no baseline is in force"

    def test_an_estimate_that_is_undefined_says_so_first(self):
        blind = Estimate("lr", "precision", None, Undefined("it calls no item positive"), 0, "test", 0.95)
        said = judge_alone(blind, blind, DROP, 0.03)
        assert said.reason == "cannot see: it calls no item positive"


class TestBesideAFloor:
    BOTH = Limit("precision", floor=0.75, max_drop=0.02)

    @pytest.mark.parametrize(
        ("ends", "state", "words"),
        [
            ((0.765, 0.755, 0.775), AlarmState.BREACH, "of 2 is allowed"),  # above the floor, and fallen
            ((0.82, 0.79, 0.85), AlarmState.OK, "floor of 75.0%"),
            ((0.79, 0.76, 0.82), AlarmState.UNPROVEN, "of 2 is allowed"),  # surely above the floor
        ],
    )
    def test_the_worse_of_the_two_decides(self, ends, state, words):
        said = judged(ends, ends, self.BOTH)
        assert (said.state, words in said.reason) == (state, True), said.reason

    def test_the_floor_decides_where_the_drop_is_allowed(self):
        said = judged(
            (0.70, 0.68, 0.72), (0.70, 0.67, 0.73), self.BOTH, ActiveBaseline(BaselineShare(0.70, 1e6), "2026-08-01")
        )
        assert (said.state, "below the floor of 75.0%" in said.reason) == (AlarmState.BREACH, True)

    def test_without_a_baseline_a_proven_violation_of_the_floor_still_pages(self):
        none = Undefined("no baseline is in force")
        assert judged((0.6, 0.55, 0.65), (0.6, 0.52, 0.68), self.BOTH, none).state == AlarmState.BREACH
        assert judged((0.9, 0.85, 0.95), (0.9, 0.82, 0.98), self.BOTH, none).state == AlarmState.BLIND

    def test_it_is_two_tests(self):
        assert (self.BOTH.tests, DROP.tests, Limit("precision").tests) == (2, 1, 0)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0, 1), st.floats(1, 1e6), st.floats(0.001, 0.5))
def test_every_estimate_gets_the_state_that_its_drop_supports(ends, was, n, max_drop):
    low, value, high = sorted(ends)
    baseline = ActiveBaseline(BaselineShare(was, n), "2026-08-01")
    fell = baseline.drop_to("precision", IntervalEstimate(value, low, high, 9.0), 0.95)
    said = judge_alone(
        estimate(value, low, high),
        estimate(value, low, high),
        Limit("precision", max_drop=max_drop),
        0.03,
        baseline=baseline,
    )
    narrow = is_precise_enough(IntervalEstimate(value, low, high, 9.0), max(was - max_drop, 0.0), 0.95)
    assert (said.state == AlarmState.BREACH) == (fell.low > max_drop and narrow)
    assert (said.state == AlarmState.OK) == (fell.high <= max_drop)


def test_an_estimate_beside_its_interval_by_a_hair_is_judged_all_the_same():
    assert judged((0.8, 0.8 + 1e-15, 0.9), (0.8, 0.7, 0.9)).state == AlarmState.OK
