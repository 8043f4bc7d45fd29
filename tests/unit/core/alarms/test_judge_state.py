"""The rules of states, with cases that can be checked by hand; a floor of 80% unless said."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.core.alarms.drops import ActiveBaseline
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Limit

FLOOR = Limit("precision", floor=0.80)


def window(value, half=0.06, metric="precision"):
    result = Undefined("no label came") if value is None else IntervalEstimate(value, value - half, value + half, 99.0)
    return Estimate("lr", metric, None, result, 0 if value is None else 200, "test", 0.95)


def judged(*values, half=0.06, limit=FLOOR, first_use=1.0, margin=0.05, **facts):
    estimates = [window(value, half, limit.metric) for value in values]
    return judge_state(estimates, first_use, limit, margin, **facts)


def state(*values, **facts):
    return judged(*values, **facts).state


class TestOk:
    def test_by_this_window_alone(self):
        assert judged(0.87).reason == "87.0% (81.0 to 93.0, 95%) is proven at or above the floor of 80.0%; 200 labels"

    def test_by_the_last_four_where_one_is_too_wide(self):
        """.83 less .06/2 is .80, an end on the limit is inside; one window more to the left it is not."""
        said = judged(*[0.8301] * 4)
        assert said.state == AlarmState.OK
        assert said.reason == (
            "over the last 4 windows 83.0% (80.0 to 86.0, 95%) is proven at or above the floor of 80.0%; 800 labels"
        )
        assert state(*[0.8301] * 3) == AlarmState.UNPROVEN

    def test_by_the_last_thirteen(self):
        """.817 less .06/sqrt(13) = .0166 is inside, less .06/sqrt(12) = .0173 is not."""
        assert judged(*[0.817] * 13).reason.startswith("over the last 13 windows 81.7% (80.0 to 83.4, 95%) is proven")
        assert state(*[0.817] * 12) == AlarmState.UNPROVEN

    def test_not_where_labels_were_used_before(self):
        """Half of them: the interval of four windows is 1.44 times as wide."""
        assert state(*[0.8301] * 4, first_use=0.5) == AlarmState.UNPROVEN
        assert state(*[0.845] * 4, first_use=0.5) == AlarmState.OK

    def test_not_where_the_last_two_windows_are_outside_on_average(self):
        said = judged(*[0.90] * 11, 0.81, 0.78)
        assert said.state == AlarmState.UNPROVEN
        assert said.reason == (
            "over the last 4 windows 84.8% (81.8 to 87.8, 95%) is proven at or above the floor of 80.0%, "
            "but the last 2 windows together are not inside; 800 labels"
        )
        assert state(*[0.90] * 11, 0.83, 0.78) == AlarmState.OK

    def test_not_where_the_window_itself_shows_it_and_the_last_two_do_not(self):
        assert state(0.72, 0.87) == AlarmState.AT_RISK


class TestAtRisk:
    def test_is_a_mean_of_four_outside(self):
        said = judged(*[0.9] * 9, 0.79, 0.79, 0.79, 0.80)
        assert said.state == AlarmState.AT_RISK
        assert said.reason == (
            "over the last 4 windows 79.2% (76.2 to 82.2, 95%) is below the floor of 80.0% so far, not proven; 800 labels"
        )

    def test_also_where_the_whole_interval_is_outside_and_nobody_was_paged(self):
        assert state(*[0.7] * 4) == AlarmState.AT_RISK

    def test_ends_when_a_window_pulls_the_mean_inside(self):
        assert state(0.79, 0.79, 0.79, 0.84) == AlarmState.UNPROVEN


class TestUnproven:
    @pytest.mark.parametrize(
        ("values", "outlook"),
        [
            # six windows: .06/sqrt(6) = .0245
            ([0.825], "about 5 more windows"),
            ([0.825] * 3, "about 3 more windows"),
            ([0.825] * 5, "about 1 more window"),
            # .06/sqrt(13) = .0166
            ([0.817] * 2, "about 11 more windows"),
            ([0.8160], "not with these labels"),
            ([0.8160] * 13, "not with these labels"),
            ([0.80], "not with these labels"),
        ],
    )
    def test_says_how_many_windows_it_takes(self, values, outlook):
        said = judged(*values)
        assert said.state == AlarmState.UNPROVEN
        assert f"the floor of 80.0% so far, not proven; {outlook}; " in said.reason

    def test_takes_more_windows_where_labels_are_used_again(self):
        """The variance of the mean must be at most 4/9 of one window's: with six it is 2.34/6, with five 2.225/5."""
        assert "about 5 more windows" in judged(0.84, first_use=0.5).reason
        assert "about 2 more windows" in judged(0.84).reason


