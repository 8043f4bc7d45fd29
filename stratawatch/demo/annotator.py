"""A simulated annotator, who reads batches from the folder queue and writes labels into it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from stratawatch.atomic_files import replace_text

AnnotatorAnswer = Literal["yes", "no", "skip"]


@dataclass(frozen=True)
class Annotator:
    """A person who labels messages correctly by their text, and skips a fixed share of them."""

    root: Path
    name: str
    is_positive: Callable[[str], bool]
    skip_share: float = 0.01

    def answer(self, now: datetime) -> int:
        """Label every batch that has no file of this annotator yet; returns the number of lines written."""
        return sum(self._answer_batch(batch, now) for batch in sorted((self.root / "out").glob("*.jsonl")))

    def _answer_batch(self, batch: Path, now: datetime) -> int:
        answers = self.root / "in" / f"{batch.stem}.{self.name}.jsonl"
        if answers.exists():
            return 0
        lines = [json.dumps(self._line(task, now)) + "\n" for task in _tasks(batch)]
        replace_text(answers, "".join(lines))
        return len(lines)

    def _line(self, task: dict[str, Any], now: datetime) -> dict[str, str]:
        key: str = task["key"]
        return {
            "key": key,
            "value": self.value(key, task["payload"]["text"]),
            "annotator": self.name,
            "event_id": f"{self.name}-{key}",
            "at": now.isoformat(),
        }

    def value(self, key: str, text: str) -> AnnotatorAnswer:
        """What this person says of an item with this text."""
        if cannot_decide(key, self.skip_share):
            return "skip"
        return "yes" if self.is_positive(text) else "no"


def cannot_decide(key: str, share: float) -> bool:
    """Whether the annotator skips this item: a fixed share of all keys, whatever the truth."""
    return int(sha256(f"skip {key}".encode()).hexdigest()[:8], 16) < share * 2**32


def _tasks(batch: Path) -> Iterator[dict[str, Any]]:
    """The lines that hold a task; a header has no key."""
    with batch.open(encoding="utf-8") as lines:
        for line in lines:
            task = json.loads(line)
            if "key" in task:
                yield task
