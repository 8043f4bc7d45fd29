"""Calls and flags as small codes, packed into integers while rows are counted, and their text for people and programs.

A code is two bits, and fifteen of them are packed into one integer (a word): engines add, compare and group integers
many times faster than text.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts

CODES_PER_WORD: Final = 15
"""Thirty bits: every engine has integers that long."""
UNREADABLE: Final = "!"
CALL_LETTERS: Final = f"01-{UNREADABLE}"
"""How a pattern spells the codes of calls: negative, positive, no call, unreadable."""
ITEM_FLAGS: Final = ".r?!"
TIME_FLAGS: Final = ".le!"
SCORE_FLAGS: Final = "v-?!"
NO_SCORE_FLAGS: Final = "...."
"""How the flags of a classifier without a score are spelled."""
YES, SILENT = 1, 2
"""Codes of calls: positive, and no call."""
REPEATED, LATE, EARLY, NULL = 1, 1, 2, 1
"""Codes of flags: of an item, of a time, of a time, of a score."""
INVALID: Final = 3
"""The code of what cannot be read, in calls and flags alike."""
ROW_FLAGS: Final = 2
"""The first two flags are the item's and the time's; then each classifier has one for its score."""
_LOW_BITS: Final = sum(4**place for place in range(CODES_PER_WORD))

CodeSql = Callable[[int], str]
"""Makes an SQL expression that is 0, 1, 2 or 3 times a unit."""


def pack(codes: Sequence[CodeSql]) -> list[str]:
    """SQL expressions of the words that hold these codes, the first code in the lowest bits."""
    parts = [codes[first : first + CODES_PER_WORD] for first in range(0, len(codes), CODES_PER_WORD)]
    return [" + ".join(code(4**place) for place, code in enumerate(part)) for part in parts]


def word_count(codes: int) -> int:
    """How many words so many codes take.

    >>> word_count(15), word_count(16)
    (1, 2)
    """
    return -(-codes // CODES_PER_WORD)


def all_codes_valid_sql(names: Sequence[str]) -> str:
    """An SQL condition: no code in the columns of these names is INVALID.

    >>> all_codes_valid_sql(["calls_1"])
    '(calls_1 & (calls_1 >> 1) & 357913941) = 0'
    """
    # INVALID alone has both bits set: shifted by one, its high bit meets its low bit.
    return " AND ".join(f"({name} & ({name} >> 1) & {_LOW_BITS}) = 0" for name in names)


def unpack_sql(prefix: str, alphabets: Sequence[str]) -> str:
    """An SQL expression of the text of all codes, from columns `prefix`1, `prefix`2, ...; each code has its alphabet.

    >>> unpack_sql("calls_", ["01-!"])
    "SUBSTRING('01-!', (calls_1 & 3) + 1, 1)"
    """
    places = [(f"{prefix}{1 + i // CODES_PER_WORD}", 2 * (i % CODES_PER_WORD)) for i, _ in enumerate(alphabets)]
    codes = [f"({name} >> {shift}) & 3" if shift else f"{name} & 3" for name, shift in places]
    parts = [f"SUBSTRING('{alphabet}', ({code}) + 1, 1)" for alphabet, code in zip(alphabets, codes, strict=True)]
    return " || ".join(parts)


def is_valid(rows: Counts) -> Flags:
    """Whether no code in a row of words is INVALID.

    >>> is_valid(np.array([[0b1001], [0b1101]])).tolist()
    [True, False]
    """
    return np.asarray((rows & (rows >> 1) & _LOW_BITS == 0).all(axis=1))


def code_at(rows: Counts, place: int) -> Counts:
    """The code at a place of every row of words.

    >>> code_at(np.array([[0b1001], [0b1101]]), 1).tolist()
    [2, 3]
    """
    return np.asarray(rows[:, place // CODES_PER_WORD] >> 2 * (place % CODES_PER_WORD) & INVALID, dtype=np.int64)


def distinct_patterns(rows: Counts, letters: int) -> tuple[list[str], Counts]:
    """The different patterns among rows of words, sorted, and for every row the index of its pattern.

    >>> distinct_patterns(np.array([[0b01], [0b10], [0b01]]), 1)
    (['-', '1'], array([1, 0, 1]))
    """
    number = np.zeros(len(rows), dtype=np.int64)
    for word in rows.T:
        # The rows so far are numbered densely before the next word is appended: two words fit, three would not.
        number = np.unique((number << 2 * CODES_PER_WORD) + word, return_inverse=True)[1]
    distinct = rows[np.unique(number, return_index=True)[1]]
    letter = np.frombuffer(CALL_LETTERS.encode("ascii"), dtype=np.uint8)
    texts = letter[np.stack([code_at(distinct, place) for place in range(letters)], axis=1)].view(f"S{letters}").ravel()
    order = np.argsort(texts)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return texts[order].astype(str).tolist(), rank[number]


def pack_patterns(texts: Sequence[str], letters: int) -> Counts:
    """The words of patterns given as text, one row a pattern.

    >>> pack_patterns(["1-", "01"], 2).tolist()
    [[9], [4]]
    """
    code_of = np.zeros(256, dtype=np.int64)
    code_of[list(CALL_LETTERS.encode("ascii"))] = np.arange(len(CALL_LETTERS))
    codes = code_of[np.array(texts, dtype=f"S{letters}").view(np.uint8).reshape(len(texts), letters)]
    parts = [codes[:, first : first + CODES_PER_WORD] for first in range(0, letters, CODES_PER_WORD)]
    return np.stack([part @ 4 ** np.arange(part.shape[1]) for part in parts], axis=1)
