"""Counts what was lost and what was done twice: against the files, the annotator's own book and the receiver's log."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.chaos.annotator import Statement
from benchmarks.chaos.world import PANEL
from stratawatch.engine.model.label_events import LabelTask
from stratawatch.engine.model.states import BatchState
from stratawatch.engine.ports import Ports

Post = tuple[str, str, str, str]

IN_THE_QUEUE: Final = (BatchState.SENT, BatchState.CLOSED)
FOLDERS: Final = ("out", "done", "cancelled")
"""Where batches lie that were in the queue."""
NEVER_SENT: Final = (BatchState.PLANNED, BatchState.FAILED)


@dataclass(frozen=True)
class Audit:
    """Six counts that must be zero."""

    items_lost: int
    items_dispatched_twice: int
    labels_lost: int
    labels_counted_twice: int
    alerts_lost: int
    alerts_told_twice: int

    def counts(self) -> dict[str, int]:
        """By name."""
        return asdict(self)


def audit(ports: Ports, folder: Path, said: Counter[Statement], posts: Counter[Post]) -> Audit:
    """Compare the store with the world outside."""
    with ports.store.begin() as tx:
        batches = tx.rounds.batches()
        events = [event for _, event in tx.labels.of_panel(PANEL) if event.source == ports.queue.name]
        notices = tx.outbox.all()
    sent = _items(b.tasks for b in batches if b.state in IN_THE_QUEUE)
    withdrawn = _items(b.tasks for b in batches if b.state not in (*IN_THE_QUEUE, *NEVER_SENT))
    lines = Counter(key for name in FOLDERS for key in _lines(folder / "queue" / name))
    kept: Counter[Statement] = Counter((e.item_key, e.annotator, e.value, e.at.isoformat()) for e in events)
    told = Counter((n.dedup_key, _event(n.severity), n.subject, n.body) for n in notices if n.state == "sent")
    return Audit(
        items_lost=(sent - lines).total(),
        items_dispatched_twice=(lines - sent - withdrawn).total(),
        labels_lost=(said - kept).total(),
        labels_counted_twice=(kept - said).total(),
        alerts_lost=(told - posts).total() + sum(n.state != "sent" for n in notices),
        alerts_told_twice=(posts - told).total(),
    )


def posts_of(log: Path, run: str) -> Counter[Post]:
    """What the receiver accepted in one run."""
    if not log.exists():
        return Counter()
    posts = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return Counter(
        (p["dedup_key"], p["event"], p["subject"], p["body"])
        for p in posts
        if p["run"] in (f"/{run}", f"/{run}/deputy")
    )


def _items(batches: Iterable[Iterable[LabelTask]]) -> Counter[str]:
    return Counter(task.item_key for tasks in batches for task in tasks)


def _lines(folder: Path) -> list[str]:
    lines = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return [line["key"] for line in lines if "key" in line]


def _event(severity: str) -> str:
    return "resolve" if severity == "resolved" else "trigger"
