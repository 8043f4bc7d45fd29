"""Which rows a single scan keeps beside the census, so that candidates need no second scan (see `duckdb_reader`).

Which items are drawn is decided after the census. But items are drawn by their digest, and of a large population only a
small share of every stratum: so the scan that counts keeps every item whose digest is small. Where that turns out not
to be enough, the candidates are fetched by a scan of their own; what is drawn is the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from stratawatch.adapters.sources.stratum_quotas import ABOVE_ALL_DIGESTS

MIN_ROWS: Final = 5_000_000
"""Below this two short scans are as good."""
ROWS_KEPT: Final = 300_000
"""About so many rows are kept of a population, whatever its size."""
# The values of a digest's first two bytes, by which the scan decides.
_PREFIXES: Final = 2**16


@dataclass(frozen=True)
class DigestBound:
    """The scan keeps the rows whose digest begins with two bytes below this number."""

    below: int

    def cover(self, max_digests: Iterable[str]) -> bool:
        """Whether every item below these digests was kept."""
        return all(self.below >= _prefix_above(one) for one in max_digests)


def digest_bound(rows: int) -> DigestBound | None:
    """What to keep of about so many rows; None where two scans are as good.

    >>> digest_bound(10_000_000), digest_bound(1000)
    (DigestBound(below=1967), None)
    """
    return DigestBound(-(-_PREFIXES * ROWS_KEPT // rows)) if rows >= MIN_ROWS else None


def _prefix_above(max_digest: str) -> int:
    """The first two bytes below which every digest lies that is below this one.

    >>> _prefix_above("045a1cac08312"), _prefix_above("g")
    (1115, 65536)
    """
    return _PREFIXES if max_digest == ABOVE_ALL_DIGESTS else int(max_digest[:4], 16) + 1