class TestBreach:
    def test_lasts_while_it_is_not_proven_inside(self):
        said = judged(0.75, 0.82, is_paged=True)
        assert said.state == AlarmState.BREACH
        assert said.reason == (
            "over the last 2 windows 78.5% (74.3 to 82.7, 95%) is below the floor of 80.0%; "
            "paged, and not proven inside since; 400 labels"
        )
        assert "is at or above the floor of 80.0%; paged" in judged(0.82, is_paged=True).reason

    def test_is_over_when_it_is_ok(self):
        assert state(0.87, is_paged=True) == AlarmState.OK
        assert state(0.72, 0.87, is_paged=True) == AlarmState.BREACH

    def test_is_not_over_without_a_value_of_this_window(self):
        assert state(0.87, 0.87, 0.87, None) == AlarmState.OK
        assert state(0.87, 0.87, 0.87, None, is_paged=True) == AlarmState.BREACH

    def test_is_not_hidden_by_a_wide_interval(self):
        assert state(0.82, half=0.2) == AlarmState.BLIND
        assert state(0.82, half=0.2, is_paged=True) == AlarmState.BREACH


class TestBlind:
    def test_is_a_mean_of_four_that_is_far_too_wide(self):
        """Three margins are .15: half of .2 is .1."""
        said = judged(0.82, half=0.2)
        assert said.state == AlarmState.BLIND
        assert "is too wide to tell (plus-minus 20.0%, more than 3 x 5.0%) about the floor of 80.0%" in said.reason
        assert state(*[0.82] * 4, half=0.2) == AlarmState.UNPROVEN

    def test_is_not_what_lies_wholly_outside(self):
        assert state(0.5, half=0.2) == AlarmState.AT_RISK

    def test_takes_two_windows_without_a_value(self):
        said = judged(0.82, 0.82, None)
        assert said.state == AlarmState.UNPROVEN
        assert said.reason.endswith("; nothing is known of this window: no label came")
        assert judged(*[0.9] * 11, None, None).reason == "cannot see: no label came"
        assert state(*[0.9] * 11, None, None) == AlarmState.BLIND
        assert state(None, is_paged=True) == AlarmState.BLIND


class TestDrop:
    LIMIT = Limit("precision", max_drop=0.05)

    def against(self, *values, windows=10, n=1e9, **facts):
        return judged(
            *values, limit=self.LIMIT, baseline=ActiveBaseline(BaselineShare(0.85, n), "May", windows), **facts
        )

    def test_is_judged_by_three_readings_too(self):
        """A baseline of 85% that is known exactly, less 5 points, is a floor of 80%."""
        said = self.against(*[0.8301] * 4)
        assert said.state == AlarmState.OK
        assert said.reason == (
            "over the last 4 windows fell by 2.0 points (-1.0 to 5.0) against the baseline of May, a fall of 5 is allowed: "
            "proven to be within; at 83.0% (80.0 to 86.0, 95%), 800 labels"
        )
        assert self.against(*[0.825] * 3).reason.startswith("over the last 3 windows fell by 2.5 points")
        assert "within so far, not proven; about 3 more windows; at" in self.against(*[0.825] * 3).reason
        assert "more so far, not proven; at" in self.against(*[0.78] * 4).reason
        assert "more; paged, and not proven inside since; at" in self.against(*[0.78] * 4, is_paged=True).reason

    def test_holds_the_baselines_uncertainty(self):
        assert self.against(*[0.8301] * 4, n=300).state == AlarmState.UNPROVEN

    def test_counts_windows_since_the_baseline_only(self):
        assert self.against(*[0.8301] * 4, windows=3).state == AlarmState.UNPROVEN
        assert self.against(*[0.5] * 6, *[0.8301] * 4, windows=4).state == AlarmState.OK

    def test_is_blind_where_no_window_since_the_baseline_has_a_value(self):
        said = self.against(0.84, None, windows=1)
        assert (said.state, said.reason.split(";")[0]) == (
            AlarmState.BLIND,
            "cannot see how far it fell: no label came",
        )

    def test_beside_a_floor_the_worse_one_decides(self):
        both = Limit("precision", floor=0.75, max_drop=0.05)
        baseline = ActiveBaseline(BaselineShare(0.85, 1e9), "May")
        assert state(*[0.82] * 4, limit=both, baseline=baseline) == AlarmState.UNPROVEN
        assert state(*[0.84] * 4, limit=both, baseline=baseline) == AlarmState.OK


