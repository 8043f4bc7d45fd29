"""Advances every cycle as far as it can move now: looks at states, moves what can move, and ends without waiting.

Each panel is advanced under a lease of its own, and so is each thing that panels share: several workers do it at once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic
from typing import Any, Final

from stratawatch.engine.alarms.failures import describe, record_failure
from stratawatch.engine.alarms.run_record import record_run
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.alarms.silent_streams import silent_keys
from stratawatch.engine.cycle.clock_check import doubt_of_deadlines
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.cycle.left_panels import close_left_incidents
from stratawatch.engine.cycle.plan_round import plan_round, wants_plan
from stratawatch.engine.cycle.purge_store import purge_store
from stratawatch.engine.cycle.remind import remind
from stratawatch.engine.cycle.settle_cycle import settle_cycle
from stratawatch.engine.labels.collect_labels import Collected, collect_labels
from stratawatch.engine.labels.collect_truth import collect_truth
from stratawatch.engine.labels.dispatch_batch import dispatch_batch
from stratawatch.engine.labels.reconcile_queue import reconcile_queue
from stratawatch.engine.lease import (
    LEASE_LIFE,
    NOTIFICATIONS,
    PURGE,
    QUEUE,
    fenced,
    hold_lease,
    panel_lease_name,
    renew_lease,
)
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import ACTIVE_CYCLES, BatchState, CycleState
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import LeaseHeld, StaleState
from stratawatch.formatting import count_text

EXAMINED: Final = "label events examined"
"""The cursor of events that are known to have left no judged cycle outdated but some of paused panels.

`waiting` are those cycles, each with the mark that its next revision must reach.
"""
RENEW_AFTER: Final = 60.0
"""Seconds after which a lease is renewed between steps; its life is ten times as long."""
READS_BEGIN: Final = 900.0
"""Seconds of an advance in which reads begin. Later ones are left to the next, so that this one can send its pages."""


@dataclass(frozen=True)
class AdvanceResult:
    """What one advance did; `troubles` are sentences about what it could not do.

    `skipped` are sentences about what other workers were at; `cycles` are those that were looked at.
    """

    collected: Collected
    steps: Mapping[str, int]
    sent: int
    troubles: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    cycles: frozenset[int] = frozenset()
    is_idle: bool = False
    """Whether everything was left to other workers."""
    batches: frozenset[int] = frozenset()
    """Those that it took to the queue."""


def panels_due(ports: Ports) -> dict[str, tuple[int, ...]]:
    """The panels that have something to look at, and each one's judged cycles that labels have left outdated."""
    with ports.store.begin() as tx:
        active = tx.cycles.find(states=ACTIVE_CYCLES)
        due: dict[str, list[int]] = {cycle.panel: [] for cycle in active}
        due |= {panel: [] for panel, _ in tx.rounds.batch_ids(_UNSENT) if panel not in due}
        for cycle_id in _outdated(tx):
            due.setdefault(tx.cycles.get(cycle_id).panel, []).append(cycle_id)
    # A table that could not be read, as while somebody holds a lock on it, is read after those that can be. Among such
    # panels the number counts: one that always hangs must not use up the time of one that failed once.
    failures = dict.fromkeys(due, 0)
    for cycle in active:
        if cycle.state == CycleState.OPEN:
            failures[cycle.panel] = max(failures[cycle.panel], cycle.failures)
    return {panel: tuple(due[panel]) for panel in sorted(due, key=lambda panel: (failures[panel], panel))}


def _examined(tx: Transaction) -> int:
    return int(tx.labels.cursor(EXAMINED).get("mark", 0))


def _outdated(tx: Transaction) -> tuple[int, ...]:
    """The judged cycles that labels have left outdated, those included that waited for the end of a pause."""
    waiting = tx.labels.cursor(EXAMINED).get("waiting", {})
    newest = {int(cycle_id): (tx.estimates.latest(int(cycle_id)), mark) for cycle_id, mark in waiting.items()}
    late = {
        cycle_id
        for cycle_id, (revision, mark) in newest.items()
        if revision and revision.mark < mark and not tx.cycles.get(cycle_id).is_replaced
    }
    return tuple(sorted(late.union(tx.estimates.outdated(_examined(tx)))))


def ids_due(ports: Ports, step: str, panel: str, outdated: Sequence[int] = ()) -> tuple[int, ...]:
    """The ids that a step of a panel should look at, oldest first: of batches for dispatch, else of cycles.

    Of a paused panel only what was cancelled is withdrawn.
    """
    is_paused = panel in ports.paused.panels
    with ports.store.begin() as tx:
        if step == "dispatch":
            states = (BatchState.CANCELLED,) if is_paused else _UNSENT
            return tuple(number for _, number in tx.rounds.batch_ids(states, panel))
        if is_paused:
            return ()
        cycles = tx.cycles.find(panel=panel, states=_STATES[step])
        if step == "freeze":
            cycles = tuple(sorted(cycles, key=lambda cycle: cycle.failures))
        due = tuple(cycle.id for cycle in cycles if step != "plan" or _wants_plan(tx, cycle))
    return (*due, *outdated) if step == "judge" else due


