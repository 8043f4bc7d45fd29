"""Move a cycle as far as its labels or its deadline allow."""

from prefect import get_run_logger

from stratawatch.engine.cycle import settle_cycle as engine
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="settle cycle {cycle_id}")
def settle_cycle(ports: Ports, cycle_id: int) -> CycleState:
    """Settle batches, rounds and the cycle; returns the state it is in afterwards."""
    state = engine.settle_cycle(ports, cycle_id)
    get_run_logger().info("cycle %d is %s", cycle_id, state)
    return state
