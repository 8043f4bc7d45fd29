import re
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.alarms.alarm_states import AlarmState, Judgement
from stratawatch.core.alarms.judge import judge_missing, page_by_window, page_confidence
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.alarms.least_precise import is_precise_enough
from stratawatch.core.designs.missing_bounds import MissingBounds
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Limit
from stratawatch.errors import StratawatchError
from tests.support.judging import judge_alone

FLOOR = Limit("precision", floor=0.80)
CEILING = Limit("false_omission_rate", ceiling=0.01)


def estimate(value, low, high, confidence=0.95, labels=214):
    return Estimate("lr", "precision", None, IntervalEstimate(value, low, high, 100.0), labels, "test", confidence)


def judged(ordinary, page, limit=FLOOR, margin=0.03):
    return judge_alone(estimate(*ordinary), estimate(*page, confidence=0.995), limit, margin)


class TestTheFirstWindow:
    def test_breach_needs_the_wide_interval_beyond_the_limit(self):
        said = judged((0.712, 0.66, 0.76), (0.712, 0.64, 0.779))
        assert said.state == AlarmState.BREACH
        assert said.reason == (
            "71.2% (66.0 to 76.0, 95%) is proven below the floor of 80.0% (at most 77.9% with 99.5% confidence); 214 labels"
        )

    def test_the_ordinary_interval_alone_proves_no_breach(self):
        said = judged((0.75, 0.71, 0.79), (0.75, 0.69, 0.81))
        assert said.state == AlarmState.AT_RISK
        assert said.reason == "75.0% (71.0 to 79.0, 95%) is below the floor of 80.0% so far, not proven; 214 labels"

    def test_ok_is_the_ordinary_interval_wholly_inside(self):
        assert judged((0.85, 0.81, 0.89), (0.85, 0.78, 0.9)).state == AlarmState.OK

    def test_an_end_on_the_limit_is_inside(self):
        assert judged((0.85, 0.80, 0.89), (0.85, 0.78, 0.9)).state == AlarmState.OK

    def test_unproven_is_a_value_inside_with_an_interval_across(self):
        assert judged((0.82, 0.78, 0.86), (0.82, 0.76, 0.88)).state == AlarmState.UNPROVEN

    def test_undefined_is_blind_and_says_why(self):
        blind = Estimate("lr", "precision", None, Undefined("it calls no item positive"), 0, "test", 0.95)
        said = judge_alone(blind, blind, FLOOR, 0.03)
        assert said.state == AlarmState.BLIND
        assert said.reason == "cannot see: it calls no item positive"

    def test_an_interval_across_the_limit_that_is_far_too_wide_is_blind(self):
        said = judged((0.85, 0.70, 0.95), (0.85, 0.6, 0.97))
        assert said.state == AlarmState.BLIND
        assert "plus-minus 12.5%, more than 3 x 3.0%" in said.reason

    def test_a_wide_interval_that_proves_something_is_not_blind(self):
        assert judged((0.3, 0.1, 0.5), (0.3, 0.05, 0.6)).state == AlarmState.BREACH
        assert judged((0.9, 0.81, 0.99), (0.9, 0.7, 1.0), margin=0.01).state == AlarmState.OK

    def test_blind_begins_above_the_stated_multiple_of_the_margin(self):
        ordinary, page = estimate(0.85, 0.75, 0.93), estimate(0.85, 0.7, 0.95)
        assert judge_alone(ordinary, page, FLOOR, 0.03, blind_margin_factor=2.9).state == AlarmState.BLIND
        assert judge_alone(ordinary, page, FLOOR, 0.03, blind_margin_factor=3.1).state == AlarmState.UNPROVEN

    @pytest.mark.parametrize(
        ("ordinary", "page", "state"),
        [
            ((0.02, 0.015, 0.026), (0.02, 0.012, 0.03), AlarmState.BREACH),
            ((0.02, 0.011, 0.03), (0.02, 0.009, 0.04), AlarmState.AT_RISK),
            ((0.008, 0.005, 0.013), (0.008, 0.004, 0.02), AlarmState.UNPROVEN),
            ((0.004, 0.002, 0.008), (0.004, 0.001, 0.012), AlarmState.OK),
        ],
    )
    def test_a_ceiling_is_a_floor_turned_over(self, ordinary, page, state):
        assert judged(ordinary, page, CEILING).state == state

    def test_small_rates_are_told_with_more_digits(self):
        said = judged((0.0042, 0.0031, 0.0058), (0.0042, 0.0025, 0.007), CEILING)
        assert said.reason.startswith("0.42% (0.31 to 0.58, 95%) is proven at or below the ceiling of 1.00%")

    def test_of_two_ends_the_nearer_one_is_judged(self):
        both = Limit("precision", floor=0.2, ceiling=0.8)
        assert judged((0.9, 0.85, 0.95), (0.9, 0.82, 0.97), both).state == AlarmState.BREACH
        assert judged((0.1, 0.05, 0.15), (0.1, 0.02, 0.19), both).state == AlarmState.BREACH
        assert judged((0.5, 0.4, 0.6), (0.5, 0.3, 0.7), both).state == AlarmState.OK

    @pytest.mark.parametrize(
        ("ordinary", "page", "state", "end"),
        [
            (
                (0.40, 0.25, 0.85),
                (0.40, 0.22, 0.9),
                AlarmState.UNPROVEN,
                "ceiling",
            ),  # nearer to the floor, proven there
            ((0.60, 0.15, 0.75), (0.60, 0.1, 0.79), AlarmState.UNPROVEN, "floor"),
            ((0.19, 0.05, 0.85), (0.19, 0.01, 0.9), AlarmState.AT_RISK, "floor"),
            ((0.15, 0.1, 0.19), (0.15, 0.05, 0.81), AlarmState.AT_RISK, "floor"),
        ],
    )
    def test_of_two_ends_the_more_urgent_one_decides(self, ordinary, page, state, end):
        said = judged(ordinary, page, Limit("precision", floor=0.2, ceiling=0.8), margin=0.3)
        assert said.state == state
        assert f"the {end} of" in said.reason

    @given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0, 0.5), st.floats(0.5, 1))
    def test_ok_about_two_ends_is_an_interval_between_them(self, ends, floor, ceiling):
        low, value, high = sorted(ends)
        same = estimate(value, low, high)
        said = judge_alone(same, same, Limit("precision", floor=floor, ceiling=ceiling), 0.03)
        assert (said.state == AlarmState.OK) == (floor <= low and high <= ceiling)
        narrow = is_precise_enough(same.result, floor if high < floor else ceiling, same.confidence)
        assert (said.state == AlarmState.BREACH) == ((high < floor or low > ceiling) and narrow)

    def test_a_limit_without_an_end_is_refused(self):
        with pytest.raises(StratawatchError, match="no end; expected a floor or a ceiling"):
            judged((0.5, 0.4, 0.6), (0.5, 0.3, 0.7), Limit("precision"))

    @given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0, 1), st.floats(0.001, 0.2))
    def test_every_estimate_gets_a_state_that_its_value_supports(self, ends, floor, margin):
        low, value, high = sorted(ends)
        same = estimate(value, low, high)
        said = judge_alone(same, same, Limit("precision", floor=floor), margin)
        narrow = is_precise_enough(same.result, floor, same.confidence)
        assert (said.state == AlarmState.BREACH) == (high < floor and narrow)
        assert (said.state == AlarmState.OK) == (low >= floor)
        assert re.search(r"\d+ labels$", said.reason)


