"""Yes and no in the words that people and programs write, alike in queues, files, frames and columns of calls."""

from collections.abc import Mapping
from typing import Any, Final

YES: Final = ("yes", "true", "1", "1.0")
NO: Final = ("no", "false", "0", "0.0")
"""The words as text, in any case; CSV has only text, and 1.0 is how a column of floats writes its ones."""
WORDS: Final[Mapping[str, bool]] = {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)}


def yes_or_no(value: Any) -> bool | None:
    """Whether a value says yes or no, as text, number or flag, of Python or numpy; None where it says neither.

    >>> yes_or_no(" TRUE"), yes_or_no(0), yes_or_no(1.0), yes_or_no("maybe"), yes_or_no(2)
    (True, False, True, None, None)
    """
    if isinstance(value, str):
        return WORDS.get(value.strip().casefold())
    plain = value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
    return bool(plain) if isinstance(plain, bool | int | float) and plain in (0, 1) else None
