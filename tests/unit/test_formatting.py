"""Numbers and times as people read them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from stratawatch.formatting import (
    count_text,
    interval_text,
    minute_with_offset,
    percent,
    printable,
    signed_points,
    span_text,
)

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


class TestPercent:
    @pytest.mark.parametrize(
        ("value", "text"),
        [(0.0, "0%"), (1.0, "100%"), (0.5, "50.0%"), (0.0999, "9.99%"), (0.0004, "0.04%"), (0.9996, "100.0%")],
    )
    def test_has_the_decimals_its_size_needs(self, value, text):
        assert percent(value) == text

    @pytest.mark.parametrize(
        ("half_width", "text"), [(0.02, "5.1%"), (0.005, "5.1%"), (0.004, "5.12%"), (0.0004, "5.123%")]
    )
    def test_beside_an_interval_has_the_decimals_of_its_half_width(self, half_width, text):
        assert percent(0.05123, half_width) == text

    def test_both_ends_of_an_interval_have_the_same_decimals(self):
        assert interval_text(0.0312, 0.12) == "3.1% to 12.0%"


class TestPoints:
    @pytest.mark.parametrize(
        ("change", "text"), [(0.0, "±0.0 pts"), (-0.05, "−5.0 pts"), (0.0123, "+1.2 pts"), (-0.0004, "−0.04 pts")]
    )
    def test_has_a_sign_and_enough_decimals(self, change, text):
        assert signed_points(change) == text


class TestTimes:
    def test_a_moment_carries_its_offset(self):
        assert minute_with_offset(datetime(2026, 3, 1, 7, 5, tzinfo=UTC)) == "2026-03-01 07:05 +00:00"
        assert (
            minute_with_offset(datetime(2026, 3, 1, 7, 5, tzinfo=timezone(timedelta(hours=5.5))))
            == "2026-03-01 07:05 +05:30"
        )


class TestSpanText:
    def test_days_where_both_ends_are_midnights(self):
        assert span_text(MONDAY, MONDAY + timedelta(days=7)) == "2026-01-05 to 2026-01-12"

    @pytest.mark.parametrize(("start", "end"), [(0, 30), (-30, 0)])
    def test_times_where_one_end_is_not(self, start, end):
        text = span_text(MONDAY + timedelta(minutes=start), MONDAY + timedelta(minutes=end))
        assert (
            text
            == f"{MONDAY + timedelta(minutes=start):%Y-%m-%d %H:%M} to {MONDAY + timedelta(minutes=end):%Y-%m-%d %H:%M}"
        )


def test_control_characters_are_shown_and_never_obeyed():
    shown = printable("a\x1b[2Jb\r\x07\u202ec")
    assert shown.isprintable()
    assert all(letter in shown for letter in "abc")


def test_one_is_not_plural():
    assert [count_text(n, "cycle") for n in (0, 1, 1200)] == ["0 cycles", "1 cycle", "1,200 cycles"]
