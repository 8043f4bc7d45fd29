"""Write the report page."""

from collections.abc import Mapping
from pathlib import Path

from prefect import get_run_logger

from stratawatch import report
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="write the report")
def write_report(ports: Ports, panels: Mapping[str, PanelSpec], folder: Path) -> Path:
    """Write the page of all panels; returns its path."""
    path = report.write(ports.store, panels, folder, ports.clock.now(), paused=ports.paused, links=ports.links)
    get_run_logger().info("report: %s", path)
    return path
