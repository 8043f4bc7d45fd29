"""A label queue in Label Studio: batches become tasks of a project, and annotations are read from it."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.answer_book import BookQueue, has_enough
from stratawatch.adapters.queues.label_studio_api import A_CALL, LabelStudioApi, in_calls
from stratawatch.adapters.queues.label_studio_book import LabelStudioBook
from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload
from stratawatch.engine.model.label_events import Batch, PollResult, Receipt
from stratawatch.errors import StratawatchError
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

MOST_PAGES: Final = 100
"""Pages of tasks that one poll reads; the next one goes on from there."""


class LabelStudioSettings(QueueSettings):
    """kind = "label_studio": a project of Label Studio."""

    kind: Literal["label_studio"]
    url: Text
    token: Secret
    root: Text = "queue"
    timeout: PositiveDuration = timedelta(seconds=60)

    @property
    def answers_asked(self) -> int:
        """One: whoever came second would see the answer of the first."""
        return 1

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder of the queue's file."""
        return (LocalPath("root", self.root),)

    def build(self, context: BuildContext) -> "LabelStudioQueue":
        """The queue; its token is looked up now."""
        api = LabelStudioApi(self.url, context.reveal(self.token), self.timeout.total_seconds())
        return LabelStudioQueue(context.folder / self.root, api)


class LabelStudioQueue(BookQueue):
    """Tasks go to one project; its number, the batches, and the annotations that were read are in the queue's file.

    Label Studio imports whatever it is given, as often as it is given it. So a batch is noted before the import and
    again after it, and each part of it is looked up before it is imported.
    """

    _file: LabelStudioBook

    def __init__(self, root: Path, api: LabelStudioApi, name: str = "label_studio") -> None:
        super().__init__(LabelStudioBook(root), name)
        self._api = api

    def ask_again(self, keys: Sequence[str]) -> None:
        """Forget that batches were withdrawn, so that they can be published: tasks that were deleted come back then."""
        with self._marked("take back a withdrawal") as sql:
            sql.executemany("DELETE FROM batches WHERE key = ? AND state = 'cancelled'", [(key,) for key in keys])

    def publish(self, batch: Batch) -> Receipt:
        """Import those tasks of a batch that are not there."""
        digest = batch_digest(batch)
        with self._marked("publish a batch") as sql:
            sql.execute("INSERT OR IGNORE INTO batches (key, state, digest) VALUES (?, 'out', ?)", (batch.key, digest))
            state, noted, published = sql.execute(
                "SELECT state, digest, published FROM batches WHERE key = ?", (batch.key,)
            ).fetchone()
        if state == "out" and noted not in (digest, ""):
            raise StratawatchError(
                f"the Label Studio queue has sent another batch of the same key, {batch.key}",
                hint="two installations must not share a queue; give one of them its own [queue] root",
            )
        if state != "out" or published:
            return Receipt(f"{state}/{batch.key}", duplicate=True)
        project = self.project()
        for part in in_calls(batch.tasks):
            found = self._api.tasks_of_items(project, [task.item_key for task in part])
            there = {task["data"]["item_key"] for task in found if task["data"].get("batch") == batch.key}
            missing = [_data(batch, task.item_key, task.payload) for task in part if task.item_key not in there]
            if missing:
                self._api.import_tasks(project, missing)
        with self._file.writing() as sql:
            sql.execute("UPDATE batches SET published = 1 WHERE key = ?", (batch.key,))
        return Receipt(f"project {project} {batch.key}")

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read what changed in the project, and of all that was read so what came since `cursor`.

        The project is not read while as many answers wait in the file as a poll reads.
        """
        with self._marked("read labels") as sql:
            enough = has_enough(sql, int(str(cursor.get("answer", 0))))
        if not enough:
            self._read_project()
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
        with self._marked("forget payload") as sql:
            # A batch that is out may be published again without these items: no digest fits.
            change = "UPDATE batches SET digest = '' WHERE key = ? AND state = 'out' AND digest IS NOT NULL"
            sql.executemany(change, [(key,) for key in batches])
        _, project = self._file.project()
        if project is None:
            return
        for key, items in batches.items():
            tasks = [task for task in self._api.tasks_of_batch(project, key) if task["data"]["item_key"] in items]
            self._api.delete_tasks(project, [task["id"] for task in tasks if not task["annotations"]])
            for task in tasks:
                if task["annotations"] and task["data"]["text"]:
                    self._api.change_data(task["id"], {**task["data"], "text": ""})

    def describe(self) -> Mapping[str, str]:
        """Count batches and answers, and see that Label Studio takes the token. Nothing is created."""
        self._api.greet()
        _, project = self._file.project()
        counted = {
            "answers": "SELECT COUNT(*) FROM answers",
            "batches that ended and may still be asked": f"SELECT COUNT(*) FROM batches WHERE {_UNCLEARED}",
        }
        counts = self._counts(counted)
        return {"file": str(self._file.path), "project": str(project or "not made yet"), **counts}

    def project(self) -> int:
        """The project's number; the project is made where it is missing."""
        title, number = self._file.project()
        if number is None:
            number = self._api.project_titled(title) or self._api.create_project(title)
            self._file.note_project(number)
        return number

    def _read_project(self) -> None:
        """Bring the file up to date with the project."""
        _, project = self._file.project()
        if project is None:
            return
        now = datetime.now(UTC)
        reading = self._file.begin_reading(now)
        for _ in range(MOST_PAGES):
            tasks = list(self._api.changed_tasks(project, reading.since, reading.after))
            ended = len(tasks) < A_CALL
            reading = self._file.keep(reading, tasks, now, ended=ended)
            if ended:
                return

    def _clear_ended(self) -> None:
        """Delete unanswered tasks of batches that have ended. What fails stops nothing; the next poll tries again."""
        _, project = self._file.project()
        if project is None:
            return
        with self._file.reading() as sql:
            ended = sql.execute(f"SELECT key, state FROM batches WHERE {_UNCLEARED} ORDER BY key").fetchall()
        for key, state in ended:
            try:
                tasks = list(self._api.tasks_of_batch(project, key))
                self._api.delete_tasks(project, [task["id"] for task in tasks if not task["annotations"]])
            except StratawatchError:
                return
            with self._file.writing() as sql:
                sql.execute("UPDATE batches SET cleared = 1 WHERE key = ? AND state = ?", (key, state))


_UNCLEARED: Final = "state <> 'out' AND NOT cleared AND digest IS NOT NULL"
"""Batches that ended after they were published, or may have been, whose unanswered tasks may still be there."""


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
