"""Compares the batches that the store has sent with those in the queue: lost ones go out again, closed ones leave."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from stratawatch.engine.alarms.notifications import warn
from stratawatch.engine.labels.dispatch_batch import with_expiry
from stratawatch.engine.labels.queue_identity import require_queue
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.engine.model.idempotency_keys import round_key_of_batch
from stratawatch.engine.model.states import BatchState
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text

AGAIN: Final = "batches published again"
"""The cursor of sent batches that went out a second time: a queue that loses them again needs a person.

Its `keys` went out again, `due` are about to, `lost` were lost since, `withdrawn` are put away though the store waits.
"""
UNPLANNED: Final = "batches without a plan"
"""The cursor of batches that people are asked about and whose round the store has not planned, in its `keys`.

They were sent before the store was restored. Their labels wait, and count once their items are drawn.
"""
SHOWN: Final = 5

_Record = Mapping[str, Sequence[str]]


def reconcile_queue(ports: Ports) -> int:
    """Publish sent batches again that the queue has lost, and take closed ones out of it; returns how many of both.

    A batch is published again once: a tool that takes files out of the queue would else be given it for ever.
    """
    queue = require_queue(ports)
    asked = queue.asked_keys()
    _tell_of_unknown(ports, asked)
    with ports.store.begin() as tx:
        sent = tx.rounds.batch_keys([BatchState.SENT])
        closed = sorted(tx.rounds.batch_keys([BatchState.CLOSED], among=asked))
        cursor = tx.labels.cursor(AGAIN)
    before, due = frozenset(cursor.get("keys", ())), frozenset(cursor.get("due", ())) & sent
    lost, withdrawn = sent - asked, frozenset[str]()
    if lost:  # a person, or the store of before a restore, may have put them away
        withdrawn = (lost & queue.withdrawn_keys()) - due
        lost -= queue.batch_keys()
    if closed:
        queue.close(closed)
    fresh = lost - before - due
    if fresh:  # noted before they go, so that people hear of it even if this process is killed in between
        due |= fresh
        begun = {**cursor, "keys": sorted(before), "due": sorted(due)}
        with ports.store.begin() as tx:
            cursor = _save(tx, ports, cursor, begun)
            tx.commit()
    _publish_again(ports, due)
    record = {
        "keys": sorted((before & sent) | lost | due),
        "lost": sorted((lost & before) - due),
        "withdrawn": sorted(withdrawn),
    }
    if due or lost or any(cursor.get(name, []) != keys for name, keys in record.items()):
        _remember(ports, cursor, record, sorted(due))
    return len(closed) + len(due)


def _tell_of_unknown(ports: Ports, asked: frozenset[str]) -> None:
    """Tell people of batches that the store does not know though it has planned their round: with other items.

    A store that was restored may plan a round otherwise than the one that was lost. They are not withdrawn: a copy of
    the store must not take batches from the queue that the original works with. Those whose round it has not planned
    yet are kept for `status` to name, for nobody has to do anything.
    """
    with ports.store.begin() as tx:
        unknown = asked - tx.rounds.batch_keys(among=asked)
        planned = {round_key_of_batch(key) for key in tx.rounds.batch_keys()} if unknown else frozenset[str]()
        lost = sorted(key for key in unknown if round_key_of_batch(key) in planned)
        unplanned = sorted(unknown.difference(lost))
        is_changed = tx.labels.cursor(UNPLANNED).get("keys", []) != unplanned
        if is_changed:
            tx.labels.save_cursor(UNPLANNED, {"keys": unplanned}, ports.clock.now())
        if lost:
            body = (
                f"{_named(lost)}: a store that was restored has planned this round with other items. Labels of items "
                f"that both plans drew count. Take these batches out of the queue {ports.queue.where}, so that nobody "
                "works on them in vain."
            )
            warn(tx, ports, f"queue:lost plan:{_digest(lost)}", "The label queue holds batches of a lost plan", body)
        if lost or is_changed:
            tx.commit()


def _publish_again(ports: Ports, keys: frozenset[str]) -> None:
    """Publish sent batches under their keys, as they were."""
    if not keys:
        return
    with ports.store.begin() as tx:
        sent = tx.rounds.batches(states=[BatchState.SENT])
        batches = [with_expiry(tx, batch) for batch in sent if batch.key in keys]
    ports.queue.ask_again(sorted(keys))
    for batch in batches:
        ports.queue.publish(batch)


def _save(tx: Transaction, ports: Ports, before: _Record, record: _Record) -> _Record:
    """Save the record that follows from the one of before, with what `cycles resend` has changed since; returns it.

    What a person asks for again is taken out of the lists, and what was withdrawn becomes due.
    """
    stored = tx.labels.cursor(AGAIN, lock=True)
    resent = {key for name in before if name != "due" for key in {*before[name]} - {*stored.get(name, ())}}
    due = {*stored.get("due", ())} - {*before.get("due", ())}
    kept = {name: sorted({*keys} - resent) for name, keys in record.items()}
    kept["due"] = sorted({*kept.get("due", ())} | due)
    tx.labels.save_cursor(AGAIN, kept, ports.clock.now())
    return kept


def _remember(ports: Ports, before: _Record, record: _Record, again: Sequence[str]) -> None:
    """Keep what became of sent batches, and tell people of those that went out again, are lost, or were withdrawn."""
    lost_twice, withdrawn = record["lost"], record["withdrawn"]
    with ports.store.begin() as tx:
        _save(tx, ports, before, record)
        if withdrawn:
            body = (
                f"{_named(withdrawn)}: somebody withdrew them from the queue {ports.queue.where}, or the store did "
                "before a backup of it was restored, and their cycles wait for the labels. "
                f"`{cycle_command('resend')}` asks for them again, `{cycle_command('cancel')}` gives a cycle up."
            )
            subject = "Batches wait that were withdrawn from the label queue"
            warn(tx, ports, f"queue:withdrawn:{_digest(withdrawn)}", subject, body)
        if again:
            body = f"{_named(again)}: the queue {ports.queue.where} did not hold what was sent to it. Nothing to do."
            warn(
                tx,
                ports,
                f"queue:again:{_today(ports)}:{_digest(again)}",
                "Batches were sent to the label queue again",
                body,
            )
        if lost_twice:
            body = (
                f"{_named(lost_twice)}: the queue {ports.queue.where} has lost what was sent to it a second time. Find "
                f"out who takes it away; `{cycle_command('resend')}` sends the batches of a cycle again."
            )
            warn(tx, ports, f"queue:lost:{_today(ports)}:{_digest(lost_twice)}", "The label queue loses batches", body)
        tx.commit()


def _today(ports: Ports) -> str:
    """What makes people hear of it again every day for as long as it lasts."""
    return f"{ports.clock.now():%Y-%m-%d}"


def _digest(keys: Sequence[str]) -> str:
    return sha256("\n".join(keys).encode()).hexdigest()[:8]


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
    return f"{count_text(len(keys), 'batch', 'batches')}, {', '.join(keys[:SHOWN])}{more}"
