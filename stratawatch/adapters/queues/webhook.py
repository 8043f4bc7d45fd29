"""A label queue over signed HTTP: batches are posted to a labelling service, and `stratawatch web` takes its labels."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.answer_book import BookQueue
from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload
from stratawatch.adapters.queues.webhook_book import WebhookBook
from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.adapters.webhook_signatures import signed_headers, signing_key
from stratawatch.engine.model.label_events import Batch, PollResult, Receipt
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

NAME: Final = "webhook"
SERVICE: Final = "the labelling service"
PUBLISHED: Final = "batch.published"
_ENDED: Final = {"cancelled": "batch.withdrawn", "done": "batch.closed"}
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
            )
        address = SecretAddress(SERVICE, context.reveal(self.url), timeout=self.timeout.total_seconds())
        return WebhookQueue(context.folder / self.root, address, send)


def _keys(given: Mapping[str, SecretStr | None], context: BuildContext) -> tuple[bytes, ...]:
    return tuple(signing_key(context.reveal(key), f"[queue] {name}") for name, key in given.items() if key is not None)


class WebhookQueue(BookQueue):
    """Batches go to an address by POST; what was sent, and the labels that came, are kept in the queue's file.

    A batch is noted before it is sent, and again once the service has it. A process that died in between sends it
    again under the same id, which the service knows. That a batch has ended is said until the service has heard it.
    """

    _received = "received"

    def __init__(self, root: Path, address: SecretAddress, keys: Sequence[bytes], name: str = NAME) -> None:
        super().__init__(WebhookBook(root), name)
        self._address, self._send_keys = address, tuple(keys)

    def ask_again(self, keys: Sequence[str]) -> None:
        """Forget that batches were withdrawn, so that they can be published."""
        with self._marked("take back a withdrawal") as sql:
            sql.executemany(
                "UPDATE batches SET state = 'recalled', sent_state = '', turn = turn + 1 "
                "WHERE key = ? AND state = 'cancelled'",
                [(key,) for key in keys],
            )

    def publish(self, batch: Batch) -> Receipt:
        """Send a batch, until it has arrived once."""
        with self._marked("publish a batch") as sql:
            state, sent_state, turn = _noted(sql, batch.key, batch_digest(batch))
        if state != "out" or sent_state == "out":
            return Receipt(f"{state}/{batch.key}", duplicate=True)
        tasks = [{"key": task.item_key, "payload": json_payload(task.payload)} for task in batch.tasks]
        asked = {"question": batch.question, "guideline": batch.guideline, "tasks": tasks}
        status = self._send(PUBLISHED, batch.key, turn, asked)
        if not 200 <= status < 300:
            raise StratawatchError(
                f"{SERVICE} refused batch {batch.key}",
                expected="an answer of 2xx",
                got=f"HTTP {status}",
                hint=_HINTS.get(status, "its own log says why; the batch is sent again at the next advance"),
            )
        self._note_sent(batch.key, "out", turn)
        return Receipt(f"HTTP {status} {batch.key}")

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read the labels that came since `cursor`; and say again what the service has not heard yet."""
        self._say_ended()
        return super().poll(cursor)

    def cancel(self, keys: Sequence[str]) -> None:
        """Withdraw batches and tell the service; one that was not sent leaves a mark, so that it never goes out."""
        super().cancel(keys)
        self._say_ended()

    def close(self, keys: Sequence[str]) -> None:
        """Put answered batches away and tell the service; one that is not out stays as it is."""
        super().close(keys)
        self._say_ended()

    def describe(self) -> Mapping[str, str]:
        """Count batches, deliveries and labels. Nothing is created, and the service is not asked."""
        counted = {
            "batches on their way": "SELECT COUNT(*) FROM batches WHERE state = 'out' AND sent_state <> 'out'",
            "endings that the service has not heard": f"SELECT COUNT(*) FROM batches WHERE {_UNHEARD}",
            "deliveries": "SELECT COUNT(*) FROM deliveries",
            "labels": "SELECT COUNT(*) FROM answers",
        }
        return {"file": str(self._file.path), **self._counts(counted)}

    def _drop_tasks(self, sql: sqlite3.Connection, batches: Mapping[str, Collection[str]]) -> None:
        # Payload was never kept here. A batch that is out may be published again without these items: no digest fits.
        sql.executemany(
            "UPDATE batches SET digest = '' WHERE key = ? AND state = 'out' AND digest IS NOT NULL",
            [(key,) for key in batches],
        )

    def _say_ended(self) -> None:
        """Tell the service which batches have ended. It stops nothing: a service that is away hears it later."""
        if not self.identity():
            return
        with self._file.reading() as sql:
            rows = sql.execute(f"SELECT key, state, turn FROM batches WHERE {_UNHEARD} ORDER BY key").fetchall()
        for key, state, turn in rows:
            try:
                status = self._send(_ENDED[state], key, turn, {})
            except Unreachable:
                return
            if status not in (401, 403):  # who refuses it for another reason has no use for it
                self._note_sent(key, state, turn)

    def _send(self, event: str, key: str, turn: int, more: Mapping[str, Any]) -> int:
        body = json.dumps({"type": event, "data": {"batch": key, "turn": turn, **more}}).encode()
        # Signed anew at each attempt, as its time must be that of the attempt; the id stays, so that it counts once.
        headers = signed_headers(self._send_keys, message_id(event, key, turn), datetime.now(UTC), body)
        return self._address.post_bytes(body, headers)

    def _note_sent(self, key: str, state: str, turn: int) -> None:
        with self._file.writing() as sql:
            sql.execute("UPDATE batches SET sent_state = ? WHERE key = ? AND turn = ?", (state, key, turn))


_UNHEARD: Final = "state IN ('cancelled', 'done') AND sent_state <> state AND digest IS NOT NULL"
"""Batches that ended after they were sent, or may have been, without the service having heard of it."""


def message_id(event: str, key: str, turn: int) -> str:
    """What a message is known by, in characters that a header has: at every attempt the same.

    >>> message_id("batch.published", "spam-p00012-r1-b2", 0)
    'spam-p00012-r1-b2'
    >>> message_id("batch.withdrawn", "naïve v1.2-p00000-r1-b1", 1)
    'na%C3%AFve%20v1%2E2-p00000-r1-b1:withdrawn:1'
    """
    name = quote(key, safe="").replace(".", "%2E")  # where it is signed, a full stop ends it
    return name if event == PUBLISHED and not turn else f"{name}:{event.partition('.')[2]}:{turn}"


def _noted(sql: sqlite3.Connection, key: str, digest: str) -> tuple[str, str, int]:
    """Note that a batch is to go out; returns its state, the one that the service knows, and its turn."""
    row = sql.execute("SELECT state, digest, sent_state, turn FROM batches WHERE key = ?", (key,)).fetchone()
    if row is None or row[0] == "recalled":
        sql.execute(
            "INSERT INTO batches (key, state, digest) VALUES (?, 'out', ?) "
            "ON CONFLICT (key) DO UPDATE SET state = 'out', digest = excluded.digest",
            (key, digest),
        )
        return "out", "", row[3] if row else 0
    if row[0] == "out" and row[1] not in (digest, ""):
        raise StratawatchError(
            f"the webhook queue has sent another batch of the same key, {key}",
            hint="two installations must not share a queue; give one of them its own [queue] root",
        )
    return row[0], row[2], row[3]
