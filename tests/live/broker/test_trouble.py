"""What goes wrong between a queue and its broker: each is a sentence, and nothing is lost."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from stratawatch.adapters.queues.label_message import LARGEST
from stratawatch.errors import StratawatchError, Unreachable
from tests.support.batches import KEY, batch
from tests.support.brokers import (
    PASSWORD,
    RabbitBackend,
    RedisBackend,
    free_port,
    given,
    rabbit_of,
    rabbit_server,
    redis_of,
    redis_server,
)

YES = {"key": "k1", "value": "yes", "annotator": "ann"}


def server_of(backend):
    return redis_server() if isinstance(backend, RedisBackend) else rabbit_server()


def uses(queue):
    return (lambda: queue.publish(batch()), lambda: queue.poll({}))


def test_a_broker_that_is_away_is_unreachable_and_a_batch_goes_out_later(backend):
    backend.queue()
    away = server_of(backend).url.replace(server_of(backend).url.rpartition(":")[2].partition("/")[0], str(free_port()))
    for use in uses(backend.unmarked(url=away)):
        with pytest.raises(Unreachable, match="cannot be reached") as told:
            use()
        assert PASSWORD not in str(told.value)
        with pytest.raises(Unreachable, match="cannot be reached"):
            backend.unmarked(url=away).describe()
    assert backend.asked() == []
    assert not backend.queue().publish(batch()).duplicate
    assert len(backend.asked()) == 3


def test_a_broker_that_hangs_is_left_after_a_while(backend):
    queue = backend.queue()
    group = server_of(backend).process.pid
    os.killpg(group, signal.SIGSTOP)
    try:
        begun = time.monotonic()
        with pytest.raises(Unreachable):
            backend.unmarked(timeout=1).publish(batch())
        assert time.monotonic() - begun < 10
    finally:
        os.killpg(group, signal.SIGCONT)
    queue.publish(batch())
    assert len(backend.asked()) == 3


def test_a_wrong_password_is_one_sentence_without_it(backend):
    backend.queue()
    wrong = server_of(backend).url.replace(PASSWORD, "hunter3")
    for use in uses(backend.unmarked(url=wrong)):
        with pytest.raises(StratawatchError, match=r"does not let us in.*password") as told:
            use()
        assert "hunter3" not in str(told.value)


def test_who_looks_sees_what_waits_and_makes_nothing(backend):
    assert backend.unmarked().describe()["messages at the broker"] in ("0", "not made yet")
    assert not backend.root.exists()
    queue = backend.queue()
    assert queue.describe()["messages at the broker"] == "0"
    backend.post(given(YES))
    time.sleep(0.1)  # RabbitMQ counts a message a moment after it has it
    assert queue.describe()["messages at the broker"] == "1"


def test_a_message_that_is_no_labels_is_set_aside_and_the_next_one_is_read(backend):
    queue = backend.queue()
    for body in (b"\xff\x00", b"[1, 2]", b'{"type": "labels.given"}', b"x" * (LARGEST + 1), given(YES)):
        backend.post(body)
    found = queue.poll({})
    assert [event.item_key for event in found.events] == ["k1"]
    assert len(found.rejected) == 4
    assert queue.poll(found.cursor).rejected == ()


def test_two_that_publish_a_batch_at_the_same_moment_ask_once(backend):
    backend.queue()
    with ThreadPoolExecutor(2) as pool:
        for number in range(20):
            list(pool.map(lambda queue, key=f"b{number}": queue.publish(batch(key)), [backend.queue()] * 2))
    keys = [line["key"] for line in backend.asked()]
    assert len(keys) == len(set(keys)) == 60


def test_as_much_as_a_busy_month_brings(backend):
    queue = backend.queue()
    begun = time.perf_counter()
    for number in range(100):
        queue.publish(batch(f"b{number:03}", count=100))
    publishing = time.perf_counter() - begun
    assert len(backend.asked()) == 10_000
    for begin in range(0, 10_000, 10):
        backend.post(given(*({**YES, "key": f"k{number}"} for number in range(begin, begin + 10))))
    begun, found, cursor = time.perf_counter(), [], {}
    while (polled := queue.poll(cursor)).events:
        found += polled.events
        cursor = polled.cursor
    reading = time.perf_counter() - begun
    assert [event.item_key for event in found] == [f"k{number}" for number in range(10_000)]
    print(f"10,000 items published in {publishing:.1f} s, 10,000 labels read in {reading:.1f} s")
    assert max(publishing, reading) < 60  # alone 1 s each


class TestRedis:
    @pytest.fixture
    def backend(self, tmp_path):
        return RedisBackend(tmp_path / "queue")

    def test_forgets_labels_that_the_store_has_and_no_others(self, backend, monkeypatch):
        monkeypatch.setattr("stratawatch.adapters.queues.broker.AT_ONCE", 100)
        monkeypatch.setattr("stratawatch.adapters.queues.broker.MOST_READS", 10)
        queue = backend.queue()
        for number in range(2000):
            backend.post(given({**YES, "key": f"k{number}"}))
        first = queue.poll({})
        assert len(first.events) == 1000
        stream, redis = f"{backend.name}-labels", redis_of(redis_server().url)
        assert redis.xlen(stream) == 2000  # the store may not have them yet
        second = queue.poll(first.cursor)
        assert len(second.events) == 1000
        assert 1000 <= redis.xlen(stream) < 1200
        assert queue.poll(second.cursor).events == ()
        assert redis.xlen(stream) < 200

    def test_refuses_another_message_under_one_id(self, backend, tmp_path):
        backend.queue().publish(batch())
        other = RedisBackend(tmp_path / "other", backend.name).queue()
        with pytest.raises(StratawatchError, match="two installations"):
            other.publish(batch(count=4))
        assert len(backend.asked()) == 3

    def test_that_is_full_takes_the_batch_later(self, backend):
        queue, redis = backend.queue(), redis_of(redis_server().url)
        redis.config_set("maxmemory", 1)
        try:
            with pytest.raises(StratawatchError, match="room"):
                queue.publish(batch())
        finally:
            redis.config_set("maxmemory", 0)
        assert not queue.publish(batch()).duplicate
        assert len(backend.asked()) == 3


class TestRabbit:
    @pytest.fixture
    def backend(self, tmp_path):
        return RabbitBackend(tmp_path / "queue")

    @pytest.mark.parametrize("which", ["tasks", "labels"])
    def test_a_queue_that_is_missing_is_said_and_made_by_hand_only(self, backend, which):
        queue = backend.queue()
        rabbit_of(rabbit_server().url).queue_delete(f"{backend.name}-{which}")
        use = dict(zip(("tasks", "labels"), uses(queue), strict=True))[which]
        for _ in range(2):
            with pytest.raises(Unreachable, match=f"has no queue {backend.name}-{which}.*adopt-queue"):
                use()
        queue.adopt("ours")
        use()
        assert len(backend.asked()) == (3 if which == "tasks" else 0)

    def test_a_message_that_is_given_again_counts_once(self, backend):
        queue = backend.queue()
        for name, value in (("m1", "yes"), ("m2", "no"), ("m1", "yes"), ("m2", "no")):
            backend.post(given({**YES, "value": value}), name)
        assert [event.value for event in queue.poll({}).events] == ["yes", "no"]

    def test_what_is_sent_outlives_the_server(self, backend):
        backend.queue().publish(batch())
        channel = rabbit_of(rabbit_server().url)
        _, about, _ = channel.basic_get(f"{backend.name}-tasks", auto_ack=True)
        assert (about.delivery_mode, about.message_id, about.content_type) == (2, KEY, "application/json")
        channel.queue_declare(f"{backend.name}-tasks", durable=True)  # refused if it were not
