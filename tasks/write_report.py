"""Write the report page, and put word of it into the outbox."""

from collections.abc import Mapping
from pathlib import Path

from prefect import get_run_logger

from stratawatch import report
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="write the report")
def write_report(
    ports: Ports,
    panels: Mapping[str, PanelSpec],
    folder: Path,
    home: Path,
    *,
    smallest_cell: int = 0,
    with_pictures: bool = False,
) -> Path:
    """Write the page of all panels, below the configuration's folder `home`; returns its path.

    Channels that ask for reports are told once a week, by the next advance.
    """
    now = ports.clock.now()
    written = report.write_reports(
        ports.store,
        panels,
        folder,
        now,
        paused=ports.paused,
        links=ports.links,
        smallest_cell=smallest_cell,
        with_pictures=with_pictures,
    )
    get_run_logger().info("report: %s", written.to_open)
    for panel, channels in report.deliver(ports, written.views, written.pages, home, written.pictures).items():
        get_run_logger().info("report of %s: to be sent to %s", panel, ", ".join(channels))
    return written.to_open
