"""Brokers with a stream or queue in each direction for each installation, and a labelling tool at their other side.

The tool looks at what was sent and leaves it there, so that every process sees all of it.
"""

import atexit
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import urlsplit
from uuid import uuid4

from benchmarks.chaos import stream_reader
from benchmarks.chaos.places import MessagePlace
from benchmarks.chaos.web_annotators import ServiceAnnotator
from benchmarks.chaos.world import Tick
from tests.support import brokers

Sent = tuple[str, bytes]
"""The id of a message, and its body."""


class Tool(Protocol):
    """A labelling tool at one kind of broker."""

    def begin(self) -> str:
        """Start the server, once; its address."""
        ...

    def sent(self, run: str) -> list[Sent]:
        """All messages that an installation has sent, in order, some of them twice."""
        ...

    def give(self, run: str, body: str) -> None:
        """Send an installation labels."""
        ...

    def wait_after_a_kill(self) -> None:
        """Wait until others are given what the killed process had been given."""
        ...


class Redis:
    """Streams. Somebody reads them all the time, as tools do: what was asked leaves them when its batch ends."""

    def begin(self) -> str:
        url = brokers.redis_server().url
        reader = subprocess.Popen([sys.executable, "-m", stream_reader.__name__, url])
        atexit.register(reader.kill)
        return url

    def sent(self, run: str) -> list[Sent]:
        redis = brokers.redis_of(os.environ["CHAOS_BROKER"])
        stream_reader.keep_entries(redis, run)
        seen = stream_reader.kept_entries(redis, run)
        order = sorted(seen, key=lambda entry: tuple(map(int, entry.split(b"-"))))
        return [(number.decode(), body) for number, _, body in (seen[entry].partition(b" ") for entry in order)]

    def give(self, run: str, body: str) -> None:
        brokers.redis_of(os.environ["CHAOS_BROKER"]).xadd(f"{run}-labels", {"body": body})

    def wait_after_a_kill(self) -> None:
        """It forgets nothing that was only read."""


class RabbitMq:
    """Queues of AMQP. A message that was not acknowledged is given again once its connection has ended."""

    def begin(self) -> str:
        return brokers.rabbit_server().url

    def sent(self, run: str) -> list[Sent]:
        from pika.exceptions import ChannelClosedByBroker

        found: list[Sent] = []
        with self._channel() as channel:
            try:
                while (got := channel.basic_get(f"{run}-tasks"))[0] is not None:
                    found.append((got[1].message_id, got[2]))
            except ChannelClosedByBroker:  # the queue is not made yet
                return []
        return found

    def give(self, run: str, body: str) -> None:
        from pika import BasicProperties

        with self._channel() as channel:
            channel.confirm_delivery()
            about = BasicProperties(message_id=uuid4().hex, delivery_mode=2)
            channel.basic_publish("", f"{run}-labels", body.encode(), about, mandatory=True)

    def wait_after_a_kill(self) -> None:
        """The connection of a killed process ends with it."""

    @staticmethod
    @contextmanager
    def _channel() -> Iterator[Any]:
        from pika import BlockingConnection, URLParameters

        connection = BlockingConnection(URLParameters(os.environ["CHAOS_BROKER"]))
        try:
            yield connection.channel()
        finally:
            connection.close()


class Sqs:
    """Queues of moto. What a killed process was given is hidden for a while, a short one here."""

    def begin(self) -> str:
        from stratawatch.adapters.queues import sqs_broker

        vars(sqs_broker).update(HIDDEN_SECONDS=brokers.SHORTLY, WAIT_SECONDS=0)
        return brokers.sqs_server().url

    def sent(self, run: str) -> list[Sent]:
        sqs, found, handles = brokers.sqs_of(os.environ["CHAOS_BROKER"]), [], []
        try:
            url = sqs.get_queue_url(QueueName=f"{run}-tasks")["QueueUrl"]
        except sqs.exceptions.QueueDoesNotExist:
            return []
        asked = {"QueueUrl": url, "MaxNumberOfMessages": 10, "MessageAttributeNames": ["All"], "VisibilityTimeout": 60}
        while got := sqs.receive_message(**asked).get("Messages"):
            found += [(one["MessageAttributes"]["id"]["StringValue"], one["Body"].encode()) for one in got]
            handles += [one["ReceiptHandle"] for one in got]
        for handle in handles:
            sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=0)
        return found

    def give(self, run: str, body: str) -> None:
        sqs = brokers.sqs_of(os.environ["CHAOS_BROKER"])
        sqs.send_message(QueueUrl=sqs.get_queue_url(QueueName=f"{run}-labels")["QueueUrl"], MessageBody=body)

    def wait_after_a_kill(self) -> None:
        time.sleep(brokers.SHORTLY + 0.2)


TOOLS: Final[dict[str, Tool]] = {"redis": Redis(), "rabbitmq": RabbitMq(), "sqs": Sqs()}
"""By the word for the broker."""
_SCHEMES: Final = {"redis": "redis", "amqp": "rabbitmq", "sqs": "sqs"}


def begin_broker(kind: str) -> None:
    """Start a broker, which this process and those that it forks use from now on."""
    os.environ["CHAOS_BROKER"] = TOOLS[kind].begin()


def tool() -> Tool:
    """The tool at the broker that was begun."""
    return TOOLS[_SCHEMES[urlsplit(os.environ["CHAOS_BROKER"]).scheme]]


def wait_after_a_kill() -> None:
    """Wait until a broker, if there is one, gives again what a killed process had."""
    if "CHAOS_BROKER" in os.environ:
        tool().wait_after_a_kill()


@dataclass(frozen=True)
class BrokerPlace(MessagePlace):
    """What an installation has sent through a broker."""

    run: str

    def messages(self) -> list[dict[str, Any]]:
        bodies: dict[str, bytes] = {}
        for name, body in tool().sent(self.run):
            bodies.setdefault(name, body)
        return [json.loads(body) for body in bodies.values()]


@dataclass
class BrokerAnnotator(ServiceAnnotator):
    """Gives labels as messages; nobody looks at one before the queue reads it."""

    def _deliver(self, tick: Tick, body: str, expected: int) -> None:
        del tick, expected
        tool().give(self.inbox.parent.parent.name, body)
