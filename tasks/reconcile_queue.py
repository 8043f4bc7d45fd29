"""Compare the batches that were sent with those in the queue."""

from prefect import get_run_logger

from stratawatch.engine.labels import reconcile_queue as engine
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="reconcile the queue")
def reconcile_queue(ports: Ports) -> int:
    """Publish lost batches again, put closed ones away; returns how many of both."""
    changed = engine.reconcile_queue(ports)
    get_run_logger().info("%d batches published again or put away", changed)
    return changed
