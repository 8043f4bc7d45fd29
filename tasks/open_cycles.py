"""Open a cycle for every window that is over."""

from collections.abc import Mapping

from prefect import get_run_logger

from stratawatch.engine.cycle import open_cycles as engine
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="open cycles")
def open_cycles(
    ports: Ports, panels: Mapping[str, PanelSpec], *, trusted: bool = False, most: int | None = None
) -> tuple[int, ...]:
    """Open what is due, or the newest windows of it, `most` a panel; returns the new cycles' ids."""
    opened = engine.open_cycles(ports, panels, trusted=trusted, most=most)
    get_run_logger().info("opened %d cycles %s", len(opened), list(opened) if opened else "")
    return opened
