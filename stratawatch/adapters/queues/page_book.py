"""The file of the label page: what is asked, who may answer, who holds which item, and what was answered.

SQLite, apart from the store: people who label need no way into the store, and the page answers while the store is away.
An answer is written once and never changed; a later one, or one that is taken back, is another row.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, Final

from stratawatch.adapters.queues.answer_book import AnswerBook
from stratawatch.engine.model.annotator_names import person
from stratawatch.errors import StratawatchError

HELD: Final = timedelta(minutes=15)
"""How long an item that somebody looks at is kept from others."""
_SCHEMA: Final = """
CREATE TABLE place (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL);
CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('out', 'cancelled', 'done')),
    digest TEXT, question TEXT, guideline TEXT, question_key TEXT,
    vote INTEGER NOT NULL DEFAULT 1,
    published_after INTEGER NOT NULL DEFAULT 0,
    expired INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tasks (
    batch INTEGER NOT NULL REFERENCES batches (number),
    position INTEGER NOT NULL,
    item_key TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (batch, position)
);
CREATE INDEX tasks_by_item ON tasks (item_key);
CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    said TEXT NOT NULL,
    item_key TEXT, annotator TEXT, value TEXT, question_key TEXT, guideline TEXT
);
CREATE INDEX answers_by_item ON answers (item_key);
CREATE TABLE standing (
    item_key TEXT NOT NULL, annotator TEXT NOT NULL, answer INTEGER NOT NULL REFERENCES answers (id),
    PRIMARY KEY (item_key, annotator)
);
CREATE TABLE holds (
    item_key TEXT NOT NULL, annotator TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (item_key, annotator)
);
CREATE TABLE annotators (
    name TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, revoked INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE taken_back (item_key TEXT PRIMARY KEY, annotator TEXT NOT NULL);
"""
"""A batch was published after the answer of one number, and answers up to another one have expired for it."""
_BATCHES_KNOW_WHAT_EXPIRED: Final = """
ALTER TABLE batches ADD COLUMN vote INTEGER NOT NULL DEFAULT 1;
ALTER TABLE batches ADD COLUMN published_after INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN expired INTEGER NOT NULL DEFAULT 0;
CREATE INDEX answers_by_item ON answers (item_key);
"""
"""What a file lacks for which an answer stood for ever."""
_TAKEN_BACK: Final = "CREATE TABLE taken_back (item_key TEXT PRIMARY KEY, annotator TEXT NOT NULL);"
"""What a file lacks that forgot what was taken back after its batch was put away or withdrawn."""


@dataclass(frozen=True)
class Question:
    """One item as a batch asks an annotator about it."""

    item_key: str
    batch: int
    question: str
    guideline: str
    question_key: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Progress:
    """Items that this annotator has answered, and those that still wait for him."""

    answered: int
    left: int


class PageBook(AnswerBook):
    """The file in a folder, and what the page does with it."""

    file = "page.sqlite3"
    schema = _SCHEMA
    upgrades = (_BATCHES_KNOW_WHAT_EXPIRED, _TAKEN_BACK)
    what = "the label page"

    # People

    def invite(self, name: str) -> str:
        """A new token for an annotator; one that he had before is worth nothing any more.

        He keeps the name that he has at the page, however it is spelled now: see `known_as`.
        """
        token = token_urlsafe(32)
        with self.writing() as sql:
            name = _known_as(sql, name)
            sql.execute(
                "INSERT INTO annotators (name, token_hash) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, revoked = 0",
                (name, _hashed(token)),
            )
        return token

    def known_as(self, name: str) -> str:
        """The name that this person has at the page already, or this one."""
        with self.reading() as sql:
            return _known_as(sql, name)

    def revoke(self, name: str) -> None:
        """Close the page to an annotator; what he said stays."""
        with self.writing() as sql:
            name = _known_as(sql, name)
            changed = sql.execute("UPDATE annotators SET revoked = 1 WHERE name = ?", (name,)).rowcount
            sql.execute("DELETE FROM holds WHERE annotator = ?", (name,))
        if not changed:
            raise StratawatchError(f"there is no annotator '{name}'", hint="`stratawatch labels annotators` lists them")

    def annotators(self) -> list[tuple[str, bool, int]]:
        """Everybody who was invited, whether he still may answer, and how many answers of his stand."""
        with self.reading() as sql:
            rows = sql.execute(
                "SELECT name, revoked, (SELECT COUNT(*) FROM standing WHERE annotator = name) "
                "FROM annotators ORDER BY name"
            ).fetchall()
        return [(name, not revoked, answers) for name, revoked, answers in rows]

    def who(self, token: str) -> tuple[str, bool] | None:
        """Whose token it is, and whether it was revoked; None where it is nobody's."""
        with self.reading() as sql:
            row = sql.execute("SELECT name, revoked FROM annotators WHERE token_hash = ?", (_hashed(token),)).fetchone()
        return (row[0], bool(row[1])) if row else None

    # Answers

    def next_question(self, annotator: str, votes: int, now: datetime) -> Question | None:
        """The item that an annotator is to answer, held for him; None where nothing is left.

        An item is given to so many people at once as it still needs answers, and again to one of them only where it is
        asked anew after his answer has expired. The order is another one for each annotator, and says nothing about the
        items.
        """
        with self.writing() as sql:
            sql.execute("DELETE FROM holds WHERE until <= ?", (now.timestamp(),))
            waiting = [key for (key,) in sql.execute(_WAITING, {"annotator": annotator, "votes": votes})]
            held = [key for (key,) in sql.execute(_HELD, (annotator,))]
            mine = held or waiting
            if not mine:
                return None
            key = min(mine, key=lambda one: _hashed(f"{annotator}\0{one}"))
            _hold(sql, key, annotator, now)
            return _question(sql, key)

    def answer(
        self,
        annotator: str,
        item_key: str,
        value: str,
        votes: int,
        now: datetime,
        event_id: str,
        note: str = "",
        batch: int | None = None,
    ) -> bool:
        """Keep an answer; False where the item was not this annotator's to answer, or is none of anybody.

        `batch` is the one whose question was shown: a later one may ask about the item with another guideline.
        """
        with self.writing() as sql:
            sql.execute("DELETE FROM holds WHERE until <= ?", (now.timestamp(),))
            question = _question(sql, item_key, batch)
            held = sql.execute(
                "SELECT 1 FROM holds WHERE item_key = ? AND annotator = ?", (item_key, annotator)
            ).fetchone()
            waiting = held or item_key in {
                key for (key,) in sql.execute(_WAITING, {"annotator": annotator, "votes": votes})
            }
            if question is None or not waiting:
                return False
            self._keep(sql, question, annotator, value, now, event_id, note)
            sql.execute("DELETE FROM holds WHERE item_key = ? AND annotator = ?", (item_key, annotator))
            return True

    def undo(self, annotator: str, now: datetime, event_id: str) -> bool:
        """Take an annotator's newest standing answer back, and give him the item again; False where there is none.

        He is given it until he answers, whatever has become of its batch; others are too, unless that was withdrawn.
        """
        with self.writing() as sql:
            row = sql.execute(
                "SELECT item_key FROM standing WHERE annotator = ? ORDER BY answer DESC LIMIT 1", (annotator,)
            ).fetchone()
            question = _question(sql, row[0]) if row else None
            if question is None:
                return False
            self._keep(sql, question, annotator, "retract", now, event_id, "")
            if "out" not in _states(sql, question.item_key):
                sql.execute("INSERT OR REPLACE INTO taken_back VALUES (?, ?)", (question.item_key, annotator))
            # One thing at a time: what was shown meanwhile is somebody else's to answer, or comes again.
            sql.execute("DELETE FROM holds WHERE annotator = ?", (annotator,))
            _hold(sql, question.item_key, annotator, now)
            return True

    def progress(self, annotator: str, votes: int) -> Progress:
        """How far an annotator is."""
        with self.reading() as sql:
            answered = sql.execute("SELECT COUNT(*) FROM standing WHERE annotator = ?", (annotator,)).fetchone()[0]
            left = len(sql.execute(_WAITING, {"annotator": annotator, "votes": votes}).fetchall())
        return Progress(answered, left)

    def _keep(
        self,
        sql: sqlite3.Connection,
        question: Question,
        annotator: str,
        value: str,
        now: datetime,
        event_id: str,
        note: str,
    ) -> None:
        said = {
            "key": question.item_key,
            "value": value,
            "annotator": annotator,
            "at": now.isoformat(),
            "event_id": event_id,
        }
        if note:
            said["note"] = note
        number = add_answer(sql, json.dumps(said), question, annotator, value)
        if value == "retract":
            sql.execute("DELETE FROM standing WHERE item_key = ? AND annotator = ?", (question.item_key, annotator))
        else:
            sql.execute(
                "INSERT OR REPLACE INTO standing (item_key, annotator, answer) VALUES (?, ?, ?)",
                (question.item_key, annotator, number),
            )
            sql.execute("DELETE FROM taken_back WHERE item_key = ?", (question.item_key,))


_WAITING: Final = """
SELECT DISTINCT item_key FROM (
    SELECT item_key, vote, published_after, expired,
        (SELECT COUNT(*) FROM standing WHERE standing.item_key = tasks.item_key AND answer > expired)
        + (SELECT COUNT(*) FROM holds WHERE holds.item_key = tasks.item_key AND holds.annotator <> :annotator)
        AS answers
    FROM tasks JOIN batches ON batches.number = tasks.batch
    WHERE state = 'out' AND NOT EXISTS (
        SELECT 1 FROM standing JOIN answers ON answers.id = standing.answer
        WHERE standing.item_key = tasks.item_key AND standing.annotator = :annotator AND answer > expired
            AND (answers.value <> 'skip' OR answer > published_after))
) AS asking
WHERE answers < :votes + vote - 1
    OR answers < :votes * (
        SELECT COUNT(DISTINCT (
            SELECT COUNT(*) FROM standing
            WHERE standing.item_key = asking.item_key AND answer <= batches.published_after))
        FROM tasks JOIN batches ON batches.number = tasks.batch
        WHERE tasks.item_key = asking.item_key AND state <> 'cancelled'
            AND batches.published_after >= asking.expired AND asking.published_after >= batches.expired)
UNION
SELECT item_key FROM taken_back
WHERE NOT EXISTS (SELECT 1 FROM standing WHERE item_key = taken_back.item_key AND annotator = :annotator)
    AND NOT EXISTS (SELECT 1 FROM holds WHERE item_key = taken_back.item_key AND annotator <> :annotator)
    AND EXISTS (
        SELECT 1 FROM tasks JOIN batches ON batches.number = tasks.batch
        WHERE tasks.item_key = taken_back.item_key AND (state <> 'cancelled' OR taken_back.annotator = :annotator))
"""
"""The items that an annotator may be given: asked, not answered by him, with fewer answers and holds than votes.

A batch that asks about an item that has answers asks for as many votes more; batches between which nobody answered it
ask for the same ones, as those of overlapping windows. Answers that have expired for a batch are none, and batches
from before them asked for something else. Who skipped an item is asked again by a batch that came later, as its
window waits for a word on it, and there may be nobody else. A second vote is one beside the first, though the batch
that asked for the first was withdrawn. What was taken back after its batch was put away is asked of anybody who has
not answered it, and of who took it back also where the batch was withdrawn.
"""
_HELD: Final = """
SELECT DISTINCT holds.item_key FROM holds
JOIN tasks ON tasks.item_key = holds.item_key JOIN batches ON batches.number = tasks.batch
WHERE holds.annotator = ? AND batches.state <> 'cancelled'
"""
"""What an annotator looks at, also where an answer was taken back after its batch was put away."""


def add_answer(
    sql: sqlite3.Connection,
    said: str,
    question: Question | None = None,
    annotator: str | None = None,
    value: str | None = None,
) -> int:
    """Append what somebody said, as a line of JSON, with the question that he saw; returns its number."""
    key, fingerprint, guideline = (
        (question.item_key, question.question_key, question.guideline) if question else (None, None, None)
    )
    found = sql.execute(
        "INSERT INTO answers (said, item_key, annotator, value, question_key, guideline) VALUES (?, ?, ?, ?, ?, ?)",
        (said, key, annotator, value, fingerprint, guideline),
    )
    return int(found.lastrowid or 0)


def said_at(said: str) -> datetime:
    """When an answer was given."""
    return datetime.fromisoformat(json.loads(said)["at"])


def _question(sql: sqlite3.Connection, item_key: str, batch: int | None = None) -> Question | None:
    """An item as a batch asks about it: the newest that is out, or else that was, unless one is named."""
    row = sql.execute(
        "SELECT number, question, guideline, question_key, payload FROM tasks "
        "JOIN batches ON batches.number = tasks.batch WHERE item_key = :item AND number = coalesce(:batch, number) "
        "ORDER BY state = 'out' DESC, state = 'done' DESC, number DESC LIMIT 1",
        {"item": item_key, "batch": batch},
    ).fetchone()
    return Question(item_key, row[0], row[1], row[2], row[3], json.loads(row[4])) if row else None


def _known_as(sql: sqlite3.Connection, name: str) -> str:
    names = [known for (known,) in sql.execute("SELECT name FROM annotators ORDER BY rowid")]
    same = [known for known in names if person(known) == person(name)]
    return name if name in same or not same else same[0]


def _states(sql: sqlite3.Connection, item_key: str) -> set[str]:
    """The states of the batches that ask about an item."""
    asked = "SELECT state FROM tasks JOIN batches ON batches.number = tasks.batch WHERE item_key = ?"
    return {state for (state,) in sql.execute(asked, (item_key,))}


def _hold(sql: sqlite3.Connection, item_key: str, annotator: str, now: datetime) -> None:
    until = (now + HELD).timestamp()
    sql.execute(
        "INSERT OR REPLACE INTO holds (item_key, annotator, until) VALUES (?, ?, ?)", (item_key, annotator, until)
    )


def _hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()
