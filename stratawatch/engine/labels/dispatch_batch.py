"""Send a batch: a short leased claim, no transaction open during the send, a key that the queue dedupes on."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from stratawatch.engine.alarms.failures import describe
from stratawatch.engine.alarms.notifications import warn
from stratawatch.engine.labels.queue_identity import require_queue
from stratawatch.engine.lease import panel_lease_name
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.engine.model.label_events import Batch
from stratawatch.engine.model.states import BatchState, Entity, RoundState
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StaleState

CLAIM_LIFE: Final = timedelta(minutes=2)
WARN_AFTER: Final = 12
"""Attempts before a person is told."""
MOST_SENDS: Final = 288
"""Attempts before a batch is given up: a day of advances every five minutes."""


def dispatch_batch(ports: Ports, batch_id: int) -> BatchState:
    """Send a planned batch, or take a cancelled one out of the queue; returns the state it is in afterwards.

    While the queue is not there, no attempt is counted: however long that lasts, no batch is given up.
    """
    queue = require_queue(ports)
    now = ports.clock.now()
    with ports.store.begin() as tx:
        batch = with_expiry(tx, tx.rounds.batch(batch_id))
        holder = panel_lease_name(tx.cycles.get(tx.rounds.get(batch.round_id).cycle_id).panel)
        claimed = batch.state == BatchState.PLANNED and tx.rounds.claim(batch_id, holder, now, now + CLAIM_LIFE)
        tx.commit()
    if batch.state == BatchState.CANCELLED:
        return _withdraw(ports, batch)
    if not claimed:
        return batch.state
    try:
        receipt = queue.publish(batch)
    except Exception as trouble:
        if _failed(ports, batch, trouble) < MOST_SENDS:
            raise
        return BatchState.FAILED
    try:
        _note_sent(ports, batch, receipt.reference)
    except StaleState:
        queue.cancel([batch.key])  # it was cancelled while it went out
        raise
    return BatchState.SENT


def with_expiry(tx: Transaction, batch: Batch) -> Batch:
    """The batch as it goes to the queue: it says from when on answers count in its cycle."""
    cycle = tx.cycles.get(tx.rounds.get(batch.round_id).cycle_id)
    return replace(batch, answers_since=cycle.opened_at - tx.panels.get(cycle.panel_version).label_validity)


def _note_sent(ports: Ports, batch: Batch, reference: str) -> None:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.move(Entity.BATCH, batch.id, BatchState.PLANNED, BatchState.SENT, at=now, why=reference)
        mark_round_dispatched(tx, ports, batch.round_id)
        tx.commit()


def _withdraw(ports: Ports, batch: Batch) -> BatchState:
    """Withdraw a batch; no claim is needed, as twice changes nothing, and the next advance tries a failed one again."""
    ports.queue.cancel([batch.key])
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.move(Entity.BATCH, batch.id, batch.state, BatchState.WITHDRAWN, at=now, why="taken out of the queue")
        tx.commit()
    return BatchState.WITHDRAWN


def mark_round_dispatched(tx: Transaction, ports: Ports, round_id: int) -> None:
    """Mark a round dispatched once none of its batches waits any more."""
    waiting = tx.rounds.batches(round_id=round_id, states=[BatchState.PLANNED, BatchState.FAILED])
    if tx.rounds.get(round_id).state == RoundState.PLANNED and not waiting:
        now = ports.clock.now()
        tx.move(Entity.ROUND, round_id, RoundState.PLANNED, RoundState.DISPATCHED, at=now, why="all batches sent")


def _failed(ports: Ports, batch: Batch, trouble: Exception) -> int:
    """Count a failed send, tell people when it goes on, give the batch up in the end; returns the attempts."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        attempts = tx.rounds.release_claim(batch.id, describe(trouble))
        why = f"not sent after {attempts} attempts: {describe(trouble)}"
        about = (
            f"batch:{batch.key}:{len(tx.cycles.transitions(Entity.BATCH, batch.id))}"  # it may be sent again by hand
        )
        if attempts == WARN_AFTER:
            warn(tx, ports, about, f"Labels cannot be asked for: batch {batch.key}", why)
        if attempts >= MOST_SENDS:
            cycle = tx.rounds.get(batch.round_id).cycle_id
            why = f"{why}; `{cycle_command('resend', cycle)}` tries again"
            tx.move(Entity.BATCH, batch.id, BatchState.PLANNED, BatchState.FAILED, at=now, why=why)
            warn(tx, ports, f"{about}:given up", f"Batch {batch.key} was given up", why)
        tx.commit()
    return attempts
