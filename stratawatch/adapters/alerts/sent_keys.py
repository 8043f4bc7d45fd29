"""Keeps which notifications a channel has sent, also for the next process: not every receiver notices a second one."""

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
        if self._path is None:
            return
        with suppress(OSError):  # a full or read-only disk must not stop a page
            make_folder(self._path.parent, PRIVATE)
            with self._path.open("a", encoding="ascii") as handle:
                handle.write(f"{_digest(key)}\n")
                handle.flush()
                os.fsync(handle.fileno())

    def _read(self) -> set[str]:
        if self._digests is None:
            self._digests = set()
            if self._path is not None:
                with suppress(OSError, UnicodeDecodeError):
                    self._digests = set(self._path.read_text(encoding="ascii").split())
        return self._digests


def _digest(key: str) -> str:
    """A line of its own, whatever the key holds."""
    return sha256(key.encode(errors="surrogatepass")).hexdigest()
