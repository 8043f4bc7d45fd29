"""A label queue over signed HTTP: batches are posted to a labelling service, and `stratawatch web` takes its labels."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.message_queue import PUBLISHED, Message, MessageQueue
from stratawatch.adapters.queues.webhook_book import WebhookBook
from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.adapters.webhook_signatures import signed_headers, signing_key
from stratawatch.errors import ConfigError, StratawatchError
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

NAME: Final = "webhook"
SERVICE: Final = "the labelling service"
_HINTS: Final[Mapping[int, str]] = {
    401: "see that both sides have the same key and the right time",
    403: "see that both sides have the same key and the right time",
    409: "two installations must not send to one address of it",
    410: "it wants nothing more at this address: ask for another, and set [queue] url",
    413: "let its limit be larger, or the panel's payload smaller",
}


class WebhookQueueSettings(QueueSettings):
    """kind = "webhook": signed POSTs to a labelling service, and from it."""

    kind: Literal["webhook"]
    url: Secret
    send_key: Secret
    second_send_key: Secret | None = None
    receive_key: Secret
    second_receive_key: Secret | None = None
    root: Text = "queue"
    timeout: PositiveDuration = timedelta(seconds=20)

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder of the queue's file."""
        return (LocalPath("root", self.root),)

    def receive_keys(self, context: BuildContext) -> tuple[bytes, ...]:
        """The keys by which the service signs, looked up now; none of them is one that we sign with."""
        given = {"receive_key": self.receive_key, "second_receive_key": self.second_receive_key}
        return _keys(given, context)

    def build(self, context: BuildContext) -> "WebhookQueue":
        """The queue; its secrets are looked up now."""
        send = _keys({"send_key": self.send_key, "second_send_key": self.second_send_key}, context)
        if set(send) & set(self.receive_keys(context)):
            raise ConfigError(
                "[queue] signs with a key that it also accepts",
                expected="keys of their own for each direction",
                hint="else what we send could be sent back to us as if the service had written it",
                key="send_key",
            )
        address = SecretAddress(SERVICE, context.reveal(self.url), timeout=self.timeout.total_seconds())
        return WebhookQueue(context.folder / self.root, address, send)


def _keys(given: Mapping[str, SecretStr | None], context: BuildContext) -> tuple[bytes, ...]:
    there = {name: context.reveal(key) for name, key in given.items() if key is not None}
    return tuple(signing_key(key, f"[queue] {name}", name) for name, key in there.items())


class WebhookQueue(MessageQueue):
    """Batches go to an address by POST, signed as Standard Webhooks says. The service knows a message by its id."""

    def __init__(self, root: Path, address: SecretAddress, keys: Sequence[bytes], name: str = NAME) -> None:
        super().__init__(WebhookBook(root), name)
        self._address, self._send_keys = address, tuple(keys)

    def _send(self, message: Message) -> str:
        # Signed anew at each attempt, as its time must be that of the attempt; the id stays, so that it counts once.
        headers = signed_headers(self._send_keys, message.id, datetime.now(UTC), message.body)
        status = self._address.post_bytes(message.body, headers)
        # Who refuses an ending for another reason than the signature has no use for it.
        if 200 <= status < 300 or (message.event != PUBLISHED and status not in (401, 403)):
            return f"HTTP {status}"
        raise StratawatchError(
            f"{SERVICE} refused batch {message.batch}",
            expected="an answer of 2xx",
            got=f"HTTP {status}",
            hint=_HINTS.get(status, "its own log says why; the batch is sent again at the next advance"),
        )
