"""What queues write of a batch: payloads as JSON has them, and a digest that tells one batch from another."""

import json
import math
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from stratawatch.engine.model.label_events import Batch


def json_payload(value: Any) -> Any:
    """The value with NaN and infinity as null, for JSON has neither.

    >>> json_payload({"text": "hello", "score": float("nan"), "words": (1, 2)})
    {'text': 'hello', 'score': None, 'words': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): json_payload(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_payload(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def batch_digest(batch: Batch) -> str:
    """The same for the same items with the same payload: kept beside a batch, it shows another one of the same key."""
    return tasks_digest((task.item_key, json_payload(task.payload)) for task in batch.tasks)


def tasks_digest(tasks: Iterable[tuple[str, Any]]) -> str:
    """The digest of a batch with these items and what is shown of them, as JSON has it."""
    return sha256(json.dumps([list(task) for task in tasks], sort_keys=True).encode()).hexdigest()