def _wants_plan(tx: Transaction, cycle: Cycle) -> bool:
    return wants_plan(tx.panels.get(cycle.panel_version), cycle, tx.rounds.of(cycle.id))


_UNSENT: Final = (BatchState.PLANNED, BatchState.CANCELLED)
_STATES: Final[Mapping[str, tuple[CycleState, ...]]] = {
    "settle": (CycleState.FROZEN, CycleState.LABELLING),
    "freeze": (CycleState.OPEN,),
    "plan": (CycleState.FROZEN, CycleState.LABELLING),
    "judge": (CycleState.SETTLED, CycleState.EXPIRED),
}
"""The states of the cycles that a step looks at."""

STEPS: Final[Mapping[str, Callable[[Ports, int], object]]] = {
    "settle": settle_cycle,
    "freeze": freeze_cycle,
    "plan": plan_round,
    "dispatch": dispatch_batch,
    "judge": judge_cycle,
}
"""The steps of a panel in their order, and what they do with each id that is due."""

ONCE: Final[Mapping[str, Callable[[Ports], object]]] = {
    "collect": collect_labels,
    "truth": collect_truth,
    "reconcile": reconcile_queue,
    "remind": remind,
    "notify": send_notifications,
    "purge": purge_store,
}
"""What is done once, before and after the panels."""

_LEASES: Final = {
    "collect": QUEUE,
    "truth": QUEUE,
    "reconcile": QUEUE,
    "remind": NOTIFICATIONS,
    "notify": NOTIFICATIONS,
    "purge": PURGE,
}

# Steps of a cycle that do not count their failures themselves, and what the cycle cannot be when they fail.
_COUNTED: Final = {"settle": "settled", "plan": "planned", "judge": "judged"}

Call = Callable[..., Any]
"""(ports, name of a step, its ids) -> its result. An orchestrator passes one that wraps every step in its own task."""


def advance(ports: Ports, call: Call | None = None, panels: Collection[str] | None = None) -> AdvanceResult:
    """Run every step once for each panel, or for some, and what they share, each under its lease.

    What another worker is at is left to it. One cycle's trouble does not stop the others.
    """
    work = _Work(ports, call or _call)
    collected = work.shared("collect")
    if ports.truth:
        work.shared("truth")
    due = panels_due(ports)
    work = replace(
        work, ports=replace(ports, clock_doubt=doubt_of_deadlines(ports))
    )  # asks sources: once, for all panels
    for panel, outdated in due.items():
        if panels is None or panel in panels:
            work.panel(panel, outdated)
    if "collect" not in work.failed:  # else the queue is away, which was said
        work.shared("reconcile")
    move_examined_mark(ports)
    work.close_left_incidents()
    sent = work.notify()
    work.shared("purge")
    work.close(due, is_whole=panels is None)
    return AdvanceResult(
        collected or Collected(),
        work.steps,
        sent,
        tuple(work.troubles),
        tuple(work.skipped),
        frozenset(work.cycles),
        is_idle=not work.held,
        batches=frozenset(work.batches),
    )


def _call(ports: Ports, name: str, *ids: int) -> Any:
    functions: dict[str, Callable[..., Any]] = {**ONCE, **STEPS}
    return functions[name](ports, *ids)


def move_examined_mark(ports: Ports) -> None:
    """Note how far the label events have been looked at, once nothing judged is outdated by them.

    Cycles of paused panels are not judged for now: they are noted, and hold nothing up.
    The order of the looks matters, for another worker may be judging a cycle with labels that are older than the mark,
    and nobody sees its revision before it commits. Its cycle is judged by then, and then the revision is seen, or it
    still has a state that is to be judged, and the lease of its panel is there.
    """
    with ports.store.begin() as tx:
        mark, examined = tx.labels.newest_event_id(), _examined(tx)
        if mark <= examined:
            return
        to_be_judged = {panel_lease_name(cycle.panel) for cycle in tx.cycles.find(states=_STATES["judge"])}
        outdated = _outdated(tx)
        is_waiting = [tx.cycles.get(cycle_id).panel in ports.paused.panels for cycle_id in outdated]
        if not to_be_judged & tx.leases.names() and all(is_waiting):
            record = {"mark": mark, "waiting": dict.fromkeys(map(str, outdated), mark)}
            tx.labels.save_cursor(EXAMINED, record, ports.clock.now())
            tx.commit()


