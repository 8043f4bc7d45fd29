"""The file of a Label Studio queue: its projects, what was published, the annotations that were read, and answers."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from stratawatch.adapters.queues.answer_book import AnswerBook
from stratawatch.adapters.queues.label_values import VALUES

OVERLAP: Final = timedelta(minutes=2)
"""So far before the newest change that was read, reading begins again: a change may be kept after a newer one."""
RECONCILED_EVERY: Final = timedelta(hours=6)
"""How often all tasks are read, whenever they changed."""
LONGEST: Final = 300
"""Characters of a word that are kept: more than an answer may have."""
_SCHEMA: Final = """
CREATE TABLE place (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL);
CREATE TABLE projects (
    vote INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    number INTEGER,
    reached TEXT,
    reconciled TEXT,
    since TEXT,
    after INTEGER,
    begun TEXT
);
CREATE TABLE batches (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('out', 'cancelled', 'done')),
    digest TEXT,
    published INTEGER NOT NULL DEFAULT 0,
    cleared INTEGER NOT NULL DEFAULT 0,
    vote INTEGER NOT NULL DEFAULT 1,
    votes INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE annotations (
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL, item_key TEXT, annotator TEXT NOT NULL, value TEXT NOT NULL,
    event_id TEXT NOT NULL, vote INTEGER NOT NULL DEFAULT 1, at TEXT NOT NULL DEFAULT ''
);
CREATE INDEX annotations_by_task ON annotations (task);
CREATE INDEX annotations_by_item ON annotations (item_key, annotator);
CREATE TABLE standing (
    item_key TEXT NOT NULL, annotator TEXT NOT NULL, value TEXT NOT NULL, at TEXT NOT NULL, event_id TEXT NOT NULL,
    PRIMARY KEY (item_key, annotator)
);
CREATE TABLE answers (id INTEGER PRIMARY KEY AUTOINCREMENT, said TEXT NOT NULL);
INSERT INTO projects (vote, title) VALUES (1, 'stratawatch ' || lower(hex(randomblob(8))));
"""
"""The title is drawn now: by it the project is found again after a death before its number was noted."""
_A_PROJECT_FOR_EACH_VOTE: Final = """
CREATE TABLE projects (
    vote INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    number INTEGER,
    reached TEXT,
    reconciled TEXT,
    since TEXT,
    after INTEGER,
    begun TEXT
);
INSERT INTO projects SELECT 1, title, number, reached, reconciled, since, after, reached FROM project, reading;
DROP TABLE project;
DROP TABLE reading;
ALTER TABLE batches ADD COLUMN vote INTEGER NOT NULL DEFAULT 1;
ALTER TABLE batches ADD COLUMN votes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE annotations ADD COLUMN vote INTEGER NOT NULL DEFAULT 1;
ALTER TABLE annotations ADD COLUMN at TEXT NOT NULL DEFAULT '';
CREATE INDEX annotations_by_item ON annotations (item_key, annotator);
CREATE TABLE standing (
    item_key TEXT NOT NULL, annotator TEXT NOT NULL, value TEXT NOT NULL, at TEXT NOT NULL, event_id TEXT NOT NULL,
    PRIMARY KEY (item_key, annotator)
);
INSERT OR REPLACE INTO standing SELECT item_key, annotator, value, '', event_id FROM annotations ORDER BY id;
"""
"""What a file lacks whose queue had one project for everything."""


@dataclass(frozen=True)
class Project:
    """Where one vote on each item is asked for. Its `number` is None where it is not made yet."""

    vote: int
    title: str
    number: int | None


@dataclass(frozen=True)
class Reading:
    """One way through the tasks of a vote's project, in the order of their ids.

    Those that changed after `since` are read, or all where it is None.

    `after` is the last id that was read, `reached` the newest change that any reading has come upon, and `begun` the
    moment at which this one began: what changed later may lie behind it.
    """

    vote: int
    since: datetime | None
    after: int
    reached: datetime | None
    begun: datetime


class LabelStudioBook(AnswerBook):
    """`published` says that all tasks of a batch are in Label Studio; `cleared`, that after its end nobody is asked.

    A batch asks for `votes` votes on each of its items, the first of them being the item's `vote`-th.
    """

    file = "label-studio.sqlite3"
    schema = _SCHEMA
    upgrades = (_A_PROJECT_FOR_EACH_VOTE,)
    what = "the Label Studio queue"

    def projects(self) -> list[Project]:
        """The projects by their votes; none in a file that is not in use."""
        if not self.identity():
            return []
        with self.reading() as sql:
            rows = sql.execute("SELECT vote, title, number FROM projects ORDER BY vote").fetchall()
        return [Project(*row) for row in rows]

    def project(self, vote: int) -> Project:
        """The project of a vote. Its title is kept before anybody makes it: a death in between costs nothing."""
        with self.writing() as sql:
            sql.execute(
                "INSERT OR IGNORE INTO projects (vote, title) "
                "SELECT ?1, title || ' vote ' || ?1 FROM projects WHERE vote = 1",
                (vote,),
            )
            return Project(*sql.execute("SELECT vote, title, number FROM projects WHERE vote = ?", (vote,)).fetchone())

    def note_project(self, vote: int, number: int) -> int:
        """Keep a project's number, unless somebody was faster; returns the number that is kept."""
        with self.writing() as sql:
            sql.execute("UPDATE projects SET number = ? WHERE vote = ? AND number IS NULL", (number, vote))
            return int(sql.execute("SELECT number FROM projects WHERE vote = ?", (vote,)).fetchone()[0])

    def begin_reading(self, vote: int, now: datetime) -> Reading:
        """The reading of a project that was broken off, or a new one: of all tasks where that is due."""
        with self.reading() as sql:
            row = sql.execute(
                "SELECT reached, reconciled, since, begun, after FROM projects WHERE vote = ?", (vote,)
            ).fetchone()
        reached, reconciled, since, begun = (_moment(text) for text in row[:4])
        if row[4] is not None:
            return Reading(vote, since, row[4], reached, begun or now)
        due = reached is None or reconciled is None or not timedelta(0) <= now - reconciled < RECONCILED_EVERY
        return Reading(vote, None if due or reached is None else reached - OVERLAP, 0, reached, now)

    def keep(self, reading: Reading, tasks: list[Mapping[str, Any]], now: datetime, *, ended: bool) -> Reading:
        """Keep a page of tasks, in one transaction with how far the reading came.

        The next reading begins before this one did: a task that was passed may have changed while later ones were read.
        """
        reached = max([_moment(task["updated_at"]) for task in tasks] + [reading.reached], key=_or_earliest)
        if ended and reached is not None:
            reached = min(reached, reading.begun)
        after = int(tasks[-1]["id"]) if tasks else reading.after
        with self.writing() as sql:
            people = [person for task in tasks for person in _keep_task(sql, task, reading.vote)]
            for item_key, annotator in dict.fromkeys(people):
                _say_what_stands(sql, item_key, annotator, now)
            sql.execute(
                "UPDATE projects SET reached = ?, since = ?, after = ?, begun = ?, "
                "reconciled = coalesce(?, reconciled) "
                "WHERE vote = ?",
                (
                    _text(reached),
                    None if ended else _text(reading.since),
                    None if ended else after,
                    reading.begun.isoformat(),
                    now.isoformat() if ended and reading.since is None else None,
                    reading.vote,
                ),
            )
        return replace(reading, after=after, reached=reached)


