"""Letters and marks as numbers while rows are counted, as text only where people or the program read them.

A letter or mark is two bits, fifteen of them are a word: numbers are added, compared and grouped by many times faster
than text is put together.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts

PER_WORD: Final = 15
"""Thirty bits: every engine has integers that long."""
UNREADABLE: Final = "!"
LETTERS: Final = f"01-{UNREADABLE}"
"""What a letter of the pattern is called: negative, positive, did not say, unreadable."""
ITEM_MARKS: Final = ".r?!"
TIME_MARKS: Final = ".le!"
SCORE_MARKS: Final = "v-?!"
NOTHING: Final = "...."
"""The marks of a classifier without a score."""
YES, SILENT = 1, 2
"""The codes of two letters."""
REPEATED, LATE, EARLY, NULL = 1, 1, 2, 1
"""The codes of marks: of an item, of a time, of a time, of a score."""
BAD: Final = 3
"""The code of what cannot be read, in letters and marks alike."""
ROW_MARKS: Final = 2
"""The first two marks are the item's and the time's, then each classifier has one."""
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


def sound(rows: Counts) -> Flags:
    """Whether no code in a row of words is 3.

    >>> sound(np.array([[0b1001], [0b1101]])).tolist()
    [True, False]
    """
    return np.asarray((rows & (rows >> 1) & _LOW_BITS == 0).all(axis=1))


def code(rows: Counts, place: int) -> Counts:
    """One code of every row.

    >>> code(np.array([[0b1001], [0b1101]]), 1).tolist()
    [2, 3]
    """
    return np.asarray(rows[:, place // PER_WORD] >> 2 * (place % PER_WORD) & BAD, dtype=np.int64)


def patterns(rows: Counts, letters: int) -> tuple[list[str], Counts]:
    """The different patterns among rows of words, as text and in its order, and the place of every row's.

    >>> patterns(np.array([[0b01], [0b10], [0b01]]), 1)
    (['-', '1'], array([1, 0, 1]))
    """
    number = np.zeros(len(rows), dtype=np.int64)
    for word in rows.T:
        number = np.unique((number << 2 * PER_WORD) + word, return_inverse=True)[1]
    found = rows[np.unique(number, return_index=True)[1]]
    letter = np.frombuffer(LETTERS.encode("ascii"), dtype=np.uint8)
    texts = letter[np.stack([code(found, place) for place in range(letters)], axis=1)].view(f"S{letters}").ravel()
    order = np.argsort(texts)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return texts[order].astype(str).tolist(), place[number]


def coded(texts: Sequence[str], letters: int) -> Counts:
    """The words of patterns that are there as text.

    >>> coded(["1-", "01"], 2).tolist()
    [[9], [4]]
    """
    number = np.zeros(256, dtype=np.int64)
    number[list(LETTERS.encode("ascii"))] = np.arange(len(LETTERS))
    codes = number[np.array(texts, dtype=f"S{letters}").view(np.uint8).reshape(len(texts), letters)]
    parts = [codes[:, first : first + PER_WORD] for first in range(0, letters, PER_WORD)]
    return np.stack([part @ 4 ** np.arange(part.shape[1]) for part in parts], axis=1)
