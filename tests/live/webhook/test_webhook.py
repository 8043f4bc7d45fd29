"""A webhook queue between processes, with a service that signs and verifies by the package standardwebhooks."""

import json
from time import perf_counter, sleep

import numpy as np

from stratawatch.adapters.queues.message_queue import message_id
from tests.live.webhook.conftest import SECOND_KEY, killed
from tests.support import seed
from tests.support.batches import batch
from tests.support.label_services import OTHER_RECEIVE, OTHER_SEND, SEND
from tests.support.programs import start

BATCHES = 40
PUBLISHER = """
import sys, time
from pydantic import SecretStr
from stratawatch.adapters.queues.webhook import WebhookQueue
from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.errors import Unreachable
from tests.support.batches import batch
from tests.support.label_services import SEND
from pathlib import Path
queue = WebhookQueue(Path(sys.argv[1]), SecretAddress("the service", SecretStr(sys.argv[2]), timeout=10), (SEND,))
for number in range(40):
    while True:
        try:
            queue.publish(batch(f"b{number:02}"))
            break
        except Unreachable:
            time.sleep(0.02)
    print(number, flush=True)
"""


def polled(queue, cursor=None):
    """All events that came since a cursor, and the cursor after them."""
    cursor, found = cursor or {}, []
    while True:
        result = queue.poll(cursor)
        assert not result.rejected
        cursor = result.cursor
        if not result.events:
            return found, cursor
        found += result.events


def ended_well(process):
    said = process.communicate(timeout=120)[0].split()
    assert process.returncode == 0
    return said


def test_both_sides_are_killed_at_any_moment_and_every_batch_arrives_once(sides):
    sides.queue()
    moments = np.random.default_rng(seed.session_seed())
    service = sides.service()
    for most in (8, 16, 24, 32):
        publisher = start("-c", PUBLISHER, sides.folder / "queue", sides.url)
        sides.stack.callback(killed, publisher)
        for _ in range(most):
            assert publisher.stdout.readline()
        sleep(moments.uniform(0, 0.01))
        killed(service if most % 16 else publisher)
        if most % 16:
            service = sides.service()
            sleep(moments.uniform(0, 0.01))
            killed(publisher)
    publisher = start("-c", PUBLISHER, sides.folder / "queue", sides.url)
    sides.stack.callback(killed, publisher)
    assert len(ended_well(publisher)) == BATCHES
    expected = {f"b{number:02}": [f"b{number:02}-{item}" for item in range(3)] for number in range(BATCHES)}
    kept = {
        name: [task["key"] for task in json.loads(body)["data"]["tasks"]] for name, body in sides.messages().items()
    }
    assert kept == expected
    assert {status for _, status in sides.answers()} <= {201, 208}
    new = [name for name, status in sides.answers() if status == 201]
    assert len(set(new)) == len(new)


def test_an_ending_is_heard_by_a_service_that_was_killed(sides):
    service = sides.service()
    sides.queue().publish(batch())
    killed(service)
    sides.queue().cancel([batch().key])
    assert set(sides.messages()) == {batch().key}
    sides.service()
    sides.queue().poll({})
    withdrawn = message_id("batch.withdrawn", batch().key, 0).replace(":", "_")
    assert set(sides.messages()) == {batch().key, withdrawn}


def test_a_key_of_ours_is_changed_while_batches_go_out(sides):
    service = sides.service(SEND)
    for number, keys in enumerate(((SEND,), (SEND, OTHER_SEND))):
        sides.queue(*keys).publish(batch(f"a{number}"))
    killed(service)
    service = sides.service(OTHER_SEND)
    for number, keys in enumerate(((SEND, OTHER_SEND), (OTHER_SEND,))):
        sides.queue(*keys).publish(batch(f"b{number}"))
    assert sides.answers() == [("a0", 201), ("a1", 201), ("b0", 201), ("b1", 201)]


def test_a_hundred_thousand_labels_come_once_while_a_key_is_changed_and_we_are_killed(sides):
    queue = sides.queue()
    moments = np.random.default_rng(seed.session_seed())
    web = sides.web()
    begun = perf_counter()
    sender = sides.sender(0, 50)
    for _ in range(3):
        for _ in range(12):
            assert sender.stdout.readline()
        sleep(moments.uniform(0, 0.02))
        killed(web)
        web = sides.web()
    ended_well(sender)
    killed(web)
    sides.configure(SECOND_KEY)
    web = sides.web()
    assert len(ended_well(sides.sender(50, 100, OTHER_RECEIVE))) == 50
    taken = perf_counter() - begun
    begun = perf_counter()
    events, cursor = polled(queue)
    read = perf_counter() - begun
    assert sorted(event.item_key for event in events) == sorted(f"k{number}" for number in range(100_000))
    assert len({event.event_id for event in events}) == 100_000

    begun = perf_counter()
    assert len(ended_well(sides.sender(0, 100))) == 100
    replayed = perf_counter() - begun
    assert polled(queue, cursor) == ([], cursor)
    assert polled(queue)[0] == events
    print(f"100,000 labels taken in {taken:.1f} s with 4 starts, read in {read:.1f} s, replayed in {replayed:.1f} s")
    assert read < 10
    assert replayed < 10