def _keep_task(sql: sqlite3.Connection, task: Mapping[str, Any], vote: int) -> Iterator[tuple[str, str]]:
    """Keep the annotations of a task as they are; yields the item and the person of each that is new, other, or gone.

    An answer is said as it is, unless something newer was said for this person. So is what is no answer, so that it is
    counted among what is set aside.
    """
    rows = sql.execute("SELECT id, item_key, annotator, value FROM annotations WHERE task = ?", (task["id"],))
    before = {row[0]: row[1:] for row in rows.fetchall()}
    for number in sorted(before.keys() - {one["id"] for one in task["annotations"]}):
        sql.execute("DELETE FROM annotations WHERE id = ?", (number,))
        yield before[number][0], before[number][1]
    item_key = task["data"].get("item_key")
    key = item_key[:LONGEST] if isinstance(item_key, str) else ""
    for one in sorted(task["annotations"], key=lambda one: (one["updated_at"], one["id"])):
        number, value, at = one["id"], _value(one), one["updated_at"]
        when = str(_text(_moment(at)))
        if number in before and before[number][2] == value:
            continue
        annotator = f"user {one['completed_by']}"
        event_id = f"{number}.{_digest(value, at)}"
        sql.execute(
            "INSERT OR REPLACE INTO annotations (id, task, item_key, annotator, value, event_id, vote, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, task["id"], key, annotator, value, event_id, vote, when),
        )
        if not key or value.casefold() not in VALUES:
            _answer(sql, key, annotator, value, at, event_id)
        elif (last := _said_last(sql, key, annotator)) is None or when >= last[1]:
            _say(sql, key, annotator, value, when, event_id)
        if key:
            yield key, annotator


