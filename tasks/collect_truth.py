"""Read truth that arrives by itself."""

from prefect import get_run_logger

from stratawatch.engine.labels import collect_truth as engine
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="collect truth")
def collect_truth(ports: Ports) -> int:
    """Append the statements that came by themselves since the last time, and warn of what they prove."""
    new = engine.collect_truth(ports)
    get_run_logger().info("statements of truth: %d new", new)
    return new
