"""Files that are there whole or not at all, whenever the process or the machine stops."""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def write_once(path: Path, content: bytes) -> bool:
    """Create a whole file; False, and nothing changed, when it is there already."""
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


def write_over(path: Path, content: bytes) -> None:
    """Replace a file by a whole new one."""
    draft = _draft(path, content)
    draft.replace(path)
    sync_folder(path.parent)


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
