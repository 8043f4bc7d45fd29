"""RabbitMQ: a queue in each direction, over AMQP 0-9-1."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pydantic import SecretStr

from stratawatch.adapters.queues.broker import Given, origin
from stratawatch.adapters.queues.message_queue import Message
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.extras import require

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingConnection

PERSISTENT: Final = 2
NOT_FOUND: Final = 404


class RabbitBroker:
    """Durable queues, which `make` declares. A message counts as sent once the broker has confirmed it."""

    def __init__(self, url: SecretStr, tasks: str, labels: str, timeout: float) -> None:
        require("rabbitmq")
        logging.getLogger("pika").setLevel(logging.CRITICAL)  # it would print what is raised, and addresses
        self._url, self._tasks, self._labels, self._timeout = url, tasks, labels, timeout

    def make(self) -> None:
        """Declare those queues that are missing; others stay as they are."""
        from pika.exceptions import ChannelClosedByBroker

        with self._connected() as connection:
            for name in (self._tasks, self._labels):
                try:
                    connection.channel().queue_declare(name, passive=True)
                except ChannelClosedByBroker as closed:
                    if closed.reply_code != NOT_FOUND:
                        raise
                    connection.channel().queue_declare(name, durable=True)

    def waiting(self) -> int | None:
        """The messages in the queue of labels."""
        from pika.exceptions import ChannelClosedByBroker

        with self._connected() as connection:
            try:
                return int(connection.channel().queue_declare(self._labels, passive=True).method.message_count)
            except ChannelClosedByBroker as closed:
                if closed.reply_code != NOT_FOUND:
                    raise
                return None

    def send(self, message: Message) -> str:
        """Publish it and wait for the confirmation. Whoever reads it may be given it twice, with the same id."""
        from pika import BasicProperties
        from pika.exceptions import NackError, UnroutableError

        about = BasicProperties("application/json", message_id=message.id, delivery_mode=PERSISTENT)
        with self._connected() as connection:
            channel = connection.channel()
            channel.confirm_delivery()
            try:
                channel.basic_publish("", self._tasks, message.body, about, mandatory=True)
            except UnroutableError:
                raise self._missing(self._tasks) from None
            except NackError:
                raise Unreachable(
                    f"the broker did not take the message about batch {message.batch}",
                    hint="see that the queue has room; it is sent again at the next advance",
                ) from None
        return f"message {message.id}"

    def forget(self, read: str) -> None:
        """Nothing: what was acknowledged is gone."""

    @contextmanager
    def given(self, after: str, most: int) -> Iterator[Sequence[Given]]:
        """Messages that nobody has acknowledged. A process that dies before it has leaves them there."""
        del after
        with self._connected() as connection:
            channel = connection.channel()
            found: list[Given] = []
            tag = 0
            while len(found) < most:
                method, about, body = channel.basic_get(self._labels)
                if method is None:
                    break
                tag = method.delivery_tag
                # An id that came with two texts is two messages; a text that came twice without an id is one.
                found.append(Given(f"{about.message_id or ''}:{sha256(body).hexdigest()[:32]}", body))
            yield found
            if found:
                channel.basic_ack(tag, multiple=True)

    @contextmanager
    def _connected(self) -> Iterator["BlockingConnection"]:
        from pika import BlockingConnection, URLParameters
        from pika.adapters.utils.connection_workflow import AMQPConnectorException
        from pika.exceptions import (
            AMQPError,
            ChannelClosedByBroker,
            ProbableAccessDeniedError,
            ProbableAuthenticationError,
        )

        where = origin(self._url)
        try:
            asked = URLParameters(self._url.get_secret_value())
        except (ValueError, TypeError):
            raise StratawatchError(
                "[queue] url is an address that AMQP does not understand", got=where, key="url"
            ) from None
        asked.socket_timeout = asked.stack_timeout = asked.blocked_connection_timeout = self._timeout
        asked.heartbeat = max(1, int(self._timeout))
        try:
            connection = BlockingConnection(asked)
            try:
                yield connection
            finally:
                if connection.is_open:
                    connection.close()
        except (ProbableAuthenticationError, ProbableAccessDeniedError):
            raise StratawatchError(
                f"the broker at {where} does not let us in",
                hint="see that [queue] url names a user of that virtual host, and its password",
                key="url",
            ) from None
        except ChannelClosedByBroker as closed:
            if closed.reply_code == NOT_FOUND:
                raise self._missing(self._labels) from None
            raise StratawatchError(
                f"the broker at {where} refused what was asked",
                got=f"{closed.reply_code} {closed.reply_text}",
                hint=f"see that its user may read and write {self._tasks} and {self._labels}",
                key="url",
            ) from None
        except (AMQPError, AMQPConnectorException, OSError) as trouble:
            raise Unreachable(
                f"the broker at {where} cannot be reached",
                got=type(trouble).__name__,
                hint="see that it runs and that [queue] url is right",
                key="url",
            ) from None

    def _missing(self, name: str) -> Unreachable:
        return Unreachable(
            f"the broker at {origin(self._url)} has no queue {name}",
            hint="make it again with what it held; if it is lost: `stratawatch labels adopt-queue` makes an empty one",
        )
