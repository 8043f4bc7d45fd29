"""Send a batch to the label queue."""

from prefect import get_run_logger

from stratawatch.engine.labels import dispatch_batch as engine
from stratawatch.engine.model.states import BatchState
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="dispatch batch {batch_id}", counted=True)
def dispatch_batch(ports: Ports, batch_id: int) -> BatchState:
    """Send one planned batch; returns the state it is in afterwards."""
    state = engine.dispatch_batch(ports, batch_id)
    get_run_logger().info("batch %d is %s", batch_id, state)
    return state
