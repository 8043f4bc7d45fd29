"""What a racing process does: contest after contest, win as much as it can and print what it won as JSON.

Run as `python -m tests.support.store.contests URL NAME`; every line of its input starts a contest.
"""

import json
import sys

from stratawatch.adapters.store import open_store
from stratawatch.engine.model.states import BatchState, Entity
from stratawatch.errors import StaleState
from tests.support.store.examples import MINUTE, NOW, open_cycle, said

ROUNDS = 30


def attempts(store, name, contest):
    """Everything there is to win, in the same order for everybody."""
    for number in range(ROUNDS):
        with store.begin() as tx:
            won = contest(tx, name, number)
            if won:
                tx.commit()
        if won:
            yield number


def move(tx, name, number):
    batch = tx.rounds.batches()[number]
    if batch.state != BatchState.PLANNED:
        return False
    try:
        tx.move(Entity.BATCH, batch.id, BatchState.PLANNED, BatchState.SENT, at=NOW, why=name)
    except StaleState:
        return False
    return True


def claim(tx, name, number):
    batch = tx.rounds.batches()[number]
    return tx.rounds.claim(batch.id, name, NOW, NOW + MINUTE)


def lease(tx, name, number):
    return tx.leases.take(f"lease {number}", name, NOW, NOW + MINUTE)


def cycle(tx, name, number):
    return open_cycle(tx, number, panel="raced") is not None


def event(tx, name, number):
    return tx.labels.add([said("i0", f"event {number}")], NOW)[0] == 1


def notify(tx, name, number):
    """Claim one and send it: what a holder has claimed and not sent, it may claim again."""
    claimed = tx.outbox.claim(name, NOW, NOW + MINUTE, 1)
    for notification in claimed:
        tx.outbox.mark_sent(notification.id, name, NOW)
    return bool(claimed)


CONTESTS = {each.__name__: each for each in (claim, move, lease, cycle, event, notify)}


def main(url, name):
    store = open_store(url)
    with store.begin() as tx:
        tx.cycles.find()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(list(attempts(store, name, CONTESTS[line.strip()]))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
