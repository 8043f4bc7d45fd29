"""Files that are there whole or not at all, whenever the process or the machine stops."""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def create_file(path: Path, content: bytes) -> bool:
    """Create a file; False, and nothing changed, when it is there already. Its folder must exist."""
    draft = _draft(path, content)
    try:
        # A link never overwrites, so two writers cannot both believe that they were first.
        os.link(draft, path)
    except FileExistsError:
        return False
    except FileNotFoundError:
        # Another writer of the same file was faster and tidied this draft away.
        if not path.exists():
            raise
        return False
    finally:
        _tidy(path)
        sync_folder(path.parent)
    return True


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, its folder included: a reader finds the old content or the new, never a part of either."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = _draft(path, content)
    try:
        os.replace(draft, path)  # noqa: PTH105 - Path.replace is the same call; os.replace is what crash tests watch
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def replace_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 by `replace_file`. Characters that UTF-8 lacks are written as backslash escapes."""
    replace_file(path, text.encode("utf-8", errors="backslashreplace"))


def sync_folder(folder: Path) -> None:
    """Make created, renamed and removed names of a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _draft(path: Path, content: bytes) -> Path:
    draft = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        with draft.open("xb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
    return draft


def _tidy(path: Path) -> None:
    """Remove this file's drafts, those of a killed process included."""
    prefix = f".{path.name}."
    for entry in path.parent.iterdir():
        if entry.name.startswith(prefix) and entry.name.endswith(".tmp"):
            entry.unlink(missing_ok=True)
