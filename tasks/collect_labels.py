"""Read the label queue."""

from prefect import get_run_logger

from stratawatch.engine.labels import collect_labels as engine
from stratawatch.engine.labels.collect_labels import Collected
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="collect labels")
def collect_labels(ports: Ports) -> Collected:
    """Append the label events that came to the queue since the last time."""
    collected = engine.collect_labels(ports)
    get_run_logger().info(
        "label events: %d new, %d kept until their item is drawn, %d unreadable, %d misdated%s",
        collected.new,
        collected.unknown,
        collected.rejected,
        collected.misdated,
        f"; the first of these: {collected.reason}" if collected.reason else "",
    )
    return collected