class TestAWindowByItself:
    """Where one or two labels of large strata decide, an interval is wide, and its far tail not what it says."""

    LIMIT = Limit("recall", floor=0.96)

    @pytest.mark.parametrize(("low", "pages"), [(0.2, False), (0.22, True)])
    def test_pages_only_where_it_is_as_precise_as_five_random_labels(self, low, pages):
        ordinary, page = (Estimate("lr", "recall", None, IntervalEstimate(0.8, low, 0.955, 1), 30, "t", 0.999),) * 2
        assert bool(page_by_window(ordinary, page, self.LIMIT)) is pages

    def test_pages_where_nothing_is_left_whatever_the_variance_there_says(self):
        ordinary, page = (Estimate("lr", "recall", None, IntervalEstimate(0.0005, 0, 0.3, 0.8), 30, "t", 0.999),) * 2
        assert page_by_window(ordinary, page, self.LIMIT)

    @pytest.mark.parametrize(("high", "pages"), [(0.09, True), (0.9, False)])
    def test_a_rare_share_that_rose_is_judged_by_where_it_stands(self, high, pages):
        found = IntervalEstimate(0.02, 0.002, high, 30)
        one = Estimate("lr", "false_omission_rate", None, found, 200, "t", 0.999)
        assert bool(page_by_window(one, one, Limit("false_omission_rate", ceiling=0.001))) is pages


