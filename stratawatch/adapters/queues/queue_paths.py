"""File names and sub-folders of a queue, which cannot lead out of its folder."""

from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from stratawatch.atomic_files import make_folder
from stratawatch.errors import StratawatchError, Unreachable

LONGEST_NAME: Final = 200
"""Bytes of a file name; file systems end at 255, and drafts add their own suffix."""


def batch_file_name(key: str) -> str:
    """The file name of a batch: its key, percent-encoded where it has other than plain characters.

    >>> batch_file_name("spam-p00012-r1-b2")
    'spam-p00012-r1-b2.jsonl'
    >>> batch_file_name("naïve bot-p00000-r1-b1")
    'na%C3%AFve%20bot-p00000-r1-b1.jsonl'
    """
    if not key or key.startswith((".", "~")) or any(sign in key for sign in "/\\\0"):
        raise StratawatchError(
            "a batch key would lead out of the queue's folder",
            expected="a name without slashes that does not begin with a dot",
            got=repr(key[:LONGEST_NAME]),
        )
    name = quote(key, safe="", errors="backslashreplace") + ".jsonl"
    if len(name) > LONGEST_NAME:
        raise StratawatchError(
            "a batch key is too long for a file name",
            expected=f"at most {LONGEST_NAME} bytes with its ending",
            got=f"{len(name)}",
            hint="give the panel a shorter name",
        )
    return name


def batch_key_of(name: str) -> str:
    """The key of the batch in a file of this name.

    >>> batch_key_of("na%C3%AFve%20bot-p00000-r1-b1.jsonl")
    'naïve bot-p00000-r1-b1'
    """
    return unquote(name.removesuffix(".jsonl"))


def sub_folder(root: Path, name: str, mode: int | None = None) -> Path:
    """A sub-folder of the queue, created when missing, but never its root; a symbolic link is refused."""
    folder = root / name
    try:
        if root.is_dir():
            make_folder(folder, mode)
        else:
            folder.mkdir()  # raises with the reason
    except OSError as trouble:
        raise Unreachable(
            f"the label queue's folder {folder} cannot be created",
            got=trouble.strerror or str(trouble),
            hint="create it, or set [queue] root to a folder that can be written",
        ) from trouble
    if folder.is_symlink() or folder.resolve().parent != root.resolve():
        raise StratawatchError(
            f"the label queue's folder {folder} is a symbolic link that could lead out of the queue",
            expected="a real folder",
            got=f"a link to {folder.resolve()}",
        )
    return folder
