"""A hundred thousand label events through every queue into a store, and all of them again."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from time import perf_counter

import pytest

from stratawatch.engine.labels.collect_labels import Collected, collect_labels
from tests.support.fakes import ManualClock
from tests.support.scenario import Scenario
from tests.support.store.examples import item_key, planned_round
from tests.support.stores import empty_store
from tests.support.wall_time import seconds_within

EVENTS = 100_000 if os.environ.get("TEST_LIVE") else 11_000
"""More than any queue reads in one poll, where the suite is to be quick."""
SLOW = {"label_studio": 1_000}
"""Of servers that take minutes for as many; `TEST_EVENTS=100000` asks them for all."""
REPLAYED_WITHIN = 10.0
"""Seconds, where what came lies in a file of ours or in a bucket."""
ITEMS = tuple(f"i{number}" for number in range(1000))


@pytest.fixture
def ports(backend, tmp_path):
    """A store that has drawn a thousand items, and the queue, which is empty."""
    ports = replace(Scenario.around(empty_store(tmp_path / "store.db")).ports, queue=backend.unmarked())
    ports = replace(ports, clock=ManualClock(datetime.now(UTC)))
    with ports.store.begin() as tx:
        planned_round(tx, items=ITEMS)
        tx.commit()
    collect_labels(ports)
    return ports


def answers(number):
    keys, at = [item_key("spam", name) for name in ITEMS], datetime.now(UTC).isoformat()
    return [
        {"key": keys[i % len(keys)], "value": "yes", "annotator": f"a{i // len(keys)}", "at": at, "event_id": f"e{i}"}
        for i in range(number)
    ]


def kept(ports):
    with ports.store.begin() as tx:
        return tx.labels.newest_event_id()


def replayed(ports):
    """Read the queue from its beginning."""
    with ports.store.begin() as tx:
        tx.labels.save_cursor(ports.queue.name, {}, ports.clock.now())
        tx.commit()
    return collect_labels(ports)


def test_a_hundred_thousand_events_come_in_once_and_a_full_replay_adds_nothing(backend, ports, request):
    kind = request.node.callspec.params["backend"]
    number = int(os.environ.get("TEST_EVENTS", SLOW.get(kind, EVENTS)))
    limit = inf if kind in SLOW else REPLAYED_WITHIN
    begun = perf_counter()
    backend.give(answers(number))
    giving = perf_counter() - begun
    begun = perf_counter()
    assert collect_labels(ports) == Collected(new=number)
    reading = perf_counter() - begun
    assert kept(ports) == number
    found = []
    seconds = seconds_within(limit, lambda: found.append(replayed(ports)))
    assert set(found) == {Collected(repeated=number)}
    assert kept(ports) == number
    print(f"{number:,} given in {giving:.1f} s, read in {reading:.1f} s, read again in {seconds:.1f} s")
    assert seconds < limit
