"""What the other sides of label queues have in common, whatever the queue is."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState
from tests.support import deaths

AT = "2026-01-05T10:00:00+02:00"
"""When people answer."""


def batch(key="spam-p00000-r1-b1", items=("k1", "k2")) -> Batch:
    tasks = tuple(LabelTask(item, {"text": f"text of {item} \U0001f642 'quoted\"\n"}) for item in items)
    return Batch(7, 3, key, BatchState.PLANNED, 0, "Is it spam?", "Read the guideline.", tasks)


@dataclass
class RootedBackend:
    """A queue that keeps a folder. A backend of a kind says `unmarked()`: the queue as it is before it was adopted."""

    root: Path

    def queue(self) -> Any:
        queue = self.unmarked()
        if not queue.identity():
            queue.adopt("ours")
        return queue

    def lose(self) -> None:
        """The disk with the folder is not mounted: an empty one is in its place."""
        self.root.rename(self.root.with_name("elsewhere"))
        self.root.mkdir()

    def find_again(self) -> None:
        """It is mounted again."""
        self.root.rmdir()
        self.root.with_name("elsewhere").rename(self.root)

    def kept(self) -> dict[str, bytes]:
        """What lies in the folder, by the name of the file."""
        files = (file for file in self.root.rglob("*") if file.is_file())
        return {str(file.relative_to(self.root)): file.read_bytes() for file in files}

    def steps(self) -> deaths.Steps:
        """What the queue does outside of its file."""
        return ()

    def dies(self, work: deaths.Work, moment: int) -> bool:
        """Whether who does this work dies of it, if death comes at this moment."""
        self.unmarked()  # what is on the other side is started by who outlives him
        return deaths.killed(work, moment, self.steps())

    def wait_until_given_again(self) -> None:
        """Wait until what a dead process was given may be read by others: at once."""


def ours(backend: Any) -> dict[str, bytes]:
    """What the queue keeps, by the name of its file, without what labellers wrote into theirs."""
    return {name: content for name, content in backend.kept().items() if not name.startswith("in/")}


def torn(text: bytes, share: float) -> bytes:
    """What arrives of it before the transfer ends."""
    return text[: max(1, int(share * len(text)))]


def post_and_leave(app: Any, path: str, headers: Mapping[str, str], arrived: bytes) -> int:
    """The status of an app's answer to a POST whose sender is gone before all of its body has arrived."""
    parts = [{"type": "http.request", "body": arrived, "more_body": True}, {"type": "http.disconnect"}]
    answers = []

    async def receive():
        return parts.pop(0)

    async def send(message):
        answers.append(message.get("status"))

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": path, "headers": raw, "query_string": b""}
    asyncio.run(app(scope, receive, send))
    return answers[0]


@dataclass
class KeptLabels:
    """A store: events, and the cursor that is committed with those that were read up to it."""

    path: Path

    def collect(self, queue: Any) -> None:
        """Read the queue until it has nothing more to say."""
        events, cursor = self._read()
        while True:
            polled = queue.poll(cursor)
            events |= {event.event_id: (event.item_key, event.value) for event in polled.events}
            ended = not polled.events and polled.cursor == cursor
            cursor = polled.cursor
            self.path.write_text(json.dumps([events, cursor]))
            if ended:
                return

    def labels(self) -> list[tuple[str, str]]:
        """Item and value of each event, which counts once by its id."""
        return sorted((item, value) for item, value in self._read()[0].values())

    def _read(self) -> tuple[dict[str, tuple[str, str]], dict[str, Any]]:
        if not self.path.exists():
            return {}, {}
        events, cursor = json.loads(self.path.read_text())
        return events, cursor


def asked_after(messages: Iterable[dict[str, Any]]) -> list[dict]:
    """A line for each item that people are asked about after all messages of a queue, with all that is said of it."""
    batches: dict[str, dict] = {}
    for message in messages:
        data = message["data"]
        if message["type"] == "batch.published":
            batches[data["batch"]] = data
        else:
            batches.pop(data["batch"], None)
    return [
        {"batch": data["batch"], "question": data["question"], **task}
        for data in batches.values()
        for task in data["tasks"]
    ]
