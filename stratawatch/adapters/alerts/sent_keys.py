"""Keeps which notifications a channel has sent, also for the next process: not every receiver notices a second one."""

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from stratawatch.atomic_files import PRIVATE, make_folder

FOLDER: Final = ".stratawatch"
"""Below the configuration's folder; files there may be deleted, and notifications may then be sent twice."""


class SentKeys:
    """Keys of notifications that were sent. Without a path, or where the file cannot be written, memory alone serves.

    A key is added after its notification was sent: a process killed in between sends again, as the outbox does, since
    twice is better than never.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._digests: set[str] | None = None

    @classmethod
    def of_channel(cls, folder: Path, name: str) -> "SentKeys":
        """The keys of a channel of the installation in this folder."""
        return cls(folder / FOLDER / f"sent-{name}")

    def __contains__(self, key: str) -> bool:
        return _digest(key) in self._read()

    def add(self, key: str) -> None:
        """Remember that a notification was sent."""
        self._read().add(_digest(key))
        _append(self._path, _digest(key))

    def _read(self) -> set[str]:
        if self._digests is None:
            self._digests = set()
            if self._path is not None:
                with suppress(OSError, UnicodeDecodeError):
                    self._digests = set(self._path.read_text(encoding="ascii").split())
        return self._digests


class SentMessages:
    """Where the message about an incident is, by the incident's name; the last one that was kept counts."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._places: dict[str, dict[str, str]] | None = None

    @classmethod
    def of_channel(cls, folder: Path, name: str) -> "SentMessages":
        """The messages of a channel of the installation in this folder."""
        return cls(folder / FOLDER / f"messages-{name}.jsonl")

    def of(self, incident: str) -> dict[str, str] | None:
        """The place of the message about an incident; None where it is not known."""
        return self._read().get(incident)

    def add(self, incident: str, place: dict[str, str]) -> None:
        """Remember where the message about an incident is."""
        self._read()[incident] = place
        _append(self._path, json.dumps({"incident": incident, "place": place}))

    def _read(self) -> dict[str, dict[str, str]]:
        if self._places is None:
            self._places = {}
            if self._path is not None:
                with suppress(OSError, ValueError, KeyError):
                    for line in self._path.read_text(encoding="ascii").splitlines():
                        kept = json.loads(line)
                        self._places[kept["incident"]] = dict(kept["place"])
        return self._places


def _append(path: Path | None, line: str) -> None:
    if path is None:
        return
    with suppress(OSError):  # a full or read-only disk must not stop a page
        make_folder(path.parent, PRIVATE)
        with path.open("a", encoding="ascii") as handle:
            handle.write(f"{line}\n")
            handle.flush()
            os.fsync(handle.fileno())


def _digest(key: str) -> str:
    """A line of its own, whatever the key holds."""
    return sha256(key.encode(errors="surrogatepass")).hexdigest()
