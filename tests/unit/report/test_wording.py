"""Names and windows on the pages."""

from datetime import UTC, datetime, timedelta

from stratawatch.engine.model.panel_spec import Window
from stratawatch.report.wording import metric_name, span


class TestTimes:
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
