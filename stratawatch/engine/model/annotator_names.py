"""Who an annotator is, however his name is written: queues and imports keep names as they are written."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from unicodedata import category, normalize

_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Fillers and joiners that are letters or marks to Unicode, and that nobody sees."""


@lru_cache(maxsize=10_000)
def person(name: str) -> str:
    r"""The same text for every spelling of one name, and empty where nothing of it can be seen.

    Capitals, blanks around and between, signs that nobody sees, and the ways to write an accent make no difference.

    >>> {person(name) for name in ("Ann", " ann", "an\u200bn", "ANN\t")}
    {'ann'}
    """
    blank = " ".join(name.split())
    seen = "".join(sign for sign in blank if category(sign) not in ("Cf", "Cc") and not _is_invisible(sign))
    return normalize("NFC", normalize("NFC", " ".join(seen.split())).casefold())


def first_spellings(names: Iterable[str]) -> dict[str, str]:
    """Each name as it is written, with the first spelling of the same person.

    >>> first_spellings(["Ann", "bob", " ann"])
    {'Ann': 'Ann', 'bob': 'bob', ' ann': 'Ann'}
    """
    first: dict[str, str] = {}
    return {name: first.setdefault(person(name), name) for name in names}


def _is_invisible(sign: str) -> bool:
    return sign in _INVISIBLE or "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"
