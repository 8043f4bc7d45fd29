"""kill -9 in mid transaction leaves nothing, and right after a commit loses nothing."""

import signal

from tests.support.programs import start
from tests.support.store.examples import MINUTE, NOW, open_cycle, planned_round

VICTIM = """
import sys
from stratawatch.adapters.store import open_store
from stratawatch.engine.model.states import *
from tests.support.store.examples import *
with open_store(sys.argv[1]).begin() as tx:
    planned = planned_round(tx)
    tx.labels.add([said("a", "e1")], NOW)
    tx.move(Entity.CYCLE, planned.cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="")
    tx.leases.take("advance", "victim", NOW, NOW + MINUTE)
    if sys.argv[2] == "after":
        tx.commit()
        tx.cycles.count_failure(planned.cycle, "begun, never finished")
    print("ready", flush=True)
    sys.stdin.read()
"""


def kill(url, when):
    victim = start("-c", VICTIM, url, when)
    assert victim.stdout.readline() == "ready\n"
    victim.send_signal(signal.SIGKILL)
    assert victim.wait(timeout=30) == -signal.SIGKILL


def test_in_mid_transaction_leaves_nothing_and_blocks_nobody(store_url, open_stores):
    kill(store_url, "before")
    kill(store_url, "before")
    with open_stores().begin() as tx:
        assert (tx.panels.latest(), tx.cycles.find(), tx.cycles.transitions(), tx.labels.newest_event_id()) == (
            {},
            (),
            (),
            0,
        )
        assert tx.leases.take("advance", "next", NOW, NOW + MINUTE)
        assert planned_round(tx).cycle is not None
        tx.commit()


def test_after_a_commit_loses_nothing_of_it_and_keeps_nothing_beyond(store_url, open_stores):
    kill(store_url, "after")
    with open_stores().begin() as tx:
        (cycle,) = tx.cycles.find()
        assert (cycle.state, cycle.failures) == ("frozen", 0)
        assert len(tx.rounds.draws(cycle.id)) == 3
        assert len(tx.labels.of_panel("spam")) == 1
        assert len(tx.cycles.transitions()) == 1
        assert not tx.leases.take("advance", "next", NOW, NOW + MINUTE)
        assert open_cycle(tx, 1) is not None
