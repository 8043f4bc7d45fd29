"""A label queue over a message broker: batches go to a stream or queue of it, and labels are read from another one."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, Protocol
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.object_storage import LOOPBACK
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.answer_book import has_enough
from stratawatch.adapters.queues.label_message import LARGEST, labels_in
from stratawatch.adapters.queues.label_values import InvalidError
from stratawatch.adapters.queues.message_queue import Message, MessageQueue
from stratawatch.adapters.queues.webhook_book import WebhookBook, keep_delivery
from stratawatch.engine.model.label_events import PollResult
from stratawatch.errors import ConfigError
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

AT_ONCE: Final = 1000
"""Messages that are read and kept together."""
MOST_READS: Final = 100
"""Times that one poll does so; the next one goes on from there."""
_SHOWN: Final = 200
"""Characters that are kept of a message that is no labels."""


@dataclass(frozen=True)
class Given:
    """A message with labels. Its id is the same whenever it is read again."""

    id: str
    body: bytes


class Broker(Protocol):
    """Takes messages to labellers, and has theirs. All of it raises Unreachable where the broker is away."""

    def make(self) -> None:
        """Make what messages are kept in, where it is missing."""
        ...

    def waiting(self) -> int | None:
        """How many messages with labels it has; None where they would be kept in what is not made yet."""
        ...

    def send(self, message: Message) -> str:
        """Send a message and wait until it is kept; returns what the broker calls it."""
        ...

    def forget(self, read: str) -> None:
        """Forget messages with labels up to the one of that id: the store has them."""
        ...

    def given(self, after: str, most: int) -> AbstractContextManager[Sequence[Given]]:
        """The next messages after the one of that id; whoever leaves the block without an error has kept them."""
        ...


class BrokerSettings(QueueSettings):
    """kind = "broker": a Redis stream, a RabbitMQ queue or one of Amazon SQS in each direction."""

    kind: Literal["broker"]
    url: Secret
    tasks: Text = "stratawatch-tasks"
    labels: Text = "stratawatch-labels"
    root: Text = "queue"
    timeout: PositiveDuration = timedelta(seconds=20)

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder of the queue's file."""
        return (LocalPath("root", self.root),)

    def build(self, context: BuildContext) -> "BrokerQueue":
        """The queue; its address is looked up now."""
        broker = _broker(context.reveal(self.url), self.tasks, self.labels, self.timeout.total_seconds())
        return BrokerQueue(context.folder / self.root, broker)


def _broker(url: SecretStr, tasks: str, labels: str, timeout: float) -> Broker:
    if tasks == labels:
        raise ConfigError("[queue] tasks and labels are one and the same", expected="two names", key="tasks")
    parts = _parts(url.get_secret_value())
    if parts is None or not parts.hostname or parts.scheme not in ("redis", "rediss", "amqp", "amqps", "sqs"):
        raise ConfigError(
            "[queue] url is no address of a broker",
            expected="redis://, rediss://, amqp:// or amqps:// and a host, or sqs:// and a region, without blanks",
            key="url",
        )
    if parts.scheme == "sqs":
        from stratawatch.adapters.queues.sqs_broker import SqsBroker

        return SqsBroker(url, tasks, labels, timeout)
    if parts.scheme in ("redis", "amqp") and parts.hostname not in LOOPBACK:
        raise ConfigError(
            "[queue] url would be reached unencrypted",
            expected=f"{parts.scheme}s://",
            got=f"{parts.scheme}://{parts.hostname}",
            hint="unencrypted is for this machine only",
            key="url",
        )
    if parts.scheme.startswith("redis"):
        from stratawatch.adapters.queues.redis_broker import RedisBroker

        return RedisBroker(url, tasks, labels, timeout)
    from stratawatch.adapters.queues.rabbitmq_broker import RabbitBroker

    return RabbitBroker(url, tasks, labels, timeout)


def _parts(url: str) -> SplitResult | None:
    """The parts of an address; None where it is none: it has blanks, or its port is no number up to 65535."""
    try:
        parts = urlsplit(url)
        usable = parts.port != 0 and not any(map(str.isspace, url))
    except ValueError:
        return None
    return parts if usable else None


def origin(url: SecretStr) -> str:
    """What may be shown of an address."""
    parts = urlsplit(url.get_secret_value())
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"


class BrokerBook(WebhookBook):
    """The file of a broker queue: which batches were sent, which messages came, and the labels in them."""

    file = "broker.sqlite3"
    what = "the broker queue"

    def last(self) -> str:
        """The id of the message that was kept last; empty before the first."""
        with self.reading() as sql:
            row = sql.execute("SELECT id FROM deliveries ORDER BY rowid DESC LIMIT 1").fetchone()
        return str(row[0]) if row else ""

    def receive_all(self, given: Sequence[Given], now: datetime) -> None:
        """Keep messages, each once. One that is no labels is kept by its beginning, and refused when it is read."""
        with self.writing() as sql:
            for message in given:
                keep_delivery(sql, message.id, message.body, _lines(message), now)


def _lines(message: Given) -> list[str]:
    if len(message.body) <= LARGEST:
        try:
            return labels_in(message.body, message.id)
        except InvalidError:
            pass
    return ["no labels: " + message.body[:_SHOWN].decode(errors="replace")]


class BrokerQueue(MessageQueue):
    """What was read from the broker lies in the queue's file before the broker may forget it."""

    _file: BrokerBook

    def __init__(self, root: Path, broker: Broker, name: str = "broker") -> None:
        super().__init__(BrokerBook(root), name)
        self._broker = broker

    def adopt(self, identity: str) -> None:
        """Give the file an id; it is made where it is missing, and so is what the broker keeps messages in."""
        self._broker.make()
        super().adopt(identity)

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read what the broker has, and of all that was read so the labels that came since `cursor`.

        The broker is not asked while as many labels wait in the file as a poll reads.
        """
        begin = int(str(cursor.get("answer", 0)))
        with self._marked("read labels") as sql:
            row = sql.execute("SELECT delivery FROM answers WHERE id = ?", (begin,)).fetchone()
            asks = 0 if has_enough(sql, begin) else MOST_READS
        if row:
            self._broker.forget(row[0])
        for _ in range(asks):
            with self._broker.given(self._file.last(), AT_ONCE) as given:
                self._file.receive_all(given, datetime.now(UTC))
            if not given:  # a broker may give less than there is
                break
        return super().poll(cursor)

    def describe(self) -> Mapping[str, str]:
        """Count batches and labels, and look whether the broker is there. Nothing is created."""
        waiting = self._broker.waiting()
        return {**super().describe(), "messages at the broker": "not made yet" if waiting is None else str(waiting)}

    def _send(self, message: Message) -> str:
        return self._broker.send(message)
