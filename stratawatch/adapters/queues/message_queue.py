"""A label queue that sends messages: what was sent, what the other side has, and what came back lie in its file."""

import json
import sqlite3
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from stratawatch.adapters.queues.answer_book import BookQueue
from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload
from stratawatch.engine.model.label_events import Batch, PollResult, Receipt
from stratawatch.errors import StratawatchError

PUBLISHED: Final = "batch.published"
_ENDED: Final = {"cancelled": "batch.withdrawn", "done": "batch.closed"}


@dataclass(frozen=True)
class Message:
    """A message about a batch: published, withdrawn or closed.

    `published` is the id of the message in which the batch went out.
    """

    event: str
    batch: str
    id: str
    body: bytes
    published: str


class MessageQueue(BookQueue):
    """Batches are sent as messages to whoever labels them.

    A batch is noted before it is sent, and again once it was taken. A process that died in between sends it again
    under the same id. That a batch has ended is said until it was heard.
    """

    _received = "received"

    @abstractmethod
    def _send(self, message: Message) -> str:
        """Send a message, which counts once by its id; returns what was answered.

        Raises StratawatchError where it is refused, and Unreachable where it may be taken later. That a batch has ended
        is refused for good only by who has no use for it, and that is an answer too.
        """

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
            state, sent_state, turn = _noted(sql, batch.key, batch_digest(batch), self._file.what)
        if state != "out" or sent_state == "out":
            return Receipt(f"{state}/{batch.key}", duplicate=True)
        tasks = [{"key": task.item_key, "payload": json_payload(task.payload)} for task in batch.tasks]
        asked = {"question": batch.question, "guideline": batch.guideline, "tasks": tasks}
        answered = self._tell(PUBLISHED, batch.key, turn, asked)
        self._note_sent(batch.key, "out", turn)
        return Receipt(f"{answered} {batch.key}")

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read the labels that came since `cursor`; and say again what was not heard yet."""
        self._say_ended()
        return super().poll(cursor)

    def cancel(self, keys: Sequence[str]) -> None:
        """Withdraw batches and say so; one that was not sent leaves a mark, so that it never goes out."""
        super().cancel(keys)
        self._say_ended()

    def close(self, keys: Sequence[str]) -> None:
        """Put answered batches away and say so; one that is not out stays as it is."""
        super().close(keys)
        self._say_ended()

    def describe(self) -> Mapping[str, str]:
        """Count batches, deliveries and labels. Nothing is created, and nothing is sent."""
        counted = {
            "batches on their way": "SELECT COUNT(*) FROM batches WHERE state = 'out' AND sent_state <> 'out'",
            "endings not heard yet": f"SELECT COUNT(*) FROM batches WHERE {_UNHEARD}",
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
        """Say which batches have ended. It stops nothing: who is away hears it later."""
        if not self.identity():
            return
        with self._file.reading() as sql:
            rows = sql.execute(f"SELECT key, state, turn FROM batches WHERE {_UNHEARD} ORDER BY key").fetchall()
        for key, state, turn in rows:
            try:
                self._tell(_ENDED[state], key, turn, {})
            except StratawatchError:
                return
            self._note_sent(key, state, turn)

    def _tell(self, event: str, key: str, turn: int, more: Mapping[str, Any]) -> str:
        body = json.dumps({"type": event, "data": {"batch": key, "turn": turn, **more}}).encode()
        return self._send(Message(event, key, message_id(event, key, turn), body, message_id(PUBLISHED, key, turn)))

    def _note_sent(self, key: str, state: str, turn: int) -> None:
        with self._file.writing() as sql:
            sql.execute("UPDATE batches SET sent_state = ? WHERE key = ? AND turn = ?", (state, key, turn))


_UNHEARD: Final = "state IN ('cancelled', 'done') AND sent_state <> state AND digest IS NOT NULL"
"""Batches that ended after they were sent, or may have been, without the other side having heard of it."""


def message_id(event: str, key: str, turn: int) -> str:
    """What a message is known by, in characters that a header has: at every attempt the same.

    >>> message_id("batch.published", "spam-p00012-r1-b2", 0)
    'spam-p00012-r1-b2'
    >>> message_id("batch.withdrawn", "naïve v1.2-p00000-r1-b1", 1)
    'na%C3%AFve%20v1%2E2-p00000-r1-b1:withdrawn:1'
    """
    name = quote(key, safe="").replace(".", "%2E")  # where it is signed, a full stop ends it
    return name if event == PUBLISHED and not turn else f"{name}:{event.partition('.')[2]}:{turn}"


def _noted(sql: sqlite3.Connection, key: str, digest: str, what: str) -> tuple[str, str, int]:
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
            f"{what} has sent another batch of the same key, {key}",
            hint="two installations must not share a queue; give one of them its own [queue] root",
        )
    return row[0], row[2], row[3]
