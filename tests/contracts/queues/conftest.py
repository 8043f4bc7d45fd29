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
        return FolderQueue(self.root)

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
