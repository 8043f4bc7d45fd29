"""A SQLite file beside the installation, apart from the store, where a web process writes answers that a queue reads.

An answer is a line of JSON, as a label file would have it. It is written once and never changed; the number of its row
is the cursor. Every call opens the file anew: web processes and advances share nothing but the file.
"""

import json
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final

from stratawatch.adapters.queues.label_line import Origin, json_object, read_line
from stratawatch.atomic_files import PRIVATE, make_folder
from stratawatch.engine.model.idempotency_keys import issued_key
from stratawatch.engine.model.label_events import LabelEvent, PollResult
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import StratawatchError, Unreachable

MOST_READ: Final = 10_000
"""Answers of one poll."""
_OF_AN_EVENT: Final = ("key", "value", "annotator", "at", "event_id")
"""The fields of an answer that a label event is made of; others are words of people."""
_WAIT: Final = 10.0
"""Seconds that a writer waits for another one."""


class AnswerBook:
    """The file in a folder. Its schema has at least the tables place, batches (key, state) and answers (id, said)."""

    file: ClassVar[str]
    schema: ClassVar[str]
    upgrades: ClassVar[Sequence[str]] = ()
    """What brings a file of an earlier release up to the schema, one after the other; the file counts those it had."""
    what: ClassVar[str]
    """What it belongs to, as in "the label page"."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / self.file

    def create(self) -> None:
        """Make the file, where it is missing, for nobody but its owner to read."""
        make_folder(self.root, PRIVATE)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600))
        with self.writing() as sql:
            if not _has_tables(sql):
                _run(sql, self.schema)
                _count_upgrades(sql, len(self.upgrades))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one moment."""
        with self._connected("DEFERRED") as sql:
            yield sql

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other writer is beside; it is kept unless the block raises."""
        with self._connected("IMMEDIATE") as sql:
            yield sql

    @contextmanager
    def _connected(self, kind: str) -> Iterator[sqlite3.Connection]:
        try:
            # The file must be there: an empty folder may be the place of an unmounted share.
            sql = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None
            )
        except sqlite3.OperationalError as trouble:
            raise self._unreachable(trouble) from trouble
        try:
            sql.execute("PRAGMA journal_mode = WAL")
            sql.execute("PRAGMA synchronous = FULL")
            sql.execute(f"BEGIN {kind}")
            yield sql
            sql.execute("COMMIT")
        except sqlite3.DatabaseError as trouble:
            raise self._unreachable(trouble) from trouble
        finally:
            sql.close()  # what was not committed is rolled back

    def _unreachable(self, trouble: sqlite3.Error) -> Unreachable:
        return Unreachable(
            f"{self.what}'s file {self.path} cannot be used",
            got=str(trouble),
            hint="see that its folder exists, has room and may be written; after a deliberate move: "
            "`stratawatch labels adopt-queue`",
        )

    def is_made(self) -> bool:
        """Whether the file is there with its tables: whoever made it may have died before it had them.

        A file of an earlier release is brought up to date.
        """
        if not self.path.is_file():
            return False
        with self.reading() as sql:
            if not _has_tables(sql):
                return False
            had = _upgrades_had(sql)
        if had != len(self.upgrades):
            self._upgrade()
        return True

    def _upgrade(self) -> None:
        with self.writing() as sql:
            had = _upgrades_had(sql)
            if had > len(self.upgrades):
                raise StratawatchError(
                    f"{self.what}'s file {self.path} was written by a newer release of stratawatch",
                    hint="install that release again, or bring back the copy of the file from before the upgrade",
                )
            for statements in self.upgrades[had:]:
                _run(sql, statements)
            _count_upgrades(sql, len(self.upgrades))

    def identity(self) -> str:
        """The id that the place was given; empty where it has none, or is not there."""
        if not self.is_made():
            return ""
        with self.reading() as sql:
            row = sql.execute("SELECT identity FROM place").fetchone()
        return str(row[0]) if row else ""


class BookQueue(ABC):
    """What queues over such a file have in common. The place has an id once `adopt` has given it one."""

    _received: ClassVar = "NULL"
    """The SQL of the time at which an answer was received: that of answers which name none."""

    def __init__(self, book: AnswerBook, name: str) -> None:
        self.name = name
        self.where = str(book.root.absolute())
        self._file = book

    def identity(self) -> str:
        """The id in the file; empty where there is no file."""
        return self._file.identity()

    def adopt(self, identity: str) -> None:
        """Give the file an id; it is made where it is missing."""
        try:
            self._file.create()
        except OSError as trouble:
            raise Unreachable(
                f"{self._file.what}'s folder {self._file.root} cannot be prepared",
                got=trouble.strerror or type(trouble).__name__,
                hint="see that it may be written, or set [queue] root to a folder that can",
            ) from trouble
        with self._file.writing() as sql:
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
                f"SELECT id, said, {self._received} FROM answers WHERE id > ? ORDER BY id LIMIT ?", (begin, MOST_READ)
            ).fetchall()
        for number, said, received in rows:
            at = datetime.fromisoformat(received) if received else datetime.now(UTC)
            found = read_line(said.encode(), Origin(self.name, self._file.file, number, at))
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

    def drop_payload(self, batches: Mapping[str, Collection[str]]) -> None:
        """Forget what people were shown of items of batches, and what they wrote of them; their answers stay."""
        with self._marked("forget payload") as sql:
            sql.execute("PRAGMA secure_delete = ON")  # nor does it stay in free pages of the file
            self._drop_tasks(sql, batches)
            _drop_words(sql, {item for items in batches.values() for item in items})

    @abstractmethod
    def _drop_tasks(self, sql: sqlite3.Connection, batches: Mapping[str, Collection[str]]) -> None:
        """Forget what was shown of items of batches, and let nobody be asked about them any more."""

    def _counts(self, counted: Mapping[str, str]) -> dict[str, str]:
        """How many batches are in each state, and what else is counted. Nothing is created."""
        if not self.identity():
            return {"state": "not in use yet"}
        with self._file.writing() as sql:  # a file that can be read may still be read-only, or its disk full
            states = dict(sql.execute("SELECT state, COUNT(*) FROM batches GROUP BY state").fetchall())
            more = {words: str(sql.execute(query).fetchone()[0]) for words, query in counted.items()}
        names = {"out": "batches out", "cancelled": "batches withdrawn", "done": "batches answered"}
        return {**{words: str(states.get(state, 0)) for state, words in names.items()}, **more}

    def _keys(self, *states: str) -> frozenset[str]:
        if not self._file.is_made():
            return frozenset()
        marks = ", ".join("?" * len(states))
        with self._file.reading() as sql:
            return frozenset(key for (key,) in sql.execute(f"SELECT key FROM batches WHERE state IN ({marks})", states))

    @contextmanager
    def _marked(self, what: str) -> Iterator[sqlite3.Connection]:
        """A transaction in the file, once it has its id: an empty folder may be the place of an unmounted share."""
        if not self.identity():
            raise Unreachable(
                f"{self._file.what} in {self._file.root} cannot {what}: its file {self._file.file} is not there",
                hint="mount the share that holds it; after a deliberate move: `stratawatch labels adopt-queue`",
            )
        with self._file.writing() as sql:
            yield sql


def has_enough(sql: sqlite3.Connection, begin: int) -> bool:
    """Whether as many answers come after this one as a poll reads: whoever has more need not be asked now."""
    found = sql.execute("SELECT 1 FROM answers WHERE id > ? LIMIT 1 OFFSET ?", (begin, MOST_READ - 1))
    return found.fetchone() is not None


def _has_tables(sql: sqlite3.Connection) -> bool:
    return sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'answers'").fetchone() is not None


def _run(sql: sqlite3.Connection, statements: str) -> None:
    """Run statements inside the transaction; `executescript` would end it."""
    for statement in statements.split(";\n"):
        sql.execute(statement)


def _upgrades_had(sql: sqlite3.Connection) -> int:
    return int(sql.execute("PRAGMA user_version").fetchone()[0])


def _count_upgrades(sql: sqlite3.Connection, had: int) -> None:
    sql.execute(f"PRAGMA user_version = {had}")


def _digest(said: str) -> str:
    return sha256(said.encode()).hexdigest()[:16]


def _drop_words(sql: sqlite3.Connection, items: Collection[str]) -> None:
    """Leave of the answers about items what a label event is made of. A cursor at one of them is begun anew."""
    changed = []
    for number, said in sql.execute("SELECT id, said FROM answers"):
        try:
            fields = json_object(said.encode())
        except ValueError:
            continue
        if issued_key(str(fields.get("key"))) in items and set(fields) - {*_OF_AN_EVENT}:
            event = {name: fields[name] for name in _OF_AN_EVENT if name in fields}
            changed.append((json.dumps(event), number))
    sql.executemany("UPDATE answers SET said = ? WHERE id = ?", changed)
