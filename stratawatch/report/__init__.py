"""The weekly health report: view models, charts, pages, and who is sent what they say."""

from stratawatch.report.delivery import deliver
from stratawatch.report.publish import write, write_reports
from stratawatch.report.view import build

__all__ = ["build", "deliver", "write", "write_reports"]
