"""Where people find what is asked: the folder of a queue, the file of the label page, or a labelling service."""

import json
import sqlite3
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from benchmarks.chaos.world import PANEL, Tick

Line = tuple[str, str, str]
"""Where a batch lies (out, done or cancelled), the batch and an item in it."""

FOLDERS: Final = ("out", "done", "cancelled")
"""Where batches lie that were in the queue."""
STRAY: Final = f"{PANEL}-p{{:05d}}-r1-b99-00000000"
"""A batch of a plan that the store does not have."""
SERVICE: Final = "service.jsonl"
"""What the labelling services of all runs were sent, a message a line, each once; beside the installations."""
_PLACES: Final = {"batch.published": "out", "batch.withdrawn": "cancelled", "batch.closed": "done"}


class Place(Protocol):
    """What a story does to a queue from outside, and sees in it."""

    def asked(self) -> dict[str, str]:
        """The text of every item that people are asked about, by item key."""
        ...

    def lines(self) -> list[Line]:
        """Every task that was ever in the queue, as often as it is there."""
        ...

    def contents(self) -> list[str]:
        """All that must be the same in the end, however often the product died."""
        ...

    def lose_a_batch(self, tick: Tick) -> None:
        """Take a batch away that is out, and put one there that the store does not know."""
        ...

    def find_the_stray(self, tick: Tick) -> None:
        """Take that one away again."""
        ...

    def block(self) -> None:
        """Put something in the way of the first batch."""
        ...

    def unblock(self) -> None:
        """Take it out of the way."""
        ...


@dataclass(frozen=True)
class FolderPlace:
    """The folder of a queue, or of a bucket that lies in one."""

    queue: Path

    def asked(self) -> dict[str, str]:
        # A batch that was sent twice is still one question.
        return {task["key"]: task["payload"]["text"] for task in self._tasks("out")}

    def lines(self) -> list[Line]:
        return [(name, task["batch"], task["key"]) for name in FOLDERS for task in self._tasks(name)]

    def contents(self) -> list[str]:
        return [
            f"{file.parent.name}/{file.name} {file.read_text(encoding='utf-8')}"
            for name in (*FOLDERS, "rejected")
            for file in (self.queue / name).glob("*.jsonl")
            if not file.name.startswith(".")
        ]

    def lose_a_batch(self, tick: Tick) -> None:
        for batch in sorted((self.queue / "out").glob("*.jsonl"))[:1]:
            batch.unlink()
        self._stray(tick).write_text('{"batch": "of a plan that was lost", "count": 0}\n')

    def find_the_stray(self, tick: Tick) -> None:
        self._stray(tick).unlink(missing_ok=True)

    def block(self) -> None:
        with suppress(FileNotFoundError):
            (self.queue / "out").rmdir()
        (self.queue / "out").write_text("a file where the folder should be")

    def unblock(self) -> None:
        (self.queue / "out").unlink()

    def _stray(self, tick: Tick) -> Path:
        return self.queue / "out" / f"{STRAY.format(tick.period)}.jsonl"

    def _tasks(self, name: str) -> list[dict[str, Any]]:
        files = sorted((self.queue / name).glob("*.jsonl"))
        lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if "key" in line]


@dataclass(frozen=True)
class BookPlace:
    """The file of a queue: that of the label page, which holds all that people are asked."""

    file: Path

    def asked(self) -> dict[str, str]:
        return {key: json.loads(payload)["text"] for place, _, key, payload in self._tasks() if place == "out"}

    def lines(self) -> list[Line]:
        return [(place, batch, key) for place, batch, key, _ in self._tasks()]

    def contents(self) -> list[str]:
        return [" ".join(line) for line in self.lines()]

    def lose_a_batch(self, tick: Tick) -> None:
        with self._opened() as sql:
            found = sql.execute("SELECT key FROM batches WHERE state = 'out' ORDER BY key LIMIT 1").fetchall()
            for one in found:
                self._remove(sql, *one)
            sql.execute("INSERT INTO batches (key, state) VALUES (?, 'out')", (STRAY.format(tick.period),))

    def find_the_stray(self, tick: Tick) -> None:
        with self._opened() as sql:
            self._remove(sql, STRAY.format(tick.period))

    def block(self) -> None:
        with self._opened() as sql:
            sql.execute("CREATE TRIGGER blocked BEFORE INSERT ON batches BEGIN SELECT RAISE(ABORT, 'no room'); END")

    def unblock(self) -> None:
        with self._opened() as sql:
            sql.execute("DROP TRIGGER blocked")

    def _remove(self, sql: sqlite3.Connection, key: str) -> None:
        sql.execute("DELETE FROM tasks WHERE batch = (SELECT number FROM batches WHERE key = ?)", (key,))
        sql.execute("DELETE FROM batches WHERE key = ?", (key,))

    def _tasks(self) -> list[tuple[str, str, str, str]]:
        if not self.file.is_file():
            return []
        with self._opened() as sql:
            return sql.execute(
                "SELECT state, key, item_key, payload FROM tasks JOIN batches ON number = batch ORDER BY item_key"
            ).fetchall()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file, timeout=10)) as connection, connection:
            yield connection


@dataclass(frozen=True)
class MessagePlace(BookPlace):
    """Who is sent batches as messages; the file says what the queue knows of them."""

    @abstractmethod
    def messages(self) -> list[dict[str, Any]]:
        """All that was sent, in order, each message once."""

    def lines(self) -> list[Line]:
        return [(place, batch, task["key"]) for place, batch, task in self._sent()]

    def asked(self) -> dict[str, str]:
        return {task["key"]: task["payload"]["text"] for place, _, task in self._sent() if place == "out"}

    def _remove(self, sql: sqlite3.Connection, key: str) -> None:
        sql.execute("DELETE FROM batches WHERE key = ?", (key,))

    def _sent(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Every task of every batch, with the place where it lies after all messages about it."""
        mine = self.messages()
        last: dict[str, tuple[int, int, str]] = {}
        for number, message in enumerate(mine):
            batch, turn = message["data"]["batch"], message["data"]["turn"]
            last[batch] = max(last.get(batch, (-1, -1, "")), (turn, number, _PLACES[message["type"]]))
        tasks = {one["data"]["batch"]: one["data"]["tasks"] for one in mine if one["type"] == "batch.published"}
        return [(last[batch][2], batch, task) for batch, given in tasks.items() for task in given]


@dataclass(frozen=True)
class ServicePlace(MessagePlace):
    """A labelling service, which was sent batches by post."""

    log: Path
    run: str

    def messages(self) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        return [one["message"] for one in lines if one["run"] == self.run]
