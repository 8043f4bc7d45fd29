"""How a queue of JSONL files is laid out, in a folder or in a bucket, and what its files hold."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from stratawatch.adapters.queues.published_tasks import batch_digest, json_payload, tasks_digest
from stratawatch.engine.model.label_events import Batch

OUT: Final = "out"
IN: Final = "in"
REJECTED: Final = "rejected"
CANCELLED: Final = "cancelled"
DONE: Final = "done"
MARKER: Final = "stratawatch-queue.json"
"""The file in the queue's root that tells it from an empty place, as where a share is not mounted."""


def marker(identity: str) -> bytes:
    """What the marker of a queue holds."""
    about = "stratawatch knows its queue by this file: keep it where out/ and in/ are"
    return (json.dumps({"queue": identity, "about": about}) + "\n").encode()


def marked_identity(content: bytes) -> str:
    """The id in a marker; empty where that cannot be read."""
    try:
        found = json.loads(content)
    except ValueError:
        return ""
    return str(found.get("queue", "")) if isinstance(found, dict) else ""


def rendered(batch: Batch) -> bytes:
    """A batch as JSONL: a header, then a line for each task."""
    header = {
        "batch": batch.key,
        "question": batch.question,
        "guideline": batch.guideline,
        "question_key": batch.question_key,
        "count": len(batch.tasks),
        "digest": batch_digest(batch),
    }
    # ASCII only: a reader that splits at every kind of Unicode line end still sees whole lines.
    tasks = (
        {"batch": batch.key, "key": task.item_key, "question": batch.question, "payload": json_payload(task.payload)}
        for task in batch.tasks
    )
    return "".join(json.dumps(line) + "\n" for line in (header, *tasks)).encode()


def digest_in(content: bytes) -> str:
    """The digest in a batch's header; empty where that cannot be read."""
    try:
        header = json.loads(content.partition(b"\n")[0])
    except ValueError:
        return ""
    return str(header.get("digest", "")) if isinstance(header, dict) else ""


def without_payload(content: bytes, items: Collection[str], *, is_out: bool) -> bytes:
    """A batch's file without what was shown of these items; in one that is out they are not asked about any more.

    The digest is then that of what is left, so that the batch is recognised when it is published again.
    """
    header: dict[str, Any] = {}
    tasks = []
    for fields in _objects(content):
        if "key" not in fields:
            header = fields
        elif fields["key"] not in items:
            tasks.append(fields)
        elif not is_out:
            tasks.append({**fields, "payload": {}})
    if header and is_out:
        digest = tasks_digest((task["key"], task.get("payload")) for task in tasks)
        header = {**header, "count": len(tasks), "digest": digest}
    return "".join(json.dumps(line) + "\n" for line in ([header] if header else []) + tasks).encode()


def without_rejects(content: bytes, items: Collection[str]) -> bytes:
    """A file of lines that were set aside, without those that name one of these items."""
    lines = content.splitlines(keepends=True)
    return b"".join(line for line in lines if not any(key.decode().lower() in items for key in _ITEM.findall(line)))


_ITEM: Final = re.compile(rb"[0-9A-Fa-f]{64}")
"""The form of an item's key."""


def _objects(content: bytes) -> Iterator[dict[str, Any]]:
    """The lines that can be read; what cannot be is nothing that we wrote."""
    for line in content.splitlines():
        try:
            fields = json.loads(line)
        except ValueError:
            continue
        if isinstance(fields, dict):
            yield fields
