"""The flow that writes the health report of every panel, and tells the channels that ask for it."""

from datetime import datetime
from pathlib import Path

from prefect import flow

from flows.artifacts import show_report
from stratawatch.settings.revealed_secrets import hiding_secrets
from stratawatch.wiring import build
from tasks.policy import LONGEST_RUN, sealed
from tasks.write_report import write_report


@flow(name="weekly-report", persist_result=False, timeout_seconds=LONGEST_RUN)
@hiding_secrets
def weekly_report(config: str = "stratawatch.toml", now: datetime | None = None) -> Path:
    """Write the report and link to it; returns its path."""
    installation = build(config, now)
    settings = installation.settings.report
    path = write_report(
        sealed(installation.ports),
        installation.panels,
        installation.report_folder,
        installation.configuration.folder,
        smallest_cell=settings.smallest_cell,
        with_pictures=settings.png,
    )
    show_report(installation.ports, path, installation.report_folder, settings.url)
    return path