class TestMissingAnswers:
    """15 of 30 answers are missing: the interval explains little of the span, and the assumption carries too much."""

    IN_DOUBT = MissingBounds(lowest=0.55, highest=0.95, low=0.45, high=0.97, missing=20, drawn=30)
    SURE = MissingBounds(lowest=0.4, highest=0.75, low=0.3, high=0.79, missing=20, drawn=30)
    LOW, PAGE = estimate(0.7, 0.66, 0.74), estimate(0.7, 0.64, 0.77, 0.995)

    def test_leave_a_page_out_that_their_span_does_not_prove(self):
        assert page_by_window(self.LOW, self.PAGE, FLOOR).startswith("70.0% (66.0 to 74.0, 95%) is proven below")
        assert page_by_window(self.LOW, self.PAGE, FLOOR, bounds=self.IN_DOUBT) == ""
        proven = page_by_window(self.LOW, self.PAGE, FLOOR, bounds=self.SURE)
        assert proven.endswith("214 labels; so it is however the missing answers had come out")

    def test_blind_whatever_the_windows_before_have_proven(self):
        ok = Judgement(AlarmState.OK, "over the last 4 windows it is fine")
        said = judge_missing(ok, estimate(0.85, 0.82, 0.88), FLOOR, self.IN_DOUBT, None)
        assert said.state == AlarmState.BLIND
        assert "most answers are missing" in said.reason

    def test_change_nothing_where_even_their_span_keeps_the_limit(self):
        ok = Judgement(AlarmState.OK, "it is fine")
        kept = MissingBounds(lowest=0.83, highest=0.95, low=0.81, high=0.99, missing=20, drawn=30)
        assert judge_missing(ok, estimate(0.85, 0.83, 0.87), FLOOR, kept, None).state == AlarmState.OK

    def test_leave_its_outlooks_where_they_leave_its_state(self):
        one = estimate(0.85, 0.83, 0.87)
        ok = judge_state([one], 1.0, FLOOR, 0.03)
        kept = MissingBounds(lowest=0.83, highest=0.95, low=0.81, high=0.99, missing=20, drawn=30)
        assert judge_missing(ok, one, FLOOR, kept, None).outlooks == ok.outlooks != ()


class TestPageConfidence:
    def test_spends_the_promise_over_streams_and_periods(self):
        assert page_confidence(8, 52, 1.0) == pytest.approx(1 - 2 / 416)

    def test_a_chance_of_a_false_page_below_the_promise(self):
        streams, periods, pages = 30, 365, 0.5
        tail = (1 - page_confidence(streams, periods, pages)) / 2
        assert streams * periods * tail == pytest.approx(pages)

    def test_is_never_below_the_ordinary_confidence(self):
        assert page_confidence(1, 4, 100.0) == 0.95

    def test_is_never_certain(self):
        assert page_confidence(10**6, 10**6, 0.0) < 1
        assert page_confidence(1, inf, 1.0) < 1
