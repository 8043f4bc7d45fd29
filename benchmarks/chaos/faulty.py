"""Adapters that forget or believe too much: controls, which must show failures or the benchmark is too weak."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.store import labels
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.model.label_events import Batch, Receipt
from stratawatch.engine.ports import AlertChannel, Ports


class ForgetfulQueue(FolderQueue):
    """Publishes under a new random name every time: no key, no lookup."""

    def publish(self, batch: Batch) -> Receipt:
        return super().publish(replace(batch, key=uuid4().hex))


class ForgetfulChannel:
    """Sends under a new random key every time."""

    def __init__(self, channel: AlertChannel) -> None:
        self.name = channel.name
        self._channel = channel

    def send(self, notification: Notification) -> Receipt:
        return self._channel.send(replace(notification, key=uuid4().hex))


class CredulousQueue(FolderQueue):
    """Takes any folder in its place for the queue, once it has seen a marker."""

    def identity(self) -> str:
        memory = self._root.with_name("last-marker")
        found = super().identity()
        if found:
            memory.write_text(found)
        return found or (memory.read_text() if memory.exists() else "")


def credulous_queue(ports: Ports, folder: Path) -> Ports:
    """A copy of the ports with a queue that does not look where it is."""
    return replace(ports, queue=CredulousQueue(folder / "queue"))


def forgetful_inbox(ports: Ports, _folder: Path) -> Ports:
    """The ports of a store that drops labels of items that were not drawn."""
    vars(labels)["keep_waiting"] = lambda _sql, _rows: 0
    return ports


def forgetful_queue(ports: Ports, folder: Path) -> Ports:
    """A copy of the ports with the faulty queue."""
    return replace(ports, queue=ForgetfulQueue(folder / "queue"))


def forgetful_channels(ports: Ports, _folder: Path) -> Ports:
    """A copy of the ports with faulty channels."""
    return replace(ports, channels={name: ForgetfulChannel(channel) for name, channel in ports.channels.items()})
