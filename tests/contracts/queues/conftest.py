"""Every registered queue, and the backend on its other side."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from stratawatch.adapters.queues import REGISTRY
from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.engine.ports import LabelQueue


@dataclass
class FolderBackend:
    """An annotator who reads out/ and writes in/."""

    root: Path

    def queue(self) -> LabelQueue:
        queue = self.unmarked()
        if not queue.identity():
            queue.adopt("ours")
        return queue

    def unmarked(self) -> LabelQueue:
        return FolderQueue(self.root)

    def lose(self) -> None:
        """The share is not mounted: an empty folder is in its place."""
        self.root.rename(self.root.with_name("elsewhere"))
        self.root.mkdir()

    def find_again(self) -> None:
        """The share is mounted again."""
        self.root.rmdir()
        self.root.with_name("elsewhere").rename(self.root)

    def asked(self) -> list[dict]:
        lines = [
            json.loads(line)
            for file in sorted((self.root / "out").glob("*.jsonl"))
            for line in file.read_text().splitlines()
        ]
        return [line for line in lines if "key" in line]

    def answer(self, **said) -> None:
        file = self.root / "in" / "ann.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as handle:
            handle.write(json.dumps(said) + "\n")


BACKENDS = {"folder": FolderBackend}


@pytest.fixture(params=sorted(REGISTRY))
def backend(request, tmp_path):
    return BACKENDS[request.param](tmp_path / "queue")
