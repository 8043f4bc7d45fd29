"""Random numbers of items: permanent ones depend on the panel's seed and the item's id, and on nothing else.

Those of one window depend on the window too, by the seed that `window_seed` makes of it.
"""

from collections.abc import Iterable
from hashlib import md5

import numpy as np
from numpy.typing import NDArray


def digest(seed: str, item: str) -> str:
    """md5 of "seed:item" as lower-case hex text; its order is the order of the draw.

    >>> digest("s", "a1")
    '05ea4e70592ecde90d81ddefd46bc13f'
    """
    return md5(f"{seed}:{item}".encode(), usedforsecurity=False).hexdigest()


def window_seed(seed: str, window: str) -> str:
    """The seed of the random numbers that items have in one window alone; no two windows may have the same name.

    >>> window_seed("s", "2026-01-05/2026-01-12")
    's:2026-01-05/2026-01-12'
    """
    return f"{seed}:{window}"


def digest_prefixes(seed: str, items: Iterable[str]) -> NDArray[np.uint64]:
    """The first 64 bits of many digests; they order items as the digests do.

    >>> digest_prefixes("s", ["a1"]).tolist() == [int(digest("s", "a1")[:16], 16)]
    True
    """
    before = f"{seed}:".encode()
    whole = b"".join([md5(before + item.encode(), usedforsecurity=False).digest() for item in items])
    return np.frombuffer(whole, dtype=">u8")[::2].astype(np.uint64)


def unit_number(digest: str) -> float:
    """u, the first 52 bits of a digest as a number from 0 to 1.

    >>> unit_number("8" + 31 * "0")
    0.5
    """
    return int(digest[:13], 16) / 2.0**52
