"""The flow that advances every cycle as far as it can go without waiting for people."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from prefect import Task, flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Completed

from flows.artifacts import show_estimates, show_plan
from flows.state_events import send_state_events
from stratawatch.engine.cycle.advance import AdvanceResult, advance
from stratawatch.engine.ports import Ports
from stratawatch.errors import StratawatchError
from stratawatch.settings.revealed_secrets import hiding_secrets
from stratawatch.wiring import build
from tasks.collect_labels import collect_labels
from tasks.collect_truth import collect_truth
from tasks.dispatch_batch import dispatch_batch
from tasks.freeze_cycle import freeze_cycle
from tasks.judge_cycle import judge_cycle
from tasks.plan_round import plan_round
from tasks.policy import LONGEST_RUN, SERVER_TROUBLE, STORE_TROUBLE, sealed
from tasks.purge_store import purge_store
from tasks.reconcile_queue import reconcile_queue
from tasks.remind import remind
from tasks.send_notifications import send_notifications
from tasks.settle_cycle import settle_cycle

TASKS: Final[Mapping[str, Task[..., Any]]] = {
    "collect": collect_labels,
    "truth": collect_truth,
    "settle": settle_cycle,
    "freeze": freeze_cycle,
    "plan": plan_round,
    "dispatch": dispatch_batch,
    "judge": judge_cycle,
    "reconcile": reconcile_queue,
    "remind": remind,
    "notify": send_notifications,
    "purge": purge_store,
}
"""The engine's steps as tasks."""

SHOW: Final[Mapping[str, Callable[[Ports, int], None]]] = {"plan": show_plan, "judge": show_estimates}
"""The artifacts in the Prefect UI after a step that did something."""


@flow(name="advance-cycles", persist_result=False, timeout_seconds=LONGEST_RUN)
@hiding_secrets
def advance_cycles(
    config: str = "stratawatch.toml", now: datetime | None = None, panel: str | None = None
) -> AdvanceResult | State[None]:
    """Run every step once, for each panel or for one, under its lease; fails at the end if anything could not be done.

    What other workers are at is skipped.
    """
    ports = build(config, now).ports
    advanced = advance(ports, _as_task, None if panel is None else [panel])
    send_state_events(ports)
    for sentence in advanced.skipped:
        get_run_logger().info("%s", sentence)
    if advanced.is_idle and advanced.skipped:
        return Completed(message="; ".join(advanced.skipped))
    if advanced.troubles:
        number = len(advanced.troubles)
        raise StratawatchError(f"{number} step{'s' * (number > 1)} failed: " + " | ".join(advanced.troubles))
    return advanced


def _as_task(ports: Ports, name: str, *ids: int) -> Any:
    outcome = TASKS[name](sealed(ports), *ids)
    if outcome is not None and name in SHOW:
        _show(ports, name, *ids)
    return outcome


def _show(ports: Ports, name: str, number: int) -> None:
    """An artifact that cannot be read or written is no trouble of the step: what it shows is in the store."""
    try:
        SHOW[name](ports, number)
    except (*SERVER_TROUBLE, *STORE_TROUBLE, StratawatchError):
        get_run_logger().warning("the artifact of %s %d could not be written", name, number, exc_info=True)
