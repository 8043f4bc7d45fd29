"""Write reminders of what stays open."""

from stratawatch.engine.cycle import remind as engine
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="write reminders")
def remind(ports: Ports) -> None:
    """Write the reminders that are due."""
    engine.remind(ports)
