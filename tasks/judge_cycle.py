"""Estimate a cycle and judge it."""

from prefect import get_run_logger

from stratawatch.engine.cycle import judge_cycle as engine
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="judge cycle {cycle_id}")
def judge_cycle(ports: Ports, cycle_id: int) -> int | None:
    """Estimate and judge; returns the newest revision's number, or None when it is not the cycle's turn."""
    revision = engine.judge_cycle(ports, cycle_id)
    if revision is None:
        get_run_logger().info("cycle %d waits for an older window", cycle_id)
    else:
        get_run_logger().info("cycle %d is judged, revision %d", cycle_id, revision)
    return revision
