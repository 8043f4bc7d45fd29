"""Ordered draws without replacement from every stratum, many runs at once, as counts of atom x label.

The pool of a stratum is its items in the order of their random numbers, as far as the product freezes it: the first
of it are the first round's, the next the second's, and an item's fold follows from its place, as in the product.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.labelled_sample import FOLDS
from stratawatch.core.population import Counts


@dataclass(frozen=True)
class Pools:
    """The pools of `runs` runs: `kinds` (runs x places) is 2 x atom + label of the item at each place."""

    kinds: NDArray[np.int64]
    strata: Counts
    places: Counts
    atoms: int

    @property
    def runs(self) -> int:
        """How many."""
        return len(self.kinds)

    def counted(self, totals: Counts) -> Counts:
        """Labels (runs x folds x atoms x no, yes) of the first totals[run, stratum] places of every stratum."""
        inside = self.places < np.broadcast_to(totals, (self.runs, totals.shape[-1]))[:, self.strata]
        run, place = np.nonzero(inside)
        cells = (run * FOLDS + self._folds[place]) * 2 * self.atoms + self.kinds[run, place]
        counts = np.bincount(cells, minlength=self.runs * FOLDS * 2 * self.atoms)
        return counts.reshape(self.runs, FOLDS, self.atoms, 2)

    @cached_property
    def _folds(self) -> Counts:
        return (self.places + self.strata) % FOLDS


def pools(
    rng: np.random.Generator, strata: Counts, sizes: Counts, yes: Counts, lengths: Sequence[int], runs: int
) -> Pools:
    """Pools of the given lengths from atoms of these strata, sizes and positives."""
    kinds, numbers, places = [np.zeros((runs, 0), dtype=np.int64)], [], []
    for stratum, length in enumerate(lengths):
        atoms = np.flatnonzero(strata == stratum)
        counts = np.stack([sizes[atoms] - yes[atoms], yes[atoms]], axis=1).ravel()
        items = np.repeat(np.stack([2 * atoms, 2 * atoms + 1], axis=1).ravel(), counts)
        kinds.append(items[ordered(rng, len(items), length, runs)])
        numbers.append(np.full(length, stratum, dtype=np.int64))
        places.append(np.arange(length))
    return Pools(np.concatenate(kinds, axis=1), np.concatenate(numbers), np.concatenate(places), len(sizes))


def ordered(rng: np.random.Generator, size: int, length: int, runs: int) -> NDArray[np.int64]:
    """`runs` sequences of `length` distinct numbers below `size`, every sequence equally likely.

    Long ones are the head of a shuffle. Of short ones, later repeats are drawn anew until there are none: that treats
    all numbers alike, and so no sequence of distinct numbers can be likelier than another.
    """
    if 4 * length > size:
        everything = np.broadcast_to(np.arange(size), (runs, size))
        return rng.permuted(everything, axis=1)[:, :length]
    found = rng.integers(size, size=(runs, length))
    rows = np.arange(runs)
    while rows.size:
        order = np.argsort(found[rows], axis=1, kind="stable")
        line = np.take_along_axis(found[rows], order, axis=1)
        row, place = np.nonzero(line[:, 1:] == line[:, :-1])
        found[rows[row], order[row, place + 1]] = rng.integers(size, size=row.size)
        rows = rows[np.unique(row)]
    return found
