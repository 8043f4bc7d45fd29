"""The list of erased items: digests in a file beside the store, which no restore of the store takes back."""

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from stratawatch.adapters.store.database import sqlite_file, store_url
from stratawatch.atomic_files import sync_folder
from stratawatch.engine.model.erasure import Erasure
from stratawatch.errors import ConfigError, StratawatchError

ENDING: Final = "erasures.jsonl"


def erasure_list(url: str, folder: Path) -> "ErasureList":
    """The list of a store: beside its file, or in the configuration's folder where it is no file."""
    file = sqlite_file(store_url(url))
    return ErasureList(folder / ENDING if file is None else file.with_name(f"{file.name}.{ENDING}"))


class ErasureList:
    """Lines of JSON, appended and never changed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[Erasure, ...]:
        """Read all erasures, oldest first; there are none where there is no file."""
        try:
            lines = self.path.read_text().splitlines()
            found = [json.loads(line) for line in lines if line.strip()]
            return tuple(Erasure(datetime.fromisoformat(one["at"]), one["panel"], one["digest"]) for one in found)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as trouble:
            raise ConfigError(
                f"the list of erased items {self.path} cannot be read",
                got=str(trouble),
                hint="take it from a backup of it; without it a restored store would keep what was erased",
            ) from None

    def add(self, erasures: Sequence[Erasure]) -> None:
        """Append erasures; they are on the disk when it returns."""
        text = "".join(
            json.dumps({"at": one.at.isoformat(), "panel": one.panel, "digest": one.digest}) + "\n" for one in erasures
        )
        try:
            handle = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "ab") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(handle)
            sync_folder(self.path.parent)
        except OSError as trouble:
            raise StratawatchError(
                f"the list of erased items {self.path} cannot be written, and nothing was erased",
                got=trouble.strerror or type(trouble).__name__,
                hint="let its folder be writable, or name another place with --list",
            ) from None
