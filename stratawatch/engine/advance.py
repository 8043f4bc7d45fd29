"""What can move now. An advance looks at states, moves what can move, and ends; nothing waits."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stratawatch.engine.collect import Collected, collect_labels
from stratawatch.engine.dispatch import dispatch_batch
from stratawatch.engine.freeze import freeze_cycle
from stratawatch.engine.house import Ports
from stratawatch.engine.judge import judge_cycle
from stratawatch.engine.lease import hold
from stratawatch.engine.notify import send_notifications
from stratawatch.engine.plan import plan_round, wants_plan
from stratawatch.engine.settle import settle_cycle
from stratawatch.engine.states import ACTIVE_CYCLES, BatchState, CycleState
from stratawatch.errors import StaleState, StratawatchError

ADVANCE_LEASE = "advance"


@dataclass(frozen=True)
class Due:
    """Ids of cycles (and of batches, for dispatch) that a step should look at, oldest first."""

    freeze: tuple[int, ...] = ()
    plan: tuple[int, ...] = ()
    dispatch: tuple[int, ...] = ()
    settle: tuple[int, ...] = ()
    judge: tuple[int, ...] = ()


@dataclass(frozen=True)
class Advanced:
    """What one advance did; `troubles` are sentences about what it could not do."""

    collected: Collected
    steps: Mapping[str, int]
    sent: int
    troubles: tuple[str, ...]


def due(ports: Ports) -> Due:
    """Look at the states once."""
    with ports.store.begin() as tx:
        active = tx.cycles.find(states=ACTIVE_CYCLES)
        specs = {cycle.panel_version: tx.panels.get(cycle.panel_version) for cycle in active}
        planned = [c.id for c in active if wants_plan(specs[c.panel_version], c, tx.rounds.of(c.id))]
        batches = tx.rounds.batches(states=[BatchState.PLANNED, BatchState.CANCELLED])
        outdated = tx.estimates.outdated()
    in_state = {state: tuple(c.id for c in active if c.state == state) for state in ACTIVE_CYCLES}
    ready = {*in_state[CycleState.SETTLED], *in_state[CycleState.EXPIRED]}
    return Due(
        freeze=in_state[CycleState.OPEN],
        plan=tuple(planned),
        dispatch=tuple(batch.id for batch in batches),
        settle=tuple(c.id for c in active if c.state in (CycleState.FROZEN, CycleState.LABELLING)),
        judge=tuple(c.id for c in active if c.id in ready) + tuple(i for i in outdated if i not in ready),
    )


STEPS: Mapping[str, tuple[Callable[[Due], tuple[int, ...]], Callable[[Ports, int], object]]] = {
    "settle": (lambda what: what.settle, settle_cycle),
    "freeze": (lambda what: what.freeze, freeze_cycle),
    "plan": (lambda what: what.plan, plan_round),
    "dispatch": (lambda what: what.dispatch, dispatch_batch),
    "judge": (lambda what: what.judge, judge_cycle),
}
"""The steps in their order: which ids of a Due they take, and what they do with each."""


def advance(ports: Ports) -> Advanced:
    """Run every step once, in order, under the lease. One cycle's trouble does not stop the others."""
    with hold(ports, ADVANCE_LEASE):
        collected = collect_labels(ports)
        troubles: list[str] = []
        steps = {name: _run(ports, name, troubles) for name in STEPS}
        sent = send_notifications(ports)
    return Advanced(collected, steps, sent, tuple(troubles))


def _run(ports: Ports, name: str, troubles: list[str]) -> int:
    ids, step = STEPS[name]
    done = 0
    for number in ids(due(ports)):
        for trouble in _attempt(step, ports, number):
            troubles.append(f"{name} {number}: {trouble}")
            break
        else:
            done += 1
    return done


def _attempt(step: Callable[[Ports, int], object], ports: Ports, number: int) -> Iterator[StratawatchError]:
    try:
        step(ports, number)
    except StaleState:
        return  # someone else moved it, which is all that was wanted
    except StratawatchError as trouble:
        yield trouble
