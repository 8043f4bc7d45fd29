"""A label queue in Label Studio: batches become tasks of a project for each vote, whose annotations are read."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings, Votes
from stratawatch.adapters.queues.answer_book import BookQueue, has_enough
from stratawatch.adapters.queues.label_studio_api import A_CALL, LabelStudioApi, in_calls
from stratawatch.adapters.queues.label_studio_book import LabelStudioBook
from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload
from stratawatch.engine.model.label_events import Batch, PollResult, Receipt
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

MOST_PAGES: Final = 100
"""Pages of tasks that one poll reads of a project; the next one goes on from there."""


class LabelStudioSettings(QueueSettings):
    """kind = "label_studio": projects of Label Studio, one for each vote."""

    kind: Literal["label_studio"]
    url: Text
    token: Secret
    root: Text = "queue"
    votes: Votes = 1
    timeout: PositiveDuration = timedelta(seconds=60)

    @property
    def answers_asked(self) -> int:
        """As many as there are to be votes."""
        return self.votes

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder of the queue's file."""
        return (LocalPath("root", self.root),)

    def build(self, context: BuildContext) -> "LabelStudioQueue":
        """The queue; its token is looked up now."""
        api = LabelStudioApi(self.url, context.reveal(self.token), self.timeout.total_seconds())
        return LabelStudioQueue(context.folder / self.root, api, self.votes)


