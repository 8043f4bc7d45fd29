"""Letters and marks as numbers while rows are counted, as text only where people or the program read them.

A letter or mark is two bits, fifteen of them are a word: numbers are added, compared and grouped by many times faster
than text is put together.
"""

from collections.abc import Callable, Sequence
from typing import Final

PER_WORD: Final = 15
"""Thirty bits: every engine has integers that long."""
LETTERS: Final = "01-!"
"""What a letter of the pattern is called: negative, positive, did not say, unreadable."""
ITEM_MARKS: Final = ".r?!"
TIME_MARKS: Final = ".le!"
SCORE_MARKS: Final = "v-?!"
NOTHING: Final = "...."
"""The marks of a classifier without a score."""
_LOW_BITS: Final = sum(4**place for place in range(PER_WORD))

Code = Callable[[int], str]
"""An SQL expression that is 0, 1, 2 or 3 times a unit."""


def words(codes: Sequence[Code]) -> list[str]:
    """The expressions of as many words as it takes."""
    parts = [codes[first : first + PER_WORD] for first in range(0, len(codes), PER_WORD)]
    return [" + ".join(code(4**place) for place, code in enumerate(part)) for part in parts]


def count(codes: int) -> int:
    """How many words so many codes take.

    >>> count(15), count(16)
    (1, 2)
    """
    return -(-codes // PER_WORD)


def readable(names: Sequence[str]) -> str:
    """Whether no code of these words is 3.

    >>> readable(["said_1"])
    '(said_1 & (said_1 >> 1) & 357913941) = 0'
    """
    return " AND ".join(f"({name} & ({name} >> 1) & {_LOW_BITS}) = 0" for name in names)


def spelled(prefix: str, alphabets: Sequence[str]) -> str:
    """The text of words named by prefix and number; every code has its alphabet.

    >>> spelled("said_", ["01-!"])
    "SUBSTRING('01-!', (said_1 & 3) + 1, 1)"
    """
    places = [(f"{prefix}{1 + i // PER_WORD}", 2 * (i % PER_WORD)) for i, _ in enumerate(alphabets)]
    codes = [f"({name} >> {shift}) & 3" if shift else f"{name} & 3" for name, shift in places]
    parts = [f"SUBSTRING('{alphabet}', ({code}) + 1, 1)" for alphabet, code in zip(alphabets, codes, strict=True)]
    return " || ".join(parts)


def packed(column: str, letters: int) -> list[str]:
    """The words of a pattern that is there as text."""

    def code(place: int) -> Code:
        letter = f"SUBSTRING({column}, {place + 1}, 1)"
        return lambda unit: f"CASE {letter} WHEN '1' THEN {unit} WHEN '-' THEN {2 * unit} ELSE 0 END"

    return words([code(place) for place in range(letters)])
