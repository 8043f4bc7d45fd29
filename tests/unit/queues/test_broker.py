"""What a broker queue says where its settings cannot be right. What it does is in tests/live/broker."""

from contextlib import contextmanager

import pytest

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.queues import answer_book
from stratawatch.adapters.queues.broker import BrokerQueue, BrokerSettings, Given
from stratawatch.errors import ConfigError
from stratawatch.extras import EXTRAS, MissingExtra
from tests.support.label_services import given


def built(monkeypatch, folder, url, **more):
    monkeypatch.setenv("LABELS_BROKER", url)
    settings = BrokerSettings.model_validate({"kind": "broker", "url": "${env:LABELS_BROKER}", **more})
    return settings.build(BuildContext(folder))


@pytest.mark.parametrize(
    "url",
    ["redis://127.0.0.1:6379/0", "rediss://u:p@redis.example.org", "amqps://u:p@mq.example.org/v", "sqs://eu-west-1"],
)
def test_an_address_is_one_of_redis_rabbitmq_or_sqs(monkeypatch, tmp_path, url):
    assert isinstance(built(monkeypatch, tmp_path, url), BrokerQueue)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redis://:hunter2@redis.example.org", "unencrypted.*rediss://"),
        ("amqp://u:hunter2@mq.example.org", "unencrypted.*amqps://"),
        ("kafka://u:hunter2@example.org", "no address of a broker"),
        ("hunter2", "no address of a broker"),
        ("redis://:hunter2@127.0.0.1:99999/0", "no address of a broker"),
        ("amqp://u:hunter2@127.0.0.1:port/v", "no address of a broker"),
        ("redis://[hunter2", "no address of a broker"),
        ("redis://:hunter2@127.0.0.1 :6379/0", "no address of a broker"),
        ("sqs://id:hunter2@eu-west-1?endpoint=http://sqs.example.org", "unencrypted.*https://"),
        ("sqs://id:hunter2@eu-west-1/queue", "no address of SQS"),
        ("sqs://id:hunter2@eu-west-1?region=other", "no address of SQS"),
    ],
)
def test_another_is_refused_and_not_shown(monkeypatch, tmp_path, url, words):
    with pytest.raises(ConfigError, match=words) as refused:
        built(monkeypatch, tmp_path, url)
    assert "hunter2" not in str(refused.value)


def test_tasks_and_labels_are_two(monkeypatch, tmp_path):
    with pytest.raises(ConfigError, match="one and the same"):
        built(monkeypatch, tmp_path, "redis://localhost", tasks="a", labels="a")


@pytest.mark.parametrize(
    ("url", "extra"), [("redis://localhost", "redis"), ("amqp://localhost", "rabbitmq"), ("sqs://r", "sqs")]
)
def test_a_missing_package_is_named(monkeypatch, tmp_path, url, extra):
    monkeypatch.setitem(EXTRAS, extra, ("no_such_package",))
    with pytest.raises(MissingExtra, match=f"stratawatch.{extra}"):
        built(monkeypatch, tmp_path, url)


class OneMessage:
    """A broker that has one message with labels, and counts how often it is asked."""

    def __init__(self, body):
        self.asked, self.left = 0, [Given("m1", body)]

    def make(self):
        pass

    def forget(self, read):
        pass

    @contextmanager
    def given(self, after, most):
        self.asked += 1
        yield self.left
        self.left = []


def test_a_broker_is_not_asked_while_its_file_has_as_much_as_a_poll_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(answer_book, "MOST_READ", 3)
    there = OneMessage(given(*({"key": f"k{number}", "value": "yes"} for number in range(7))))
    queue = BrokerQueue(tmp_path / "queue", there)
    queue.adopt("ours")
    cursor, found, asked = {}, [], []
    for _ in range(4):
        polled = queue.poll(cursor)
        cursor, found = polled.cursor, found + [event.item_key for event in polled.events]
        asked.append(there.asked)
    assert found == [f"k{number}" for number in range(7)]
    assert asked == [2, 2, 3, 4]