@dataclass(frozen=True)
class _Work:
    """What one advance does, and what became of it."""

    ports: Ports
    call: Call
    steps: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STEPS, 0))
    held: dict[str, list[str]] = field(default_factory=dict)
    """The leases that were held, with the troubles under each."""
    troubles: list[str] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    """The steps that were in trouble, by name."""
    skipped: list[str] = field(default_factory=list)
    cycles: set[int] = field(default_factory=set)
    batches: set[int] = field(default_factory=set)
    began: float = field(default_factory=monotonic)

    def shared(self, name: str) -> Any:
        """Do what panels share; returns its result, or None where it failed or another worker is doing it."""
        return self._under(_LEASES[name], lambda held: held.attempt(name)[1])

    def close_left_incidents(self) -> None:
        """End what retired panels left open; what else there is to do does not wait for it."""
        try:
            close_left_incidents(self.ports)
        except Exception as trouble:  # noqa: BLE001 - as in a step
            self.troubles.append(f"incidents of retired panels: {describe(trouble)}")

    def notify(self) -> int:
        """Send what is due; returns how many went out, with what was not taken noted at once.

        Another worker leaves what it wrote to the one that holds the lease. So this one looks once more after it has
        given the lease back, and whoever wrote later than that finds the lease free.
        """
        number, is_due = 0, True
        while is_due and (sent := self._under(NOTIFICATIONS, _Held.remind_and_notify)):
            number += sent.number
            sentences = [f"notify: {trouble}" for trouble in sent.troubles]
            self.troubles.extend(sentence for sentence in sentences if sentence not in self.troubles)
            self.held[NOTIFICATIONS].extend(sentences)
            with self.ports.store.begin() as tx:
                now = self.ports.clock.now()
                is_due = tx.outbox.is_any_due(now, sent.emptied, silent=silent_keys(tx, now))
        return number

    def panel(self, panel: str, outdated: Sequence[int]) -> None:
        """Do every step for what is due in a panel."""

        def do(held: "_Held") -> None:
            held.longest_read = self.ports.read_timeout(panel)
            for step in STEPS:
                numbers = ids_due(held.ports, step, panel, outdated)
                for position, number in enumerate(numbers):
                    if step == "freeze" and monotonic() - self.began >= READS_BEGIN:
                        left = len(numbers) - position
                        self.skipped.append(
                            f"panel '{panel}': {count_text(left, 'window')} left to the next advance: this one has "
                            f"read for {READS_BEGIN / 60:.0f} minutes"
                        )
                        break
                    self.steps[step] += held.attempt(step, number)[0]

        self._under(panel_lease_name(panel), do)

    def close(self, due: Collection[str], *, is_whole: bool) -> None:
        """Say how this advance ended."""
        if self.held:
            elsewhere = {*map(panel_lease_name, due), *_LEASES.values()} - {*self.held}
            self.troubles.extend(
                record_run(self.ports, self.troubles, self.held, elsewhere=elsewhere, is_whole=is_whole)
            )

    def _under(self, lease: str, do: Callable[["_Held"], Any]) -> Any:
        try:
            with hold_lease(self.ports, lease) as holder:
                self.held.setdefault(lease, [])
                return do(_Held(self, lease, holder))
        except LeaseHeld as busy:
            self.skipped.append(str(busy))
            return None


@dataclass
class _Held:
    """A lease that is held, and the steps that are done under it; of a panel's, how long its window may be read."""

    work: _Work
    lease: str
    holder: str
    longest_read: float = 0.0
    renewed: float = field(default_factory=monotonic)

    @property
    def ports(self) -> Ports:
        """The ports, through which nothing is committed once the lease is lost."""
        return fenced(self.work.ports, self.lease, self.holder)

    def remind_and_notify(self) -> Any:
        """Write reminders, and send all that is due, whatever became of them; what was sent."""
        self.attempt("remind")
        return self.attempt("notify")[1]

    def attempt(self, name: str, *ids: int) -> tuple[bool, Any]:
        """Do a step; returns whether it was done, and its result. Raises LeaseHeld when the lease was lost."""
        if name == "freeze":  # nobody should begin to read the window a second time while it is read
            renew_lease(self.work.ports, self.lease, self.holder, LEASE_LIFE + timedelta(seconds=self.longest_read))
        elif monotonic() - self.renewed > RENEW_AFTER:
            renew_lease(self.work.ports, self.lease, self.holder)
            self.renewed = monotonic()
        (self.work.batches if name == "dispatch" else self.work.cycles).update(ids)
        try:
            return True, self.work.call(self.ports, name, *ids)
        except LeaseHeld:
            raise
        except StaleState:
            return False, None  # someone else moved it, which is all that was wanted
        except Exception as trouble:  # noqa: BLE001 - whatever it is, the other cycles must go on, and people hear of it
            sentence = " ".join([name, *map(str, ids)]) + f": {describe(trouble)}"
            self.work.troubles.append(sentence)
            self.work.failed.add(name)
            self.work.held[self.lease].append(sentence)
            if name in _COUNTED:
                record_failure(self.ports, ids[0], _COUNTED[name], trouble)
            return False, None
