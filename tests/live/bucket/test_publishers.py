"""Processes that publish one batch at the same moment, or are killed while they publish."""

import signal
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import numpy as np

from stratawatch.adapters.object_storage import ObjectStorage
from stratawatch.adapters.queues.queue_layout import rendered
from tests.support import seed
from tests.support.batches import batch
from tests.support.buckets import server
from tests.support.programs import start

PUBLISHER = """
import sys
from stratawatch.adapters.queues.bucket import BucketQueue
from tests.support.batches import batch
from tests.support.buckets import live_storage
queue = BucketQueue(live_storage(*sys.argv[1:]))
for number in range(40):
    print(int(queue.publish(batch(f"b{number:02}")).duplicate), flush=True)
"""
WHOLE = {f"out/b{number:02}.jsonl": rendered(batch(f"b{number:02}")) for number in range(40)}


def published(backend):
    return {name: content for name, content in backend.objects().items() if name.startswith("out/")}


def test_of_two_that_publish_a_batch_at_the_same_moment_exactly_one_does(backend, monkeypatch):
    both, create = Barrier(2, timeout=30), ObjectStorage.create

    def create_together(self, path, content):
        both.wait()
        return create(self, path, content)

    backend.queue()
    monkeypatch.setattr(ObjectStorage, "create", create_together)
    with ThreadPoolExecutor(2) as pool:
        for key in (f"b{number:02}" for number in range(20)):
            receipts = list(pool.map(lambda queue, key=key: queue.publish(batch(key)), [backend.queue()] * 2))
            assert sorted(receipt.duplicate for receipt in receipts) == [False, True]
    assert published(backend) == {name: WHOLE[name] for name in sorted(WHOLE)[:20]}


def test_two_processes_that_publish_the_same_batches_publish_each_once(backend, place):
    backend.queue()
    processes = [start("-c", PUBLISHER, place, server()) for _ in range(2)]
    duplicates = [list(map(int, process.communicate(timeout=60)[0].split())) for process in processes]
    assert [sum(pair) for pair in zip(*duplicates, strict=True)] == [1] * 40
    assert published(backend) == WHOLE


def test_one_that_is_killed_at_any_moment_loses_and_doubles_nothing(backend, place):
    backend.queue()
    moments = np.random.default_rng(seed.session_seed())
    for most in (10, 20, 30):
        process = start("-c", PUBLISHER, place, server())
        for _ in range(most):
            assert process.stdout.readline()
        sleep(moments.uniform(0, 0.01))
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
        found = published(backend)
        assert len(found) >= most
        assert found.items() <= WHOLE.items()
    process = start("-c", PUBLISHER, place, server())
    said = process.communicate(timeout=60)[0].split()
    assert said[:30] == ["1"] * 30
    assert published(backend) == WHOLE
