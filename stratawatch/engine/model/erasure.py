"""Items that were erased: what stands in the place of their ids, and what is kept of them for an old backup."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

ERASED: Final = "erased-"
"""How the names begin that stand in the place of ids."""


@dataclass(frozen=True)
class Erasure:
    """That an item of a panel was erased at a moment, by the digest of its id."""

    at: datetime
    panel: str
    digest: str


@dataclass(frozen=True)
class Erased:
    """What an erasure changed: rows by what they are, and by batch the items that the queue is to forget."""

    counts: Mapping[str, int]
    batches: Mapping[str, tuple[str, ...]]


def item_digest(item: str) -> str:
    """The digest of an item's id. It tells whether an id that somebody has is the erased one, and nothing else."""
    return sha256(b"item\0" + item.encode("utf-8", "surrogatepass")).hexdigest()


def name_of_erased(item: str) -> str:
    """What stands in the place of an id; of a name that stands there already, itself.

    >>> name_of_erased("m-17")
    'erased-25b565b71f6644dbb4b5fbb3befc82a2'
    >>> name_of_erased(name_of_erased("m-17")) == name_of_erased("m-17")
    True
    """
    return item if is_erased(item) else f"{ERASED}{item_digest(item)[:32]}"


def is_erased(item: str) -> bool:
    """Whether this stands in the place of an id."""
    return _NAME.fullmatch(item) is not None


_NAME: Final = re.compile(f"{ERASED}[0-9a-f]{{32}}")
