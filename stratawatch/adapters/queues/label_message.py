"""The message by which a labelling tool gives labels, by POST or through a broker."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from stratawatch.adapters.queues.inbox import ReadCaps
from stratawatch.adapters.queues.label_line import json_object
from stratawatch.adapters.queues.label_values import InvalidError

GIVEN: Final = "labels.given"
LARGEST: Final = ReadCaps().line_bytes
"""Bytes of one message."""


def labels_in(body: bytes, delivery: str) -> list[str]:
    """The labels of a message as lines of JSON. Whether one makes sense is judged when they are read.

    A label without an id and a time gets an id of its place in the message. Raises InvalidError.
    """
    message = json_object(body)
    data = message.get("data")
    labels = data.get("labels") if isinstance(data, dict) else None
    if message.get("type") != GIVEN or not isinstance(labels, list):
        raise InvalidError(f'send {{"type": "{GIVEN}", "data": {{"labels": [...]}}}}')
    if not all(isinstance(label, dict) for label in labels):
        raise InvalidError("each label is an object")
    return [json.dumps(_with_id(label, f"{delivery}:{place}")) for place, label in enumerate(labels)]


def _with_id(label: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    if label.get("event_id") is None and label.get("at") is None:
        return {**label, "event_id": sha256(place.encode()).hexdigest()[:32]}
    return label
