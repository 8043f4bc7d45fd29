"""Permanent random numbers: an item's number depends on the panel's seed and the item's id, and on nothing else."""

from collections.abc import Iterable
from hashlib import md5
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Hex digits that are read: 52 bits, which a float holds exactly.
_DIGITS: Final = 13


def digest(seed: str, item: str) -> str:
    """md5 of "seed:item" as lower-case hex text; its order is the order of the draw.

    >>> digest("s", "a1")
    '05ea4e70592ecde90d81ddefd46bc13f'
    """
    return md5(f"{seed}:{item}".encode(), usedforsecurity=False).hexdigest()


def uniform(digest: str) -> float:
    """The number u in [0, 1): the first 52 bits of a digest, divided by 2**52.

    >>> uniform("8" + "0" * 31)
    0.5
    """
    return int(digest[:_DIGITS], 16) / float(1 << 4 * _DIGITS)


def digest_prefixes(seed: str, items: Iterable[str]) -> NDArray[np.uint64]:
    """The first 64 bits of many digests; they order items as the digests do.

    >>> digest_prefixes("s", ["a1"]).tolist() == [int(digest("s", "a1")[:16], 16)]
    True
    """
    before = f"{seed}:".encode()
    whole = b"".join([md5(before + item.encode(), usedforsecurity=False).digest() for item in items])
    return np.frombuffer(whole, dtype=">u8")[::2].astype(np.uint64)
