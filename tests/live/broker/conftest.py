"""A broker queue over each broker."""

import pytest

from tests.support.brokers import RabbitBackend, RedisBackend


@pytest.fixture(params=[RedisBackend, RabbitBackend], ids=["redis", "rabbitmq"])
def backend(request, tmp_path):
    return request.param(tmp_path / "queue")
