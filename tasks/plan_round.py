"""Plan a cycle's next round."""

from prefect import get_run_logger

from stratawatch.core.plan import Plan
from stratawatch.engine.cycle import plan_round as engine
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="plan a round of cycle {cycle_id}")
def plan_round(ports: Ports, cycle_id: int) -> Plan | None:
    """Plan and draw the next round; returns its plan, or None when it is not time for one."""
    plan = engine.plan_round(ports, cycle_id)
    if plan is not None:
        get_run_logger().info("cycle %d: %d labels in %d strata planned", cycle_id, plan.labels, len(plan.totals))
    return plan
