"""Numbers and times as people read them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from stratawatch.engine.model.panel_spec import Window
from stratawatch.report.wording import metric_name, percent, plural, points, span, when


class TestPercent:
    @pytest.mark.parametrize(
        ("value", "text"),
        [(0.0, "0%"), (1.0, "100%"), (0.5, "50.0%"), (0.0999, "9.99%"), (0.0004, "0.04%"), (0.9996, "100.0%")],
    )
    def test_has_the_decimals_its_size_needs(self, value, text):
        assert percent(value) == text


class TestPoints:
    @pytest.mark.parametrize(
        ("change", "text"), [(0.0, "±0.0 pts"), (-0.05, "−5.0 pts"), (0.0123, "+1.2 pts"), (-0.0004, "−0.04 pts")]
    )
    def test_has_a_sign_and_enough_decimals(self, change, text):
        assert points(change) == text


class TestTimes:
    def test_a_moment_carries_its_offset(self):
        assert when(datetime(2026, 3, 1, 7, 5, tzinfo=UTC)) == "2026-03-01 07:05 +00:00"
        assert when(datetime(2026, 3, 1, 7, 5, tzinfo=timezone(timedelta(hours=5.5)))) == "2026-03-01 07:05 +05:30"

    def test_a_window_of_days_needs_no_hours(self):
        start = datetime(2026, 3, 1, tzinfo=UTC)
        assert span(Window(start, start + timedelta(days=7))) == "2026-03-01 to 2026-03-08"

    def test_a_window_of_hours_has_them(self):
        start = datetime(2026, 3, 1, tzinfo=UTC)
        assert span(Window(start, start + timedelta(hours=6))) == "2026-03-01 00:00 to 2026-03-01 06:00"


class TestNames:
    def test_metrics_are_headings(self):
        assert [metric_name(m) for m in ("precision", "false_omission_rate", "my_own")] == [
            "Precision",
            "False-omission rate",
            "My own",
        ]

    def test_one_is_not_plural(self):
        assert [plural(n, "cycle") for n in (0, 1, 1200)] == ["0 cycles", "1 cycle", "1,200 cycles"]


def test_doctests_of_the_report_hold():
    import doctest
    from importlib import import_module

    for name in ("wording", "scores", "costs", "view_models"):
        result = doctest.testmod(import_module(f"stratawatch.report.{name}"))
        assert result.attempted > 0, name
        assert result.failed == 0, name
