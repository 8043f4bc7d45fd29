"""A label queue for people who have none: batches lie in a file, and `stratawatch web` shows one item at a time."""

import json
import re
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings, Votes
from stratawatch.adapters.queues.answer_book import BookQueue
from stratawatch.adapters.queues.page_book import PageBook, said_at
from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload, tasks_digest
from stratawatch.engine.model.label_events import Batch, Receipt
from stratawatch.errors import StratawatchError
from stratawatch.settings.shapes import Text


def _host(name: str) -> str:
    if len(name) > 253 or not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", name):
        raise ValueError("is not the name of a host; write it like img.example.org, without https:// and port")
    return name


Host = Annotated[str, AfterValidator(_host)]


class PageSettings(QueueSettings):
    """kind = "page": a web page where people label."""

    kind: Literal["page"]
    root: Text = "queue"
    votes: Votes = 1
    link_hosts: list[Host] = Field(default_factory=list)
    image_hosts: list[Host] = Field(default_factory=list)

    @property
    def answers_asked(self) -> int:
        """As many as there are to be votes."""
        return self.votes

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder of the page's file."""
        return (LocalPath("root", self.root),)

    def build(self, context: BuildContext) -> "PageQueue":
        """The queue."""
        return PageQueue(context.folder / self.root)


class PageQueue(BookQueue):
    """Batches and answers in the page's file. Its place has an id once `adopt` has given it one."""

    def __init__(self, root: Path, name: str = "page") -> None:
        super().__init__(PageBook(root), name)

    def ask_again(self, keys: Sequence[str]) -> None:
        """Forget that batches were withdrawn, so that they can be published; their tasks are written again then."""
        with self._marked("take back a withdrawal") as sql:
            for key in keys:
                _forget(sql, key, "cancelled")

    def publish(self, batch: Batch) -> Receipt:
        """Keep a batch, once."""
        digest = batch_digest(batch)
        with self._marked("publish a batch") as sql:
            row = sql.execute("SELECT state, digest FROM batches WHERE key = ?", (batch.key,)).fetchone()
            if row is not None:
                if row[0] == "out" and row[1] != digest:
                    raise StratawatchError(
                        f"the label page holds another batch of the same key, {batch.key}",
                        hint="two installations must not share a label page; give one of them its own [queue] root",
                    )
                return Receipt(f"{row[0]}/{batch.key}", duplicate=True)
            number = sql.execute(
                "INSERT INTO batches (key, state, digest, question, guideline, question_key, vote, published_after, "
                "expired) VALUES (?, 'out', ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM answers), ?)",
                (
                    batch.key,
                    digest,
                    batch.question,
                    batch.guideline,
                    batch.question_key,
                    batch.vote,
                    _newest_expired(sql, batch),
                ),
            ).lastrowid
            sql.executemany(
                "INSERT INTO tasks (batch, position, item_key, payload) VALUES (?, ?, ?, ?)",
                [
                    (number, place, task.item_key, json.dumps(json_payload(task.payload)))
                    for place, task in enumerate(batch.tasks)
                ],
            )
        return Receipt(f"out/{batch.key}")

    def _drop_tasks(self, sql: sqlite3.Connection, batches: Mapping[str, Collection[str]]) -> None:
        for key, items in batches.items():
            row = sql.execute("SELECT number, state FROM batches WHERE key = ?", (key,)).fetchone()
            if row is None:
                continue
            change = "DELETE FROM tasks" if row[1] == "out" else "UPDATE tasks SET payload = '{}'"
            sql.executemany(f"{change} WHERE batch = ? AND item_key = ?", [(row[0], item) for item in items])
            if row[1] == "out":
                left = sql.execute("SELECT item_key, payload FROM tasks WHERE batch = ? ORDER BY position", row[:1])
                digest = tasks_digest((item, json.loads(payload)) for item, payload in left.fetchall())
                sql.execute("UPDATE batches SET digest = ? WHERE number = ?", (digest, row[0]))
        dropped = [(item,) for some in batches.values() for item in some]
        gone = "item_key = ? AND item_key NOT IN (SELECT item_key FROM tasks)"
        for table in ("holds", "standing"):  # an answer that stands is one that can be taken back
            sql.executemany(f"DELETE FROM {table} WHERE {gone}", dropped)
        sql.executemany("DELETE FROM taken_back WHERE item_key = ?", dropped)  # there is nothing to show of it

    def describe(self) -> Mapping[str, str]:
        """Count batches, answers and annotators. Nothing is created."""
        counted = {
            "answers": "SELECT COUNT(*) FROM answers",
            "annotators": "SELECT COUNT(*) FROM annotators WHERE NOT revoked",
        }
        return {"page": str(self._file.path), **self._counts(counted)}


def _newest_expired(sql: sqlite3.Connection, batch: Batch) -> int:
    """The number of the newest answer about a batch's items that is too old to count for it; 0 where none is.

    It is the same whenever the batch is published again.
    """
    if batch.answers_since is None:
        return 0
    said = (
        answer
        for task in batch.tasks
        for answer in sql.execute("SELECT id, said FROM answers WHERE item_key = ?", (task.item_key,)).fetchall()
    )
    return max((number for number, text in said if said_at(text) < batch.answers_since), default=0)


def _forget(sql: sqlite3.Connection, key: str, state: str) -> None:
    row = sql.execute("SELECT number FROM batches WHERE key = ? AND state = ?", (key, state)).fetchone()
    if row:
        sql.execute("DELETE FROM tasks WHERE batch = ?", row)
        sql.execute("DELETE FROM batches WHERE number = ?", row)
