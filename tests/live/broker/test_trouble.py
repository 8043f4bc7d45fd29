"""What goes wrong between a queue and its broker: each is a sentence, and nothing is lost."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.client import BaseClient

from stratawatch.adapters.queues import sqs_broker
from stratawatch.adapters.queues.label_message import LARGEST
from stratawatch.errors import StratawatchError, Unreachable
from tests.support.batches import KEY, batch
from tests.support.brokers import (
    PASSWORD,
    FifoBackend,
    RabbitBackend,
    RedisBackend,
    SqsBackend,
    given,
    rabbit_of,
    rabbit_server,
    redis_of,
    redis_server,
    sqs_of,
    sqs_server,
)
from tests.support.deaths import until_it_lives
from tests.support.free_ports import free_port

YES = {"key": "k1", "value": "yes", "annotator": "ann"}


SERVERS = {RedisBackend: redis_server, RabbitBackend: rabbit_server, SqsBackend: sqs_server}


def server_of(backend):
    return SERVERS[type(backend)]()


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


@pytest.mark.parametrize("backend", [RedisBackend, RabbitBackend], indirect=True)
def test_a_wrong_password_is_one_sentence_without_it(backend):
    """Moto lets everybody in."""
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
    for body in (
        b"\xff\x00" if not isinstance(backend, SqsBackend) else b"junk",
        b"[1, 2]",
        b'{"type": "labels.given"}',
        b"x" * (_largest(backend)),
        given(YES),
    ):
        backend.post(body)
    found = queue.poll({})
    assert [event.item_key for event in found.events] == ["k1"]
    assert len(found.rejected) == 4
    assert queue.poll(found.cursor).rejected == ()


def _largest(backend):
    """More than labels may be; SQS refuses it itself."""
    return 200_000 if isinstance(backend, SqsBackend) else LARGEST + 1


def test_two_that_publish_a_batch_at_the_same_moment_ask_once(backend):
    backend.queue()
    with ThreadPoolExecutor(2) as pool:
        for number in range(20):
            list(pool.map(lambda queue, key=f"b{number}": queue.publish(batch(key)), [backend.queue()] * 2))
    keys = [line["key"] for line in backend.asked()]
    assert len(keys) == len(set(keys)) == 60


def test_as_much_as_a_busy_month_brings(backend, monkeypatch):
    monkeypatch.setattr(sqs_broker, "HIDDEN_SECONDS", 60)
    queue = backend.queue()
    begun = time.perf_counter()
    for number in range(100):
        queue.publish(batch(f"b{number:03}", count=100))
    publishing = time.perf_counter() - begun
    assert len(backend.asked()) == 10_000
    together = 100 if isinstance(backend, SqsBackend) else 10  # moto looks through all messages for each
    for begin in range(0, 10_000, together):
        backend.post(given(*({**YES, "key": f"k{number}"} for number in range(begin, begin + together))))
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

    def test_has_a_batch_once_whenever_those_who_publish_it_die(self, backend):
        backend.queue()
        assert until_it_lives(lambda: backend.queue().publish(batch()), backend.steps()) >= 2
        assert [name for name, _ in backend.messages()] == [KEY]

    @pytest.mark.parametrize("end", ["close", "cancel"])
    def test_what_was_asked_goes_with_the_end_of_its_batch(self, backend, end):
        queue = backend.queue()
        queue.publish(batch())
        queue.publish(batch(key="other"))
        for _ in range(2):
            getattr(queue, end)([KEY])
        ended = {"close": "closed", "cancel": "withdrawn"}[end]
        assert [name for name, _ in backend.messages()] == ["other", f"{KEY}:{ended}:0"]
        assert queue.publish(batch()).duplicate
        assert len(backend.messages()) == 2

    def test_a_batch_that_goes_out_again_goes_with_its_second_end(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        queue.cancel([KEY])
        queue.ask_again([KEY])
        queue.publish(batch())
        assert len(backend.asked()) == 3
        queue.close([KEY])
        assert [name for name, _ in backend.messages()] == [f"{KEY}:withdrawn:0", f"{KEY}:closed:1"]

    def test_what_an_earlier_release_sent_is_known_and_stays(self, backend):
        """It kept no entries beside the digests of messages."""
        queue, redis, hashed = backend.queue(), redis_of(redis_server().url), f"{{{backend.name}-tasks}}:sent"
        queue.publish(batch())
        redis.hset(hashed, KEY, redis.hget(hashed, KEY)[:64])
        (backend.root / "broker.sqlite3").unlink()
        backend.queue().publish(batch())
        assert len(backend.messages()) == 1
        backend.queue().close([KEY])
        assert len(backend.messages()) == 2

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


class TestSqs:
    @pytest.fixture(params=[SqsBackend, FifoBackend], ids=["standard", "fifo"])
    def backend(self, request, tmp_path):
        return request.param(tmp_path / "queue")

    @pytest.mark.parametrize("which", ["tasks", "labels"])
    def test_a_queue_that_is_missing_is_said_and_made_by_hand_only(self, backend, which):
        queue, sqs = backend.queue(), sqs_of(sqs_server().url)
        name = f"{backend.name}-{which}{backend.ending}"
        sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName=name)["QueueUrl"])
        use = dict(zip(("tasks", "labels"), uses(queue), strict=True))[which]
        for _ in range(2):
            with pytest.raises(Unreachable, match=f"has no queue {name}.*adopt-queue"):
                use()
        queue.adopt("ours")
        use()
        assert len(backend.asked()) == (3 if which == "tasks" else 0)

    def test_labels_are_kept_once_and_acknowledged(self, backend):
        queue = backend.queue()
        for value in ("yes", "no"):
            backend.post(given({**YES, "value": value}))
        assert sorted(event.value for event in queue.poll({}).events) == ["no", "yes"]
        backend.wait_until_given_again()
        assert queue.describe()["messages at the broker"] == "0"
        assert len(queue.poll({}).events) == 2

    def test_labels_that_were_given_again_count_once(self, backend, monkeypatch):
        queue = backend.queue()
        backend.post(given(YES))
        real = BaseClient._make_api_call

        def forgetful(client, operation, parameters):
            return {} if operation == "DeleteMessageBatch" else real(client, operation, parameters)

        monkeypatch.setattr(BaseClient, "_make_api_call", forgetful)
        assert len(queue.poll({}).events) == 1
        backend.wait_until_given_again()
        assert queue.describe()["messages at the broker"] == "1"
        assert len(queue.poll({}).events) == 1

    def test_what_it_makes_is_kept_for_two_weeks(self, backend):
        backend.queue()
        sqs = sqs_of(sqs_server().url)
        for which in ("tasks", "labels"):
            url = sqs.get_queue_url(QueueName=f"{backend.name}-{which}{backend.ending}")["QueueUrl"]
            about = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
            assert about["MessageRetentionPeriod"] == "1209600"
            assert about.get("FifoQueue", "false") == ("true" if backend.ending else "false")

    def test_a_batch_that_is_too_large_is_refused_and_says_so(self, backend):
        with pytest.raises(StratawatchError, match="batch_size of the panel lower"):
            backend.queue().publish(batch(count=40_000))
