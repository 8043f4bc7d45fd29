"""What a person may do to a cycle by hand: cancel it, reopen or rerun it, send failed batches again."""

from dataclasses import replace

from stratawatch.engine.audit import note_action
from stratawatch.engine.cycle.budget_shares import BUDGET, BudgetShares, too_few
from stratawatch.engine.cycle.clock_check import free_slots
from stratawatch.engine.cycle.open_cycles import open_with_share, require_same_windows
from stratawatch.engine.cycle.settle_cycle import close_round
from stratawatch.engine.labels.reconcile_queue import AGAIN
from stratawatch.engine.lease import fenced, hold_lease
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.shared_budget import LEAST_BUDGET
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState, may_move
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StaleState, StratawatchError
from stratawatch.formatting import count_text


def cancel_cycle(ports: Ports, cycle_id: int, why: str) -> None:
    """Give a cycle up: its rounds end, the next advance withdraws its batches. What was labelled stays."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        if not may_move(Entity.CYCLE, cycle.state, CycleState.CANCELLED):
            raise StratawatchError(
                f"cycle {cycle_id} cannot be cancelled", expected="open, frozen or labelling", got=cycle.state.value
            )
        for round_ in tx.rounds.of(cycle_id):
            if may_move(Entity.ROUND, round_.state, RoundState.CANCELLED):
                close_round(tx, round_, RoundState.CANCELLED, now, why)
        tx.cycles.explain(cycle_id, reason=why)
        tx.move(Entity.CYCLE, cycle_id, cycle.state, CycleState.CANCELLED, at=now, why=why)
        note_action(tx, ports, "cancelled", f"cycle {cycle_id} of {cycle.panel}", why)
        tx.commit()


def reopen_cycle(ports: Ports, cycle_id: int, why: str, spec: PanelSpec | None = None) -> None:
    """Give a refused window another chance, after its input or its panel's specification (`spec`) was mended.

    Nothing has been drawn from a refused window, so today's specification may hold for it. Where panels share a budget,
    its share is decided again: the one it had went on to others.
    """
    if ports.budget is None:
        _reopen(ports, cycle_id, why, spec, None)
        return
    with hold_lease(ports, BUDGET) as holder:
        held = fenced(ports, BUDGET, holder)
        _reopen(held, cycle_id, why, spec, BudgetShares(held, ports.budget, ports.configured))


def _reopen(ports: Ports, cycle_id: int, why: str, spec: PanelSpec | None, shares: BudgetShares | None) -> None:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        if cycle.state != CycleState.REFUSED:
            raise StratawatchError(f"cycle {cycle_id} cannot be reopened", expected="refused", got=cycle.state.value)
        version = None
        if spec is not None:
            require_same_windows(tx, spec, cycle)
            version = tx.panels.save(spec, now)
        if shares is not None:
            version = _with_new_share(tx, ports, spec or tx.panels.get(cycle.panel_version), cycle, shares)
        tx.cycles.unfreeze(cycle_id, version)
        tx.move(Entity.CYCLE, cycle_id, cycle.state, CycleState.OPEN, at=now, why=why)
        note_action(tx, ports, "reopened", f"cycle {cycle_id} of {cycle.panel}", why)
        tx.commit()


def _with_new_share(tx: Transaction, ports: Ports, spec: PanelSpec, cycle: Cycle, shares: BudgetShares) -> int:
    """The version of a specification whose budget is the share that a reopened window gets."""
    share, now = shares.share(tx, spec, cycle.period), ports.clock.now()
    if share.share < LEAST_BUDGET:
        raise StratawatchError(f"cycle {cycle.id} cannot be reopened", got=too_few(share), hint="raise [budget] labels")
    latest = tx.panels.latest()[spec.name]
    version = tx.panels.save(replace(spec, budget=share.share), now)
    shares.keep(tx, spec, cycle.period, share, cycle.id)
    tx.panels.save(latest, now)
    return version


def rerun_cycle(ports: Ports, cycle_id: int, why: str, spec: PanelSpec) -> int:
    """Read a judged window again whose predictions were corrected, under today's specification; the new cycle.

    The old one stays readable. The new one has its moment of opening, so that the same labels and the same history
    count; whoever answered is not asked again. Where panels share a budget, it has its share as with `open`, beside
    what the old one asked.
    """
    if spec.name in ports.paused.panels:
        raise StratawatchError(f"panel '{spec.name}' is paused", hint="take `paused = true` out first")
    if ports.budget is None:
        return _rerun(ports, cycle_id, why, spec, None)
    with hold_lease(ports, BUDGET) as holder:
        held = fenced(ports, BUDGET, holder)
        return _rerun(held, cycle_id, why, spec, BudgetShares(held, ports.budget, ports.configured))


def _rerun(ports: Ports, cycle_id: int, why: str, spec: PanelSpec, shares: BudgetShares | None) -> int:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        # A rerun that was cancelled must not be the last word on its window.
        is_left = cycle.state == CycleState.CANCELLED and tx.cycles.earlier_runs(cycle)
        if cycle.is_replaced or not (cycle.state == CycleState.JUDGED or is_left):
            raise _no_rerun(tx, cycle)
        require_same_windows(tx, spec, cycle)
        if free_slots(tx, spec.name) < 2:
            raise StratawatchError(
                f"cycle {cycle_id} has to wait: too many cycles of {spec.name} are under way",
                hint="run it again when one of them is judged, or cancel one",
            )
        version = tx.panels.save(spec, now)
        tx.cycles.replace(cycle_id, f"corrected on {now:%Y-%m-%d}: {why}")
        why_not = ""
        if shares is None:
            new = tx.cycles.open(spec.name, version, cycle.period, cycle.window, cycle.opened_at)
        else:
            new, why_not = open_with_share(tx, ports, spec, cycle.period, shares, at=cycle.opened_at)
        if why_not:
            raise StratawatchError(f"cycle {cycle_id} cannot be run again", got=why_not, hint="raise [budget] labels")
        if new is None:
            raise StaleState(f"the window of cycle {cycle_id} was opened by someone else")
        note_action(tx, ports, "rerun", f"cycle {cycle_id} of {cycle.panel} as cycle {new}", why)
        tx.commit()
    return new


def _no_rerun(tx: Transaction, cycle: Cycle) -> StratawatchError:
    """Why a cycle cannot be run again, and what can be done."""
    got, hint = cycle.state.value, "wait until it is judged"
    if cycle.is_replaced:
        newest = [one.id for one in tx.cycles.find(panel=cycle.panel) if one.window == cycle.window]
        got, hint = "one that was replaced", f"the cycle of its window is {newest[0]} now"
    elif cycle.state == CycleState.REFUSED:
        hint = f"`{cycle_command('reopen', cycle.id)}` reads it again"
    elif cycle.state == CycleState.CANCELLED:
        hint = "a window that was given up before it was judged stays without estimates"
    return StratawatchError(f"cycle {cycle.id} cannot be run again", expected="judged", got=got, hint=hint)


def resend_batches(ports: Ports, cycle_id: int, why: str) -> int:
    """Put a cycle's failed batches back into the outbox; returns how many.

    Of its sent ones, those that the queue has lost again, or that were withdrawn from it, are published once more by
    the next advance, and counted too.
    """
    now = ports.clock.now()
    with ports.store.begin() as tx:
        failed = tx.rounds.batches(cycle_id=cycle_id, states=[BatchState.FAILED])
        for batch in failed:
            tx.move(Entity.BATCH, batch.id, BatchState.FAILED, BatchState.PLANNED, at=now, why=why)
        sent = {batch.key for batch in tx.rounds.batches(cycle_id=cycle_id, states=[BatchState.SENT])}
        again = {name: set(keys) for name, keys in tx.labels.cursor(AGAIN, lock=True).items()}
        back = sent & again.get("withdrawn", set())
        repeated = sent & again.get("keys", set())
        if back or repeated:
            kept = {name: keys - sent for name, keys in again.items()}
            kept["due"] = kept.get("due", set()) | back
            tx.labels.save_cursor(AGAIN, {name: sorted(keys) for name, keys in kept.items()}, now)
        number = len(failed) + len(back | repeated)
        if number:
            note_action(tx, ports, "resent", f"{count_text(number, 'batch', 'batches')} of cycle {cycle_id}", why)
        tx.commit()
    return number