def _say_what_stands(sql: sqlite3.Connection, key: str, annotator: str, now: datetime) -> None:
    """Make an answer of what somebody says of an item by the newest annotation that is left, if it was not said last.

    The tasks of an item are read one after the other, and an annotation that was deleted leaves no time. So an answer
    is never dated before the one that it takes the place of.
    """
    marks = ", ".join("?" * len(VALUES))
    present = sql.execute(
        f"SELECT id, value, at FROM annotations WHERE item_key = ? AND annotator = ? AND lower(value) IN ({marks}) "
        "ORDER BY at DESC, id DESC LIMIT 1",
        (key, annotator, *VALUES),
    ).fetchone()
    last = _said_last(sql, key, annotator)
    if present is not None:
        number, value, at = present
        if last is not None and last[0] == value:
            return
        said_at = (max(at, last[1]) if last else at) or now.isoformat()
        event_id = f"{number}.{_digest(value, at) if said_at == at else _digest(value, at, said_at)}"
    elif last is not None and last[0] != "retract":
        value, said_at, event_id = "retract", max(now.isoformat(), last[1]), f"{last[2]}.deleted"
    else:
        return
    _say(sql, key, annotator, value, said_at, event_id)


def _said_last(sql: sqlite3.Connection, key: str, annotator: str) -> tuple[str, str, str] | None:
    """Value, time and id of what was said last for a person about an item."""
    standing = "SELECT value, at, event_id FROM standing WHERE item_key = ? AND annotator = ?"
    row: tuple[str, str, str] | None = sql.execute(standing, (key, annotator)).fetchone()
    return row


def _say(sql: sqlite3.Connection, key: str, annotator: str, value: str, at: str, event_id: str) -> None:
    _answer(sql, key, annotator, value, at, event_id)
    sql.execute(
        "INSERT OR REPLACE INTO standing (item_key, annotator, value, at, event_id) VALUES (?, ?, ?, ?, ?)",
        (key, annotator, value, at, event_id),
    )


def _digest(*words: str) -> str:
    return sha256(" ".join(words).encode()).hexdigest()[:16]


def _answer(sql: sqlite3.Connection, key: str, annotator: str, value: str, at: str, event_id: str) -> None:
    said = {"key": key, "value": value, "annotator": annotator, "at": at, "event_id": event_id}
    sql.execute("INSERT INTO answers (said) VALUES (?)", (json.dumps(said),))


def _value(annotation: Mapping[str, Any]) -> str:
    """The word that was chosen; several, or none, are one that is no answer."""
    if annotation["was_cancelled"]:
        return "skip"
    return " and ".join(sorted(_choices(annotation)))[:LONGEST]


def _choices(annotation: Mapping[str, Any]) -> Iterator[str]:
    for part in annotation["result"]:
        if part.get("from_name") == "answer":
            yield from (str(choice) for choice in part.get("value", {}).get("choices", ()))


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _or_earliest(moment: datetime | None) -> datetime:
    return moment or datetime.min.replace(tzinfo=UTC)
