"""A broker queue over each broker."""

import pytest

from stratawatch.adapters.queues import sqs_broker
from tests.support.brokers import SHORTLY, RabbitBackend, RedisBackend, SqsBackend


@pytest.fixture(params=[RedisBackend, RabbitBackend, SqsBackend], ids=["redis", "rabbitmq", "sqs"])
def backend(request, tmp_path):
    return request.param(tmp_path / "queue")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Messages that a dead process was given come again soon, and an empty queue is not looked at for long."""
    monkeypatch.setattr(sqs_broker, "HIDDEN_SECONDS", SHORTLY)
    monkeypatch.setattr(sqs_broker, "WAIT_SECONDS", 0)
