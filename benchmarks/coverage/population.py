"""A population with known truth: items, and the same items counted into a census."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.truths import TRUTHS, Confusion
from stratawatch.core.population import NEGATIVE, NO_BIN, POSITIVE, Census, Counts, Floats
from stratawatch.core.score_bins import BIN_COUNT, bins_of

Flags = NDArray[np.bool_]
Letters = NDArray[np.str_]


@dataclass(frozen=True)
class Items:
    """Columns of equal length: a letter for every call (items x classifiers), the binned score z, the true label."""

    letters: Letters
    scores: Floats
    labels: Flags

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def patterns(self) -> Letters:
        """The letters of every item as one word."""
        width = self.letters.shape[1]
        return np.ascontiguousarray(self.letters, dtype="U1").view(f"U{width}").ravel()

    @cached_property
    def bins(self) -> Counts:
        """The score bin of every item."""
        found = np.full(len(self), NO_BIN, dtype=np.int64)
        scored = ~np.isnan(self.scores)
        found[scored] = bins_of(self.scores[scored])
        return found

    def at(self, rows: Counts) -> "Items":
        """These items only."""
        return Items(self.letters[rows], self.scores[rows], self.labels[rows])

    def joined(self, more: "Items") -> "Items":
        """These items and then others."""
        return Items(
            np.concatenate([self.letters, more.letters]),
            np.concatenate([self.scores, more.scores]),
            np.concatenate([self.labels, more.labels]),
        )


class Family(Protocol):
    """Where items come from: the same family gives the items of a first period and the new ones of a second."""

    @property
    def name(self) -> str:
        """What is particular to it."""
        ...

    @property
    def ranks(self) -> bool:
        """Whether its scores tell who is likelier positive: then no interval may be wider than a random sample's."""
        ...

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Whose calls the letters are."""
        ...

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Whose letters follow."""
        ...

    @property
    def size(self) -> int:
        """How many items a population has."""
        ...

    def items(self, rng: np.random.Generator, size: int) -> Items:
        """So many new items."""
        ...

    def fresh(self, rng: np.random.Generator) -> "Family":
        """The same kind with other numbers."""
        ...


@dataclass(frozen=True)
class Population:
    """A census with the positives of each of its rows; `rows` is the row of every item."""

    census: Census
    yes: Counts
    rows: Counts

    @classmethod
    def of(cls, items: Items, classifiers: Sequence[str], auxiliary: Sequence[str] = ()) -> "Population":
        """Count items by (pattern, bin)."""
        kinds, kind = np.unique(items.patterns, return_inverse=True)
        keys, rows = np.unique(kind * (BIN_COUNT + 1) + items.bins + 1, return_inverse=True)
        census = Census(
            classifiers=tuple(classifiers),
            patterns=tuple(str(kinds[code]) for code in keys // (BIN_COUNT + 1)),
            bins=keys % (BIN_COUNT + 1) - 1,
            counts=np.bincount(rows).astype(np.int64),
            auxiliary=tuple(auxiliary),
        )
        return cls(census, np.bincount(rows, weights=items.labels).astype(np.int64), rows)

    @cached_property
    def confusions(self) -> tuple[Confusion, ...]:
        """One a classifier."""
        width = len(self.census.patterns[0])
        letters = np.array(self.census.patterns).view("U1").reshape(-1, width)
        return tuple(self._confusion(letters[:, column]) for column in range(len(self.census.classifiers)))

    def truth(self, metric: str, classifier: int) -> float:
        """The value that intervals should hold."""
        return TRUTHS[metric](self.confusions[classifier])

    def _confusion(self, calls: Letters) -> Confusion:
        called, passed = calls == POSITIVE, calls == NEGATIVE
        counts, yes = self.census.counts, self.yes
        return Confusion(*(float(part.sum()) for part in (counts[called], counts[passed], yes[called], yes[passed])))