class LabelStudioQueue(BookQueue):
    """Tasks go to projects; their numbers, the batches, and the annotations that were read are in the queue's file.

    Whoever comes to a task second is shown what the first one said. So each vote has a project of its own: an item is
    a task in as many projects as it is to have votes, and each project asks one person.

    Label Studio imports whatever it is given, as often as it is given it. So a batch is noted before the import and
    again after it, and each part of it is looked up before it is imported.
    """

    _file: LabelStudioBook

    def __init__(self, root: Path, api: LabelStudioApi, votes: int = 1, name: str = "label_studio") -> None:
        super().__init__(LabelStudioBook(root), name)
        self._api = api
        self._votes = votes

    def ask_again(self, keys: Sequence[str]) -> None:
        """Forget that batches were withdrawn, so that they can be published: tasks that were deleted come back then."""
        with self._marked("take back a withdrawal") as sql:
            sql.executemany("DELETE FROM batches WHERE key = ? AND state = 'cancelled'", [(key,) for key in keys])

    def publish(self, batch: Batch) -> Receipt:
        """Import those tasks of a batch that are not there, into the project of each vote that it asks for."""
        digest = batch_digest(batch)
        with self._marked("publish a batch") as sql:
            sql.execute(
                "INSERT OR IGNORE INTO batches (key, state, digest, vote, votes) VALUES (?, 'out', ?, ?, ?)",
                (batch.key, digest, batch.vote, self._votes),
            )
            state, noted, published, vote, votes = sql.execute(
                "SELECT state, digest, published, vote, votes FROM batches WHERE key = ?", (batch.key,)
            ).fetchone()
        if state == "out" and noted not in (digest, ""):
            raise StratawatchError(
                f"the Label Studio queue has sent another batch of the same key, {batch.key}",
                hint="two installations must not share a queue; give one of them its own [queue] root",
            )
        if state != "out" or published:
            return Receipt(f"{state}/{batch.key}", duplicate=True)
        projects = [self.project(one) for one in range(vote, vote + votes)]
        for project in projects:
            self._import(project, batch)
        with self._file.writing() as sql:
            sql.execute("UPDATE batches SET published = 1 WHERE key = ?", (batch.key,))
        return Receipt(f"project {' and '.join(map(str, projects))} {batch.key}")

    def _import(self, project: int, batch: Batch) -> None:
        """Import those tasks of a batch that a project does not have."""
        for part in in_calls(batch.tasks):
            found = self._api.tasks_of_items(project, [task.item_key for task in part])
            there = {task["data"]["item_key"] for task in found if task["data"].get("batch") == batch.key}
            missing = [_data(batch, task.item_key, task.payload) for task in part if task.item_key not in there]
            if missing:
                self._api.import_tasks(project, missing)

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read what changed in the projects, and of all that was read so what came since `cursor`.

        They are not read while as many answers wait in the file as a poll reads.
        """
        with self._marked("read labels") as sql:
            enough = has_enough(sql, int(str(cursor.get("answer", 0))))
        if not enough:
            for project in self._file.projects():
                if project.number is not None:
                    self._read_project(project.vote, project.number)
        self._clear_ended()
        return super().poll(cursor)

    def cancel(self, keys: Sequence[str]) -> None:
        """Withdraw batches: those of their tasks that nobody has answered are deleted."""
        super().cancel(keys)
        self._clear_ended()

    def close(self, keys: Sequence[str]) -> None:
        """Put batches away: those of their tasks that nobody has answered are deleted."""
        super().close(keys)
        self._clear_ended()

    def drop_payload(self, batches: Mapping[str, Collection[str]]) -> None:
        """Forget what people were shown of items of batches; unanswered tasks go, of others the annotations stay."""
        super().drop_payload(batches)
        for key, items in batches.items():
            for project in self._projects_of(key):
                tasks = [task for task in self._api.tasks_of_batch(project, key) if task["data"]["item_key"] in items]
                self._api.delete_tasks(project, [task["id"] for task in tasks if not task["annotations"]])
                for task in tasks:
                    if task["annotations"] and task["data"]["text"]:
                        self._api.change_data(task["id"], {**task["data"], "text": ""})

    def _drop_tasks(self, sql: sqlite3.Connection, batches: Mapping[str, Collection[str]]) -> None:
        """Let batches that are out be published again without these items: no digest fits then."""
        change = "UPDATE batches SET digest = '' WHERE key = ? AND state = 'out' AND digest IS NOT NULL"
        sql.executemany(change, [(key,) for key in batches])

    def describe(self) -> Mapping[str, str]:
        """Count batches and answers, and see that Label Studio takes the token. Nothing is created."""
        self._api.greet()
        made = [f"{one.number} (vote {one.vote})" for one in self._file.projects() if one.number is not None]
        counted = {
            "answers": "SELECT COUNT(*) FROM answers",
            "items of which one person gave two votes": _TWO_VOTES_OF_ONE,
            "batches that ended and may still be asked": f"SELECT COUNT(*) FROM batches WHERE {_UNCLEARED}",
        }
        counts = self._counts(counted)
        return {"file": str(self._file.path), "projects": ", ".join(made) or "not made yet", **counts}

    def project(self, vote: int = 1) -> int:
        """The number of a vote's project; the project is made where it is missing."""
        project = self._file.project(vote)
        if project.number is not None:
            return project.number
        if self._api.project_titled(project.title) is None:
            self._api.create_project(project.title)
        # Two workers may have made one each: both find the same, the first.
        number = self._api.project_titled(project.title)
        if number is None:
            raise Unreachable(
                f"Label Studio does not show the project '{project.title}' that it made",
                hint="see that the token's user may see the projects that he creates",
            )
        return self._file.note_project(vote, number)

    def _projects_of(self, key: str) -> list[int]:
        """The numbers of the projects that may have tasks of a batch: all, where the file does not know its votes."""
        with self._file.reading() as sql:
            noted = "SELECT vote, votes FROM batches WHERE key = ? AND digest IS NOT NULL"
            row = sql.execute(noted, (key,)).fetchone()
        made = [(one.vote, one.number) for one in self._file.projects() if one.number is not None]
        return [number for vote, number in made if row is None or row[0] <= vote < row[0] + row[1]]

    def _read_project(self, vote: int, project: int) -> None:
        """Bring the file up to date with a project."""
        now = datetime.now(UTC)
        reading = self._file.begin_reading(vote, now)
        for _ in range(MOST_PAGES):
            tasks = list(self._api.changed_tasks(project, reading.since, reading.after))
            ended = len(tasks) < A_CALL
            reading = self._file.keep(reading, tasks, now, ended=ended)
            if ended:
                return

    def _clear_ended(self) -> None:
        """Delete unanswered tasks of batches that have ended. What fails stops nothing; the next poll tries again."""
        if not self.identity():
            return
        with self._file.reading() as sql:
            ended = sql.execute(f"SELECT key, state FROM batches WHERE {_UNCLEARED} ORDER BY key").fetchall()
        for key, state in ended:
            try:
                for project in self._projects_of(key):
                    tasks = list(self._api.tasks_of_batch(project, key))
                    self._api.delete_tasks(project, [task["id"] for task in tasks if not task["annotations"]])
            except StratawatchError:
                return
            with self._file.writing() as sql:
                sql.execute("UPDATE batches SET cleared = 1 WHERE key = ? AND state = ?", (key, state))


_UNCLEARED: Final = "state <> 'out' AND NOT cleared AND digest IS NOT NULL"
"""Batches that ended after they were published, or may have been, whose unanswered tasks may still be there."""
_TWO_VOTES_OF_ONE: Final = (
    "SELECT COUNT(DISTINCT item_key) FROM (SELECT item_key FROM annotations WHERE item_key <> '' "
    "GROUP BY item_key, annotator HAVING COUNT(DISTINCT vote) > 1)"
)
"""Items in two projects, one of whose people took both: the second of his answers is no vote."""


def _data(batch: Batch, item_key: str, payload: Mapping[str, Any]) -> dict[str, str]:
    """What Label Studio keeps of a task."""
    return {
        "item_key": item_key,
        "batch": batch.key,
        "question": batch.question,
        "guideline": batch.guideline,
        "text": shown(payload),
    }


def shown(payload: Mapping[str, Any]) -> str:
    """The payload as text, a paragraph for each of its fields.

    >>> print(shown({"text": "hello", "words": ["a", "b"], "price": float("nan")}))
    text: hello
    <BLANKLINE>
    words: ["a", "b"]
    <BLANKLINE>
    price: null
    """
    fields = json_payload(payload).items()
    return "\n\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in fields
    )
