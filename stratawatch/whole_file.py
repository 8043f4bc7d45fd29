"""Files that a reader finds whole: the old one or the new one, never half of either."""

import os
from pathlib import Path
from uuid import uuid4


def write_whole(path: Path, text: str) -> None:
    """Write a text, its folder included. Characters that UTF-8 lacks are spelled out."""
    put_whole(path, text.encode("utf-8", errors="backslashreplace"))


def put_whole(path: Path, content: bytes) -> None:
    """Write a file, its folder included, and put it in place at once."""
    draft = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        draft.write_bytes(content)
        os.replace(draft, path)  # noqa: PTH105 - Path.replace is the same call; os.replace is what crash tests watch
    finally:
        draft.unlink(missing_ok=True)
