"""What the other sides of label queues have in common, whatever the queue is."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
