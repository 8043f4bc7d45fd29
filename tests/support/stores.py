"""Empty stores, quickly: the migrations run once, their result is copied."""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from stratawatch.adapters.store import SqlStore


@cache
def _template() -> TemporaryDirectory:
    """A folder that goes when the process ends."""
    folder = TemporaryDirectory(prefix="stratawatch-")
    SqlStore(f"sqlite:///{folder.name}/empty.db", create=True).dispose()
    return folder


def empty_store(path: Path) -> SqlStore:
    """A store with the current schema and nothing in it."""
    shutil.copy(Path(_template().name) / "empty.db", path)
    return opened_store(path)


def opened_store(path: Path) -> SqlStore:
    """The store in this file."""
    return SqlStore(f"sqlite:///{path}")
