"""Windows neither overlap nor leave gaps, and open once they are over."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from stratawatch.engine.model.panel_spec import WindowRule
from stratawatch.engine.model.windows import due_periods, newest_ended_period, window_of_period

START = datetime(2026, 1, 5, tzinfo=UTC)
RULE = WindowRule(START, timedelta(days=7), lateness=timedelta(hours=2))


class TestWindows:
    @given(period=st.integers(0, 5000), hours=st.integers(1, 1000))
    def test_each_begins_where_the_last_one_ended(self, period, hours):
        rule = WindowRule(START, timedelta(hours=hours))
        assert window_of_period(rule, period).end == window_of_period(rule, period + 1).start

    def test_have_the_same_length_when_clocks_change(self):
        rule = WindowRule(datetime(2026, 3, 28, tzinfo=UTC), timedelta(days=1))
        berlin_spring = window_of_period(rule, 1)
        assert berlin_spring.end - berlin_spring.start == timedelta(hours=24)

    def test_counted_from_a_start_in_a_zone_that_changes_its_clocks_keep_their_length(self):
        rule = WindowRule(datetime(2026, 3, 28, tzinfo=ZoneInfo("Europe/Berlin")), timedelta(hours=23))
        lengths = {window_of_period(rule, period).end - window_of_period(rule, period).start for period in range(9)}
        assert lengths == {timedelta(hours=23)}
        assert newest_ended_period(rule, window_of_period(rule, 5).end.astimezone(ZoneInfo("Europe/Berlin"))) == 5

    def test_say_their_offset(self):
        assert str(window_of_period(RULE, 0)) == "[2026-01-05 00:00, 2026-01-12 00:00) +00:00"


class TestDue:
    def test_not_before_the_lateness_has_passed(self):
        end = START + timedelta(days=7)
        assert newest_ended_period(RULE, end + timedelta(hours=1, minutes=59)) == -1
        assert newest_ended_period(RULE, end + timedelta(hours=2)) == 0

    def test_nothing_before_the_start(self):
        assert list(due_periods(RULE, START - timedelta(days=30), -1)) == []

    def test_past_windows_in_order(self):
        assert list(due_periods(RULE, START + timedelta(days=30), 0)) == [1, 2, 3]

    def test_the_same_moment_in_another_zone_is_the_same(self):
        moment = (START + timedelta(days=15)).astimezone(timezone(timedelta(hours=9)))
        assert list(due_periods(RULE, moment, -1)) == [0, 1]
