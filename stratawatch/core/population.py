"""The population as counts: census, atoms, candidates. Items themselves never come here in bulk."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

POSITIVE, NEGATIVE, UNSCORED = "1", "0", "-"
"""The letters of a pattern, one a classifier in the panel's order: calls it positive, negative, did not say."""

NO_BIN = -1
"""The bin of an item that nobody scored: no classifier and no auxiliary score."""


@dataclass(frozen=True, order=True)
class Segment:
    """A named slice of the population that is reported on its own."""

    column: str
    value: str

    def __str__(self) -> str:
        return f"{self.column}={self.value}"


@dataclass(frozen=True)
class Census:
    """Counts per (pattern, fine score bin), and the same counts within every segment.

    Rows are sorted by (pattern, bin); every segment's counts are aligned with them. `auxiliary` names the helpers
    whose letters follow those of the classifiers in every pattern: they guide the design and are not estimated.
    """

    classifiers: tuple[str, ...]
    patterns: tuple[str, ...]
    bins: Counts
    counts: Counts
    segments: Mapping[Segment, Counts] = field(default_factory=dict)
    auxiliary: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """N, the number of items."""
        return int(self.counts.sum())

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What was computed from this census and is kept as long as it lives; see `stratify`."""
        return {}


@dataclass(frozen=True)
class Atom:
    """Pattern x score bins (inclusive at both ends): the smallest cell that estimates tell apart.

    `stratum` numbers the union of atoms that the atom is drawn with, from 0; draws, pools and plans count by stratum.
    `prior_rate` is the share of positives that history made expect when the design was frozen, None without one.
    """

    pattern: str
    first_bin: int
    last_bin: int
    size: int
    mean_score: float | None
    segments: Mapping[Segment, int] = field(default_factory=dict)
    stratum: int = 0
    prior_rate: float | None = None

    def in_stratum(self, stratum: int) -> "Atom":
        """This atom in another stratum; there are so many of them that `dataclasses.replace` would take its time."""
        segments, rate = self.segments, self.prior_rate
        return Atom(self.pattern, self.first_bin, self.last_bin, self.size, self.mean_score, segments, stratum, rate)


@dataclass(frozen=True)
class Candidates:
    """The pool of every stratum: its items with the smallest permanent random numbers, in no promised order.

    Columns of equal length. `digest` is the md5 hex text that orders the draw; `segments` has one entry
    per segment column, None where the item has no value there.
    """

    items: tuple[str, ...]
    atoms: Counts
    digests: tuple[str, ...]
    segments: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    clusters: tuple[str | None, ...] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def joined(self, further: "Candidates") -> "Candidates":
        """These candidates and further ones after them, without their clusters."""
        return Candidates(
            self.items + further.items,
            np.concatenate([self.atoms, further.atoms]),
            self.digests + further.digests,
            {column: values + further.segments[column] for column, values in self.segments.items()},
        )
