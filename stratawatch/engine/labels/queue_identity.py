"""Recognises the label queue by the id that it and the store keep, before anything is sent to it or read from it.

A share that is not mounted leaves an empty folder behind. Writing batches there, or reading its silence as "no labels
came", would lose labels without a word.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from stratawatch.engine.alarms.notifications import warn
from stratawatch.engine.audit import note_action
from stratawatch.engine.lease import QUEUE_MARK, hold_lease
from stratawatch.engine.model.states import BatchState
from stratawatch.engine.ports import LabelQueue, Ports, Store
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.engine.restored_store import was_restored
from stratawatch.errors import Unreachable

ADOPT: Final = "`stratawatch labels adopt-queue`"
"""The command that says that a place is the queue."""
WARN_AFTER: Final = timedelta(minutes=30)
"""How long a queue may be away before people are told; every advance says so itself."""

_SENT: Final = (BatchState.SENT, BatchState.CLOSED, BatchState.CANCELLED, BatchState.WITHDRAWN)


@dataclass(frozen=True)
class AdoptedQueue:
    """A place that was said to be the queue: its id before and now, its number of batches, and sent ones it lacks."""

    where: str
    before: str
    identity: str
    batches: int
    missing: tuple[str, ...]


def require_queue(ports: Ports) -> LabelQueue:
    """The queue, if it is the one that this store's batches went to. Raises Unreachable otherwise.

    A new queue is given its id here, and so is one from before there were ids that holds batches of this store.
    """
    try:
        found = ports.queue.identity()
        kept = _kept(ports.store, ports.queue)
        if _may_be_marked(ports.store, ports.queue, found, kept):
            with hold_lease(ports, QUEUE_MARK):  # two workers that find this at once must not give it two ids
                _mark(ports, _kept(ports.store, ports.queue).get("id") or uuid4().hex)
            return ports.queue
        if not found:  # another worker may have given it its id since this one looked
            found, kept = ports.queue.identity(), _kept(ports.store, ports.queue)
        if not found or found != kept.get("id"):
            raise _not_ours(ports.queue, found)
        if kept != _record(ports.queue, found):
            _keep(ports, _record(ports.queue, found))
    except Unreachable as trouble:
        _note_away(ports, trouble)
        raise
    return ports.queue


def inspect_queue(store: Store, queue: LabelQueue) -> None:
    """Raise Unreachable where `require_queue` would; nothing is written."""
    found, kept = queue.identity(), _kept(store, queue)
    if found != kept.get("id") and not _may_be_marked(store, queue, found, kept):
        raise _not_ours(queue, found)


def adopt_queue(ports: Ports, why: str = "") -> AdoptedQueue:
    """Make the place that the configuration names this store's queue, after a person said so.

    Raises LeaseHeld while a worker gives the queue its id.
    """
    queue = ports.queue
    with ports.store.begin() as tx:
        sent = tx.rounds.batch_keys([BatchState.SENT])
    with hold_lease(ports, QUEUE_MARK):
        before = queue.identity()
        identity = _kept(ports.store, queue).get("id") or uuid4().hex
        _mark(ports, identity, by_hand=True, why=why)
    there = queue.batch_keys()
    return AdoptedQueue(queue.where, before, identity, len(there), tuple(sorted(sent - there)))


def _record_name(queue: LabelQueue) -> str:
    """Where the store keeps the queue's id: beside its cursor."""
    return f"identity of {queue.name}"


def _record(queue: LabelQueue, identity: str) -> Mapping[str, Any]:
    """What the store keeps of a queue that has this id."""
    return {"id": identity, "marked": True, "where": queue.where}


def _kept(store: Store, queue: LabelQueue) -> Mapping[str, Any]:
    with store.begin() as tx:
        return tx.labels.cursor(_record_name(queue))


def _may_be_marked(store: Store, queue: LabelQueue, found: str, kept: Mapping[str, Any]) -> bool:
    """Whether a place without an id may be taken for the queue without asking anybody.

    It may before it was ever marked, when it holds batches of this store, as after an upgrade; or when it holds no
    batch of anybody, nothing was sent, and no queue of this store can have been there: not where one was marked before,
    and nowhere once the store was restored, which forgot what it sent since the backup.
    """
    if found:
        return False
    there = queue.batch_keys()
    with store.begin() as tx:
        if there:
            return not kept.get("marked") and bool(there & tx.rounds.batch_keys())
        if was_restored(tx) or tx.rounds.batch_keys(_SENT):
            return False
    return not kept.get("marked") or kept.get("where", queue.where) != queue.where


def _mark(ports: Ports, identity: str, *, by_hand: bool = False, why: str = "") -> None:
    """Give the queue its id. The store keeps it first: killed in between, the next look ends what was begun."""
    _keep(ports, {"id": identity, "marked": False})
    ports.queue.adopt(identity)
    with ports.store.begin() as tx:
        _save(tx, ports, _record(ports.queue, identity))
        if by_hand:
            note_action(tx, ports, "adopted", f"the label queue {ports.queue.where}", why)
        tx.commit()


def _keep(ports: Ports, record: Mapping[str, object]) -> None:
    with ports.store.begin() as tx:
        _save(tx, ports, record)
        tx.commit()


def _save(tx: Transaction, ports: Ports, record: Mapping[str, object]) -> None:
    tx.labels.save_cursor(_record_name(ports.queue), record, ports.clock.now())


def _not_ours(queue: LabelQueue, found: str) -> Unreachable:
    what = "has the mark of another installation" if found else "is not there, or is not the one that was used before"
    return Unreachable(
        f"the label queue {queue.where} {what}; nothing is sent to it and nothing is read from it",
        hint=f"mount the share that holds it, or set [queue] right; if this is the queue from now on: {ADOPT}",
    )


def _note_away(ports: Ports, trouble: Unreachable) -> None:
    """Keep since when the queue is away, and tell people once of an absence that lasts."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        kept = tx.labels.cursor(_record_name(ports.queue))
        since = kept.get("away_since")
        if since is None:
            _save(tx, ports, {"id": None, "marked": False, **kept, "away_since": now.isoformat()})
        elif now - datetime.fromisoformat(since) >= WARN_AFTER:
            warn(tx, ports, f"queue:{ports.queue.name}:away:{since}", "The label queue is away", str(trouble))
        tx.commit()
