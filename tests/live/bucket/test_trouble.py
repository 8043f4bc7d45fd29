"""A bucket that is not there, credentials that are refused, and a server that ended: a sentence each, and no secret."""

import logging
from urllib.request import Request, urlopen

import pytest

from stratawatch.adapters.queues.bucket import BucketQueue
from stratawatch.errors import Unreachable
from tests.support.batches import batch
from tests.support.buckets import SECRET, live_storage
from tests.support.moto_server import start_moto

USES = {
    "identity": lambda queue: queue.identity(),
    "adopt": lambda queue: queue.adopt("ours"),
    "publish": lambda queue: queue.publish(batch()),
    "poll": lambda queue: queue.poll({}),
    "cancel": lambda queue: queue.cancel(["a"]),
    "asked_keys": lambda queue: queue.asked_keys(),
    "describe": lambda queue: queue.describe(),
}


@pytest.fixture
def moto():
    """A server of its own."""
    address, process = start_moto()
    yield address, process
    process.kill()
    process.wait()


def sentences(queue, uses, caplog):
    """What each use is refused with."""
    caplog.set_level(logging.DEBUG)
    said = []
    for use in uses:
        with pytest.raises(Unreachable) as refused:
            USES[use](queue)
        said.append(str(refused.value))
    assert not any(SECRET in text or "\n" in text for text in (*said, caplog.text.replace("\n", " ")))
    return said


def test_credentials_that_are_refused(moto, caplog):
    address, _ = moto
    queue = BucketQueue(live_storage("queue", address))
    queue.adopt("ours")
    # From now on the server wants a key that it knows.
    urlopen(Request(f"{address}/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"}))  # noqa: S310
    for sentence in sentences(queue, USES, caplog):
        assert "the credentials may list" in sentence


def test_a_bucket_that_does_not_exist(moto, caplog):
    queue = BucketQueue(live_storage("queue", moto[0], "nowhere"))
    assert queue.identity() == ""
    for sentence in sentences(queue, set(USES) - {"identity"}, caplog):
        assert "s3://nowhere/queue cannot" in sentence
        assert "see that" in sentence


def test_a_server_that_ends(moto, caplog):
    queue = BucketQueue(live_storage("queue", moto[0]))
    queue.adopt("ours")
    assert not queue.publish(batch()).duplicate
    moto[1].kill()
    for sentence in sentences(queue, USES, caplog):
        assert "the network is up" in sentence
