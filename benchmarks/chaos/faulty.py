"""Adapters that forget or believe too much: controls, which must show failures or the benchmark is too weak."""

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from stratawatch.adapters.store import labels
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.model.label_events import Batch, Receipt
from stratawatch.engine.ports import AlertChannel, Ports


class ForgetfulChannel:
    """Sends under a new random key every time."""

    def __init__(self, channel: AlertChannel) -> None:
        self.name = channel.name
        self._channel = channel

    def send(self, notification: Notification) -> Receipt:
        return self._channel.send(replace(notification, key=uuid4().hex))


def credulous_queue(ports: Ports, folder: Path) -> Ports:
    """A copy of the ports with a queue that takes any place for its own, once it has seen a marker."""
    memory, real = folder / "last-marker", ports.queue.identity

    def identity() -> str:
        found = real()
        if found:
            memory.write_text(found)
        return found or (memory.read_text() if memory.exists() else "")

    return _changed(ports, identity=identity)


def forgetful_inbox(ports: Ports, _folder: Path) -> Ports:
    """The ports of a store that drops labels of items that were not drawn."""
    vars(labels)["keep_waiting"] = lambda _sql, _rows: 0
    return ports


def forgetful_queue(ports: Ports, _folder: Path) -> Ports:
    """A copy of the ports with a queue that publishes under a new random name every time: no key, no lookup."""
    real = ports.queue.publish

    def publish(batch: Batch) -> Receipt:
        return real(replace(batch, key=uuid4().hex))

    return _changed(ports, publish=publish)


def _changed(ports: Ports, **methods: Any) -> Ports:
    """A copy of the ports whose queue, of whatever kind, does these things in another way."""
    queue = copy(ports.queue)
    vars(queue).update(methods)
    return replace(ports, queue=queue)


def forgetful_channels(ports: Ports, _folder: Path) -> Ports:
    """A copy of the ports with faulty channels."""
    return replace(ports, channels={name: ForgetfulChannel(channel) for name, channel in ports.channels.items()})
