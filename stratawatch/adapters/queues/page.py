"""A label queue for people who have none: batches lie in a file, and `stratawatch web` shows one item at a time."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.label_line import Origin, read_line
from stratawatch.adapters.queues.page_book import FILE, PageBook, keys_in
from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload
from stratawatch.engine.model.label_events import Batch, LabelEvent, PollResult, Receipt
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.settings.shapes import Text

MOST_READ: Final = 10_000
"""Answers of one poll."""


def _odd(votes: int) -> int:
    if votes % 2 == 0:
        raise ValueError("an even number of votes can tie; write 1, 3, 5, ...")
    return votes


class PageSettings(QueueSettings):
    """kind = "page": a web page where people label."""

    kind: Literal["page"]
    root: Text = "queue"
    votes: Annotated[int, Field(ge=1, le=25), AfterValidator(_odd)] = 1

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


class PageQueue:
    """Batches and answers in the page's file. Its place has an id once `adopt` has given it one."""

    def __init__(self, root: Path, name: str = "page") -> None:
        self.name = name
        self.where = str(Path(root).absolute())
        self._book = PageBook(Path(root))

    def identity(self) -> str:
        """The id in the file; empty where there is no file."""
        return self._book.identity()

    def adopt(self, identity: str) -> None:
        """Give the file an id; it is made where it is missing."""
        try:
            self._book.create()
        except OSError as trouble:
            raise Unreachable(
                f"the label page's folder {self._book.root} cannot be prepared",
                got=trouble.strerror or type(trouble).__name__,
                hint="see that it may be written, or set [queue] root to a folder that can",
            ) from trouble
        with self._book.writing() as sql:
            sql.execute("INSERT OR REPLACE INTO place (id, identity) VALUES (1, ?)", (identity,))

    def batch_keys(self) -> frozenset[str]:
        """The keys of all batches, withdrawn and closed ones included."""
        return self._keys("out", "cancelled", "done")

    def withdrawn_keys(self) -> frozenset[str]:
        """The keys of the batches that were withdrawn."""
        return self._keys("cancelled")

    def asked_keys(self) -> frozenset[str]:
        """The keys of the batches that people are asked about."""
        return self._keys("out")

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
                "INSERT INTO batches (key, state, digest, question, guideline, question_key) "
                "VALUES (?, 'out', ?, ?, ?, ?)",
                (batch.key, digest, batch.question, batch.guideline, batch.question_key),
            ).lastrowid
            sql.executemany(
                "INSERT INTO tasks (batch, position, item_key, payload) VALUES (?, ?, ?, ?)",
                [
                    (number, place, task.item_key, json.dumps(json_payload(task.payload)))
                    for place, task in enumerate(batch.tasks)
                ],
            )
        return Receipt(f"out/{batch.key}")

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read the answers that came since `cursor`; all of them again where the file is not the one that was read."""
        begin, digest = int(str(cursor.get("answer", 0))), cursor.get("digest", "")
        events: list[LabelEvent] = []
        rejected: list[QuarantinedRow] = []
        with self._marked("read labels") as sql:
            last = sql.execute("SELECT said FROM answers WHERE id = ?", (begin,)).fetchone()
            if begin and (last is None or _digest(last[0]) != digest):
                begin, digest = 0, ""
            rows = sql.execute(
                "SELECT id, said FROM answers WHERE id > ? ORDER BY id LIMIT ?", (begin, MOST_READ)
            ).fetchall()
        for number, said in rows:
            found = read_line(said.encode(), Origin(self.name, FILE, number, datetime.now(UTC)))
            if isinstance(found, LabelEvent):
                events.append(found)
            else:
                rejected.append(found)
            begin, digest = number, _digest(said)
        return PollResult(tuple(events), tuple(rejected), {"answer": begin, "digest": digest})

    def cancel(self, keys: Sequence[str]) -> None:
        """Withdraw batches; one that is not there leaves a mark, so that it never goes out."""
        with self._marked("withdraw batches") as sql:
            for key in keys:
                sql.execute(
                    "INSERT INTO batches (key, state) VALUES (?, 'cancelled') "
                    "ON CONFLICT (key) DO UPDATE SET state = 'cancelled' WHERE state = 'out'",
                    (key,),
                )

    def close(self, keys: Sequence[str]) -> None:
        """Put answered batches away; one that is not out stays as it is."""
        with self._marked("put batches away") as sql:
            sql.executemany(
                "UPDATE batches SET state = 'done' WHERE key = ? AND state = 'out'", [(key,) for key in keys]
            )

    def describe(self) -> Mapping[str, str]:
        """Count batches, answers and annotators. Nothing is created."""
        found = {"page": str(self._book.path)}
        if not self.identity():
            return {**found, "state": "not in use yet"}
        with self._book.writing() as sql:  # a file that can be read may still be read-only, or its disk full
            states = dict(sql.execute("SELECT state, COUNT(*) FROM batches GROUP BY state").fetchall())
            answers = sql.execute("SELECT COUNT(*) FROM answers").fetchone()[0]
            people = sql.execute("SELECT COUNT(*) FROM annotators WHERE NOT revoked").fetchone()[0]
        names = {"out": "batches out", "cancelled": "batches withdrawn", "done": "batches answered"}
        counts = {words: str(states.get(state, 0)) for state, words in names.items()}
        return {**found, **counts, "answers": str(answers), "annotators": str(people)}

    def _keys(self, *states: str) -> frozenset[str]:
        if not self._book.path.is_file():
            return frozenset()
        with self._book.reading() as sql:
            return keys_in(sql, states)

    @contextmanager
    def _marked(self, what: str) -> Iterator[sqlite3.Connection]:
        """A transaction in the file, once it has its id: an empty folder may be the place of an unmounted share."""
        if not self.identity():
            raise Unreachable(
                f"the label page in {self._book.root} cannot {what}: its file {FILE} is not there",
                hint="mount the share that holds it; after a deliberate move: `stratawatch labels adopt-queue`",
            )
        with self._book.writing() as sql:
            yield sql


def _forget(sql: sqlite3.Connection, key: str, state: str) -> None:
    row = sql.execute("SELECT number FROM batches WHERE key = ? AND state = ?", (key, state)).fetchone()
    if row:
        sql.execute("DELETE FROM tasks WHERE batch = ?", row)
        sql.execute("DELETE FROM batches WHERE number = ?", row)


def _digest(said: str) -> str:
    return sha256(said.encode()).hexdigest()[:16]
