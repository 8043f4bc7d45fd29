"""Files that are there whole or not at all, whenever the process or the machine stops."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

PRIVATE: Final = 0o700
"""The mode of folders that nobody else may look into; files get the same without the right to execute."""


def make_folder(folder: Path, mode: int | None = None) -> None:
    """Create a folder with its parents. New ones get the mode, whatever the umask; those that are there keep theirs."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        with suppress(FileExistsError):  # another process made it, with its mode
            one.mkdir()
            if mode is not None:
                one.chmod(mode)
    folder.mkdir(exist_ok=True)  # raises where a file is in its place


def create_file(path: Path, content: bytes, *, mode: int | None = None) -> bool:
    """Create a file; False, and nothing changed, when it is there already. Its folder must exist.

    `mode` is that of a folder; without one the umask decides.
    """
    draft = _draft(path, content, mode)
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


def replace_file(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file, its folder included: a reader finds the old content or the new, never a part of either.

    `mode` is that of folders which are created, and of the file where it is new; without one the umask decides.
    A link is replaced itself, never what it leads to; a device, pipe or folder is not replaced.
    """
    if not path.is_symlink():
        require_ordinary_file(path)
    make_folder(path.parent, mode)
    draft = _draft(path, content, mode if mode is None or not path.is_file() else path.stat().st_mode)
    try:
        os.replace(draft, path)  # noqa: PTH105 - Path.replace is the same call; os.replace is what crash tests watch
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def require_ordinary_file(path: Path) -> None:
    """Raise FileExistsError where a device, pipe or folder is in the place of a file, itself or behind a link."""
    if path.exists() and not path.is_file():
        what = "what is there is a folder, device or pipe, which is never replaced; name another file"
        raise FileExistsError(errno.EEXIST, what, str(path))


def replace_text(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a text as UTF-8 by `replace_file`. Characters that UTF-8 lacks are written as backslash escapes."""
    replace_file(path, text.encode("utf-8", errors="backslashreplace"), mode=mode)


def sync_folder(folder: Path) -> None:
    """Make created, renamed and removed names of a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_drafts(folder: Path) -> None:
    """Remove what processes that were killed left half written in a folder, whatever file it was for."""
    _remove_drafts(folder, ".")


def _draft(path: Path, content: bytes, mode: int | None) -> Path:
    draft = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        with draft.open("xb") as handle:
            if mode is not None:
                os.fchmod(handle.fileno(), mode & 0o666)
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
    _remove_drafts(path.parent, f".{path.name}.")


def _remove_drafts(folder: Path, prefix: str) -> None:
    for entry in folder.iterdir():
        if entry.name.startswith(prefix) and entry.name.endswith(".tmp"):
            entry.unlink(missing_ok=True)
