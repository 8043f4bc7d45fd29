from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.engine.span import span_text

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


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
