"""Processes that die at each commit and each call of the broker, before it and after it."""

from functools import partial

from botocore.client import BaseClient
from pika.adapters.blocking_connection import BlockingChannel
from redis import Redis

from tests.support import deaths
from tests.support.batches import KEY, batch
from tests.support.brokers import RedisBackend, given

CALLS = (
    (Redis, "execute_command"),
    (BaseClient, "_make_api_call"),
    *((BlockingChannel, name) for name in ("queue_declare", "basic_publish", "basic_get", "basic_ack")),
)
until_it_lives = partial(deaths.until_it_lives, calls=CALLS)
ITEMS = [f"{KEY}-{number}" for number in range(3)]


def test_a_batch_is_asked_once_whenever_those_who_publish_it_die(backend):
    backend.queue()
    assert until_it_lives(lambda: backend.queue().publish(batch())) >= 5
    assert [line["key"] for line in backend.asked()] == ITEMS
    assert backend.queue().publish(batch()).duplicate


def test_redis_has_it_once_too(tmp_path):
    backend = RedisBackend(tmp_path / "queue")
    backend.queue()
    until_it_lives(lambda: backend.queue().publish(batch()))
    assert [name for name, _ in backend.messages()] == [KEY]


def test_a_queue_is_made_whenever_those_who_make_it_die(backend):
    assert until_it_lives(backend.queue) >= 5
    assert backend.queue().identity() == "ours"


def test_labels_are_read_once_whenever_readers_die(backend):
    queue = backend.queue()
    for value in ("yes", "no", "yes"):
        backend.post(given({"key": "k1", "value": value, "annotator": "ann"}))
    assert until_it_lives(lambda: backend.queue().poll({})) >= 4
    backend.wait_until_given_again()
    backend.queue().poll({})
    backend.post(given({"key": "k2", "value": "skip", "annotator": "ann"}))
    until_it_lives(lambda: backend.queue().poll({}))
    backend.wait_until_given_again()
    events = queue.poll({}).events
    assert [(event.item_key, event.value) for event in events] == [
        ("k1", "yes"),
        ("k1", "no"),
        ("k1", "yes"),
        ("k2", "skip"),
    ]
    assert len({event.event_id for event in events}) == 4


def test_a_withdrawn_batch_is_asked_no_more_whenever_those_who_withdraw_it_die(backend):
    backend.queue().publish(batch())
    assert until_it_lives(lambda: backend.queue().cancel([KEY])) >= 5
    assert backend.asked() == []
    assert backend.queue().withdrawn_keys() == {KEY}
