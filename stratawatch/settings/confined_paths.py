"""Paths stay inside the folder of the configuration, whatever dots and links they are made of."""

import re
from pathlib import Path

from stratawatch.errors import ConfigError


def confined(folder: Path, text: str, *, allow_outside: bool = False) -> Path:
    """The absolute path of a text that is relative to the folder; raises ConfigError when it leads out of it.

    A pattern (*, ?, [...]) is judged by the part before its first special character, and by every link behind it
    only when it is read: patterns are for sources, which nothing is written to.
    """
    if not text.strip() or "\0" in text:
        raise ConfigError("is not a path", got=repr(text))
    if "://" in text:
        raise ConfigError("is an address, not a path", got=repr(text), hint="files on this machine can be read")
    path = folder / text
    if allow_outside:
        return path
    fixed = folder / re.split(r"[*?\[]", text, maxsplit=1)[0]
    home = folder.resolve()
    if ".." in Path(text).parts or not fixed.resolve().is_relative_to(home):
        raise ConfigError(
            "leads out of the folder of the configuration",
            expected=f"a path below {folder.name or folder}/",
            got=repr(text),
        )
    return path