# Numbers that are exact, so that neither sums nor mirrored ones are rounded.
WHOLE = 1024
VALUES = st.lists(st.integers(256, 768), min_size=1, max_size=16)
HALVES = st.integers(1, 255)
LIMITS = st.integers(260, 760)
PAGED = st.booleans()


class TestProperties:
    @given(VALUES, HALVES, LIMITS, PAGED)
    def test_a_ceiling_is_a_floor_turned_over(self, values, half, limit, is_paged):
        floor = Limit("precision", floor=limit / WHOLE)
        ceiling = Limit("precision", ceiling=1 - limit / WHOLE)
        below = [value / WHOLE for value in values]
        above = [1 - value for value in below]
        facts = {"half": half / WHOLE, "is_paged": is_paged}
        one, other = state(*below, limit=floor, **facts), state(*above, limit=ceiling, **facts)
        # A sum of many windows may be rounded the other way where it lies on the limit to the last digit.
        on_the_limit = any(abs(sum(values[-n:]) / len(values[-n:]) - limit) < 1e-9 for n in (1, 2, 4))
        assert one == other or on_the_limit

    @given(st.integers(256, 768), HALVES, LIMITS, st.floats(0, 1), st.integers(1, 12))
    def test_more_windows_like_those_before_never_make_it_worse(self, value, half, limit, first_use, windows):
        facts = {"half": half / WHOLE, "limit": Limit("precision", floor=limit / WHOLE), "first_use": first_use}
        now, later = (state(*[value / WHOLE] * number, **facts) for number in (windows, windows + 1))
        if now == AlarmState.OK:
            assert later == AlarmState.OK

    @given(st.lists(st.integers(512, 768), min_size=1, max_size=16), HALVES, st.integers(0, 128))
    def test_a_window_inside_keeps_what_stood_inside_ok(self, values, half, more):
        """All values are inside, and the interval of the next one too: then it is OK, whatever was said before."""
        facts = {"half": half / WHOLE, "limit": Limit("precision", floor=0.5)}
        assert state(*(v / WHOLE for v in values), 0.5 + (half + more + 1e-9) / WHOLE, **facts) == AlarmState.OK

    @given(VALUES, HALVES, LIMITS, PAGED)
    def test_the_page_is_all_that_makes_a_breach(self, values, half, limit, is_paged):
        found = state(
            *(value / WHOLE for value in values),
            half=half / WHOLE,
            limit=Limit("precision", floor=limit / WHOLE),
            is_paged=is_paged,
        )
        assert (found == AlarmState.BREACH) == (is_paged and found != AlarmState.OK)
        assert found in URGENCY

    @given(VALUES, HALVES, LIMITS)
    def test_a_mean_of_four_outside_is_never_called_inside_so_far(self, values, half, limit):
        found = state(
            *(value / WHOLE for value in values),
            half=half / WHOLE,
            limit=Limit("precision", floor=limit / WHOLE),
            blind_margin_factor=1e9,
        )
        mean = sum(values[-4:]) / len(values[-4:])
        assert found != AlarmState.UNPROVEN or mean >= limit - 1e-9
        assert found != AlarmState.AT_RISK or mean < limit


def test_what_is_counted_to_the_last_item_has_no_interval_and_is_ok_or_at_risk():
    exact = [replace(window(0.85), result=IntervalEstimate(0.85, 0.85, 0.85, 1e4))] * 3
    assert judge_state(exact, 1.0, FLOOR, 0.05).state == AlarmState.OK
    assert judge_state(exact, 1.0, Limit("precision", floor=0.9), 0.05).state == AlarmState.AT_RISK


