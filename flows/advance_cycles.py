"""Move what can move, and end. Nothing in here waits for people."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from prefect import Task, flow
from prefect.client.schemas.objects import State
from prefect.states import Completed

from flows.artifacts import show_estimates, show_plan
from flows.bounds import LONGEST_RUN
from stratawatch.engine.advance import ADVANCE_LEASE, STEPS, Advanced, due
from stratawatch.engine.collect import Collected
from stratawatch.engine.house import Ports
from stratawatch.engine.lease import hold
from stratawatch.errors import LeaseHeld, StaleState, StratawatchError
from stratawatch.wiring import build
from tasks.collect_labels import collect_labels
from tasks.dispatch_batch import dispatch_batch
from tasks.freeze_cycle import freeze_cycle
from tasks.judge_cycle import judge_cycle
from tasks.plan_round import plan_round
from tasks.policy import sealed
from tasks.send_notifications import send_notifications
from tasks.settle_cycle import settle_cycle

TASKS: Final[Mapping[str, Task[[Ports, int], Any]]] = {
    "settle": settle_cycle,
    "freeze": freeze_cycle,
    "plan": plan_round,
    "dispatch": dispatch_batch,
    "judge": judge_cycle,
}
"""The engine's steps, in its order, as tasks."""

SHOW: Final[Mapping[str, Callable[[Ports, int], None]]] = {"plan": show_plan, "judge": show_estimates}
"""What a person finds in the Prefect UI after a step that did something."""


@flow(name="advance-cycles", persist_result=False, timeout_seconds=LONGEST_RUN)
def advance_cycles(config: str = "stratawatch.toml", now: datetime | None = None) -> Advanced | State[None]:
    """Run every step once under the lease; fails at the end if anything could not be done."""
    house = build(config, now)
    try:
        with hold(house.ports, ADVANCE_LEASE):
            advanced = _advance(house.ports)
    except LeaseHeld as held:
        return Completed(message=str(held))
    if advanced.troubles:
        number = len(advanced.troubles)
        raise StratawatchError(f"{number} step{'s' * (number > 1)} failed: " + " | ".join(advanced.troubles))
    return advanced


def _advance(ports: Ports) -> Advanced:
    troubles: list[str] = []
    collected = _outcome(collect_labels(sealed(ports), return_state=True), "collect labels", troubles)
    steps = {name: _step(ports, name, troubles) for name in STEPS}
    sent = _outcome(send_notifications(sealed(ports), return_state=True), "send notifications", troubles)
    return Advanced(collected or Collected(), steps, sent or 0, tuple(troubles))


def _step(ports: Ports, name: str, troubles: list[str]) -> int:
    """Do one step for everything that is due; one cycle's trouble does not stop the others."""
    ids, _ = STEPS[name]
    done = 0
    for number in ids(due(ports)):
        state = TASKS[name](sealed(ports), number, return_state=True)
        outcome = _outcome(state, f"{name} {number}", troubles)
        done += state.is_completed()
        if outcome is not None and name in SHOW:
            SHOW[name](ports, number)
    return done


def _outcome(state: State[Any], what: str, troubles: list[str]) -> Any:
    """A task's result, or None with its trouble noted."""
    outcome = state.result(raise_on_failure=False)
    if isinstance(outcome, StaleState):
        return None  # someone else moved it, which is all that was wanted
    if isinstance(outcome, BaseException):
        known = isinstance(outcome, StratawatchError)
        troubles.append(f"{what}: {outcome}" if known else f"{what}: {type(outcome).__name__}: {outcome}")
        return None
    return outcome
