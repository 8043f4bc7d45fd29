"""Which rows a single scan keeps beside the census, so that candidates need no second one.

The census must be known before it is known which items are drawn. But items are drawn by their hash, and of a large
population only a small share of every stratum: so the scan that counts keeps every item whose hash is small. Where that
turns out not to be enough, the candidates are fetched by a scan of their own; what is drawn is the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from stratawatch.adapters.sources.stratum_quotas import EVERYTHING

LEAST_ROWS: Final = 5_000_000
"""Below this two short scans are as good."""
KEPT: Final = 300_000
"""About so many rows are kept of a population, whatever its size."""
_SHARES: Final = 2**16
"""Hashes are told apart by their first two bytes."""


@dataclass(frozen=True)
class Gathering:
    """Rows are kept whose first two bytes are below this."""

    below: int

    def enough(self, ceilings: Iterable[str]) -> bool:
        """Whether everything under these ceilings is kept."""
        return all(self.below >= _needed(one) for one in ceilings)


@dataclass(frozen=True)
class Gathered:
    """What was kept, and the columns of the census query's answer."""

    gathering: Gathering
    counts: Sequence[NDArray[Any]]


def gathering_of(rows: int) -> Gathering | None:
    """What to keep of about so many rows; None where it does not pay.

    >>> gathering_of(10_000_000), gathering_of(1000)
    (Gathering(below=1967), None)
    """
    return Gathering(-(-_SHARES * KEPT // rows)) if rows >= LEAST_ROWS else None


def _needed(ceiling: str) -> int:
    """The first two bytes below which everything under a ceiling lies.

    >>> _needed("045a1cac08312"), _needed("g")
    (1115, 65536)
    """
    return _SHARES if ceiling == EVERYTHING else int(ceiling[:4], 16) + 1