class TestOutlook:
    def test_an_unproven_floor_has_the_windows_that_its_sentence_names(self):
        said = judged(*[0.8301] * 3)
        (found,) = said.outlooks
        assert (found.end, found.windows_to_ok) == ("floor", 1)
        assert f"about {found.windows_to_ok} more window;" in said.reason
        assert found.distance == pytest.approx(0.0301)
        assert found.half_width == pytest.approx(0.0301)
        assert found.reading.windows == 3

    def test_a_proven_one_needs_none(self):
        assert [one.windows_to_ok for one in judged(0.87).outlooks] == [0]

    def test_outside_no_window_and_no_half_width_proves_it(self):
        (found,) = judged(0.79).outlooks
        assert (found.windows_to_ok, found.half_width) == (None, None)
        assert found.distance == pytest.approx(-0.01)

    def test_not_with_these_labels_is_a_value(self):
        said = judged(*[0.805] * 4)
        assert "not with these labels" in said.reason
        assert [one.windows_to_ok for one in said.outlooks] == [None]

    def test_each_end_has_its_own(self):
        said = judged(0.86, limit=Limit("precision", floor=0.8, ceiling=0.99))
        assert {one.end: one.windows_to_ok for one in said.outlooks} == {"floor": 0, "ceiling": 0}

    def test_a_drop_leaves_the_width_of_its_baseline_to_the_labels(self):
        """The baseline of 900 labels at 90% is known to about 2 points; of 5 points allowed 3 are left."""
        exact = ActiveBaseline(BaselineShare(0.9, 900), "2026-01-05")
        limit = Limit("precision", max_drop=0.05)
        (found,) = judged(0.88, limit=limit, baseline=exact).outlooks
        assert found.end == "max_drop"
        assert 0 < found.half_width < found.distance

    @pytest.mark.parametrize(
        ("value", "low", "high", "limit"),
        [
            (0.96, 0.90, 0.98, Limit("precision", floor=0.93)),
            (0.96, 0.93, 0.97, Limit("precision", ceiling=0.965)),
            (0.04, 0.02, 0.10, Limit("false_omission_rate", ceiling=0.07)),
        ],
    )
    def test_an_interval_of_that_shape_and_width_is_just_proven_inside(self, value, low, high, limit):
        """Near 0 and 1 one arm is the longer: the one towards the limit decides."""

        def of(share):
            shaped = IntervalEstimate(value, value - share * (value - low), value + share * (high - value), 99.0)
            one = replace(window(value, metric=limit.metric), result=shaped)
            return judge_state([one], 1.0, limit, 0.05), shaped.half_width

        (found,) = of(1.0)[0].outlooks
        share = found.half_width / of(1.0)[1]
        assert of(share - 1e-9)[0].state == AlarmState.OK
        assert of(share + 1e-6)[0].state == AlarmState.UNPROVEN

    def test_so_is_one_of_a_drop_that_leaves_the_width_of_its_baseline(self):
        exact = ActiveBaseline(BaselineShare(0.97, 900), "2026-01-05")
        limit = Limit("precision", max_drop=0.05)

        def of(share):
            shaped = IntervalEstimate(0.96, 0.96 - share * 0.06, 0.96 + share * 0.02, 99.0)
            return judge_state([replace(window(0.96), result=shaped)], 1.0, limit, 0.05, baseline=exact)

        (found,) = of(1.0).outlooks
        share = found.half_width / 0.04
        assert of(share - 1e-9).state == AlarmState.OK
        assert of(share + 1e-6).state == AlarmState.UNPROVEN

    def test_says_that_the_last_two_windows_are_all_that_lacks(self):
        fell, not_proven = judged(*[0.90] * 11, 0.81, 0.78), judged(*[0.8301] * 3)
        assert [one.fell_lately for said in (fell, not_proven) for one in said.outlooks] == [True, False]

    def test_a_breach_that_is_inside_again_says_when_it_ends(self):
        (found,) = judged(*[0.8301] * 3, is_paged=True).outlooks
        assert found.windows_to_ok == 1
