"""Freeze a cycle, or refuse it."""

from prefect import get_run_logger

from stratawatch.engine.cycle import freeze_cycle as engine
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports import Ports
from stratawatch.engine.progress import listen
from tasks.policy import use_case
from tasks.read_artifact import ReadArtifact


@use_case(run_name="freeze cycle {cycle_id}", counted=True)
def freeze_cycle(ports: Ports, cycle_id: int) -> CycleState:
    """Count, check and freeze the cycle's window; returns the state it is in afterwards."""
    with listen(ReadArtifact(cycle_id)):
        state = engine.freeze_cycle(ports, cycle_id)
    get_run_logger().info("cycle %d is %s", cycle_id, state)
    return state
