"""The file of a Label Studio queue: its projects, what was published, the annotations that were read, and answers."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from stratawatch.adapters.queues.answer_book import AnswerBook

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
    after INTEGER
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
    event_id TEXT NOT NULL, vote INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX annotations_by_task ON annotations (task);
CREATE INDEX annotations_by_item ON annotations (item_key, annotator);
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
    after INTEGER
);
INSERT INTO projects SELECT 1, title, number, reached, reconciled, since, after FROM project, reading;
DROP TABLE project;
DROP TABLE reading;
ALTER TABLE batches ADD COLUMN vote INTEGER NOT NULL DEFAULT 1;
ALTER TABLE batches ADD COLUMN votes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE annotations ADD COLUMN vote INTEGER NOT NULL DEFAULT 1;
CREATE INDEX annotations_by_item ON annotations (item_key, annotator);
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

    `after` is the last id that was read, and `reached` the newest change that any reading has come upon.
    """

    vote: int
    since: datetime | None
    after: int
    reached: datetime | None


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

    def note_project(self, vote: int, number: int) -> None:
        """Keep a project's number."""
        with self.writing() as sql:
            sql.execute("UPDATE projects SET number = ? WHERE vote = ?", (number, vote))

    def begin_reading(self, vote: int, now: datetime) -> Reading:
        """The reading of a project that was broken off, or a new one: of all tasks where that is due."""
        with self.reading() as sql:
            row = sql.execute(
                "SELECT reached, reconciled, since, after FROM projects WHERE vote = ?", (vote,)
            ).fetchone()
        reached, reconciled, since = (_moment(text) for text in row[:3])
        if row[3] is not None:
            return Reading(vote, since, row[3], reached)
        due = reached is None or reconciled is None or not timedelta(0) <= now - reconciled < RECONCILED_EVERY
        return Reading(vote, None if due or reached is None else reached - OVERLAP, 0, reached)

    def keep(self, reading: Reading, tasks: list[Mapping[str, Any]], now: datetime, *, ended: bool) -> Reading:
        """Keep a page of tasks, in one transaction with how far the reading came."""
        reached = max([_moment(task["updated_at"]) for task in tasks] + [reading.reached], key=_or_earliest)
        after = int(tasks[-1]["id"]) if tasks else reading.after
        with self.writing() as sql:
            for task in tasks:
                _keep_task(sql, task, reading.vote, now)
            sql.execute(
                "UPDATE projects SET reached = ?, since = ?, after = ?, reconciled = coalesce(?, reconciled) "
                "WHERE vote = ?",
                (
                    _text(reached),
                    None if ended else _text(reading.since),
                    None if ended else after,
                    now.isoformat() if ended and reading.since is None else None,
                    reading.vote,
                ),
            )
        return Reading(reading.vote, reading.since, after, reached)


def _keep_task(sql: sqlite3.Connection, task: Mapping[str, Any], vote: int, now: datetime) -> None:
    """Make answers of what changed about a task: an annotation that is new, says something else, or is gone."""
    rows = sql.execute("SELECT id, item_key, annotator, value, event_id FROM annotations WHERE task = ?", (task["id"],))
    before = {row[0]: row[1:] for row in rows.fetchall()}
    said = sorted(task["annotations"], key=lambda one: (one["updated_at"], one["id"]))
    for number in sorted(before.keys() - {one["id"] for one in said}):
        key, annotator, _, event_id = before[number]
        sql.execute("DELETE FROM annotations WHERE id = ?", (number,))
        value = _other_answer(sql, key, annotator) or "retract"
        _answer(sql, key, annotator, value, now.isoformat(), f"{event_id}.deleted")
    item_key = task["data"].get("item_key")
    key = item_key[:LONGEST] if isinstance(item_key, str) else ""
    for one in said:
        number, value = one["id"], _value(one)
        if number in before and before[number][2] == value:
            continue
        annotator = f"user {one['completed_by']}"
        at = one["updated_at"]
        event_id = f"{number}.{sha256(f'{value} {at}'.encode()).hexdigest()[:16]}"
        _answer(sql, key, annotator, value, at, event_id)
        sql.execute(
            "INSERT OR REPLACE INTO annotations (id, task, item_key, annotator, value, event_id, vote) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, task["id"], key, annotator, value, event_id, vote),
        )


def _other_answer(sql: sqlite3.Connection, key: str, annotator: str) -> str | None:
    """What somebody says of an item in the newest annotation of his that is left; None where none is."""
    found = sql.execute(
        "SELECT value FROM annotations WHERE item_key = ? AND annotator = ? ORDER BY id DESC LIMIT 1", (key, annotator)
    ).fetchone()
    return str(found[0]) if found else None


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
