"""Advances every cycle as far as it can move now: looks at states, moves what can move, and ends without waiting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from stratawatch.engine.alarms.failures import describe, record_failure
from stratawatch.engine.alarms.open_incidents import untaken_openings
from stratawatch.engine.alarms.run_record import record_run
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.cycle.plan_round import plan_round, wants_plan
from stratawatch.engine.cycle.purge_store import purge_store
from stratawatch.engine.cycle.settle_cycle import settle_cycle
from stratawatch.engine.labels.collect_labels import Collected, collect_labels
from stratawatch.engine.labels.dispatch_batch import dispatch_batch
from stratawatch.engine.labels.reconcile_queue import reconcile_queue
from stratawatch.engine.lease import ADVANCE, hold_lease, renew_lease
from stratawatch.engine.model.states import ACTIVE_CYCLES, BatchState, CycleState
from stratawatch.engine.ports import Ports
from stratawatch.errors import LeaseHeld, StaleState

EXAMINED: Final = "label events examined"
"""The cursor of events that are known to have left no judged cycle outdated."""


@dataclass(frozen=True)
class AdvanceResult:
    """What one advance did; `troubles` are sentences about what it could not do."""

    collected: Collected
    steps: Mapping[str, int]
    sent: int
    troubles: tuple[str, ...]


def ids_due_by_step(ports: Ports) -> dict[str, tuple[int, ...]]:
    """The ids that each step should look at, oldest first: of cycles, and for dispatch of batches."""
    with ports.store.begin() as tx:
        active = tx.cycles.find(states=ACTIVE_CYCLES)
        specs = {cycle.panel_version: tx.panels.get(cycle.panel_version) for cycle in active}
        planned = [c.id for c in active if wants_plan(specs[c.panel_version], c, tx.rounds.of(c.id))]
        batches = tx.rounds.batches(states=[BatchState.PLANNED, BatchState.CANCELLED])
        outdated = tx.estimates.outdated(int(tx.labels.cursor(EXAMINED).get("mark", 0)))
    in_state = {state: tuple(c.id for c in active if c.state == state) for state in ACTIVE_CYCLES}
    ready = {*in_state[CycleState.SETTLED], *in_state[CycleState.EXPIRED]}
    return {
        "settle": tuple(c.id for c in active if c.state in (CycleState.FROZEN, CycleState.LABELLING)),
        "freeze": in_state[CycleState.OPEN],
        "plan": tuple(planned),
        "dispatch": tuple(batch.id for batch in batches),
        "judge": tuple(c.id for c in active if c.id in ready) + tuple(i for i in outdated if i not in ready),
    }


STEPS: Final[Mapping[str, Callable[[Ports, int], object]]] = {
    "settle": settle_cycle,
    "freeze": freeze_cycle,
    "plan": plan_round,
    "dispatch": dispatch_batch,
    "judge": judge_cycle,
}
"""The steps in their order, and what they do with each id that is due."""

ONCE: Final[Mapping[str, Callable[[Ports], object]]] = {
    "collect": collect_labels,
    "reconcile": reconcile_queue,
    "notify": send_notifications,
    "purge": purge_store,
}
"""What is done once, before and after the steps."""

# Steps of a cycle that do not count their failures themselves, and what the cycle cannot be when they fail.
_COUNTED: Final = {"settle": "settled", "plan": "planned", "judge": "judged"}

Call = Callable[..., Any]
"""(name of a step, its ids) -> its result. An orchestrator passes one that wraps every step in its own kind of task."""


def advance(ports: Ports, call: Call | None = None) -> AdvanceResult:
    """Run every step once, in order, under the lease. One cycle's trouble does not stop the others."""
    functions: dict[str, Callable[..., Any]] = {**ONCE, **STEPS}
    with hold_lease(ports, ADVANCE) as holder:
        work = _Work(ports, call or (lambda name, *ids: functions[name](ports, *ids)), holder)
        collected = work.once("collect")
        steps = {name: work.each(name) for name in STEPS}
        if collected is not None:  # else the queue is away, which was said
            work.once("reconcile")
        work.examined()
        sent = work.once("notify")
        work.once("purge")
        work.close()
    return AdvanceResult(collected or Collected(), steps, sent or 0, tuple(work.troubles))


@dataclass(frozen=True)
class _Work:
    ports: Ports
    call: Call
    holder: str
    troubles: list[str] = field(default_factory=list)

    def once(self, name: str) -> Any:
        """Do a step that takes no ids; its result, or None with its trouble noted."""
        renew_lease(self.ports, ADVANCE, self.holder)
        return self._attempt(name)[1]

    def each(self, name: str) -> int:
        """Do a step for everything that is due; returns for how many it was done."""
        renew_lease(self.ports, ADVANCE, self.holder)
        return sum(self._attempt(name, number)[0] for number in ids_due_by_step(self.ports)[name])

    def examined(self) -> None:
        """Note how far the label events have been looked at, once nothing judged is outdated by them."""
        with self.ports.store.begin() as tx:
            mark, examined = tx.labels.newest_event_id(), int(tx.labels.cursor(EXAMINED).get("mark", 0))
            if mark > examined and not tx.estimates.outdated(examined):
                tx.labels.save_cursor(EXAMINED, {"mark": mark}, self.ports.clock.now())
                tx.commit()

    def close(self) -> None:
        """Note what nobody was told, and say how this advance ended."""
        self.troubles.extend(f"notify: {untaken}" for untaken in untaken_openings(self.ports))
        self.troubles.extend(record_run(self.ports, self.troubles))

    def _attempt(self, name: str, *ids: int) -> tuple[bool, Any]:
        try:
            return True, self.call(name, *ids)
        except LeaseHeld:
            raise
        except StaleState:
            return False, None  # someone else moved it, which is all that was wanted
        except Exception as trouble:  # noqa: BLE001 - whatever it is, the other cycles must go on, and people hear of it
            self.troubles.append(" ".join([name, *map(str, ids)]) + f": {describe(trouble)}")
            if name in _COUNTED:
                record_failure(self.ports, ids[0], _COUNTED[name], trouble)
            return False, None
