"""Empty stores, quickly: the migrations run once, their result is copied."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from stratawatch.adapters.store import SqlStore


@cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="stratawatch-"))
    SqlStore(f"sqlite:///{folder}/empty.db", create=True).dispose()
    return folder / "empty.db"


def empty_store(path: Path) -> SqlStore:
    """A store with the current schema and nothing in it."""
    shutil.copy(_template(), path)
    return SqlStore(f"sqlite:///{path}")
