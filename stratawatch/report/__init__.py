"""The weekly health report: view models, charts, pages."""

from stratawatch.report.publish import write
from stratawatch.report.view import build

__all__ = ["build", "write"]
