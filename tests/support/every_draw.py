"""Small populations whose every possible draw can be looked at, and bigger ones to draw from at random."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.labelled_sample import FOLDS, LabelCounts, LabelledSample, assign_folds


@dataclass(frozen=True)
class Small:
    """Items with an atom and a label each."""

    cells: Cells
    atoms: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, patterns: Sequence[str], scores: Sequence[float], strata: Sequence[int], labels: Sequence[str]):
        """One atom a pattern; `labels` lists an atom's items, "1" or "0" each."""
        sizes = np.array([len(each) for each in labels], dtype=float)
        names = tuple("abcdefgh"[: len(patterns[0])])
        cells = Cells.of(names, patterns, sizes, np.array(scores, dtype=float), np.array(strata))
        atoms = np.repeat(np.arange(len(patterns)), [len(each) for each in labels])
        return cls(cells, atoms, np.array([int(letter) for each in labels for letter in each]))

    def strata(self) -> np.ndarray:
        return self.cells.strata[self.atoms]

    def draws(self, labels: Sequence[int]) -> Iterator[np.ndarray]:
        """Every draw with so many labels in each stratum."""
        pools = [np.flatnonzero(self.strata() == h) for h in range(self.cells.stratum_count)]
        for parts in product(*(combinations(pool, n) for pool, n in zip(pools, labels, strict=True))):
            yield np.array([item for part in parts for item in part], dtype=np.int64)

    def random_draw(self, labels: Sequence[int], rng: np.random.Generator) -> np.ndarray:
        pools = [np.flatnonzero(self.strata() == h) for h in range(self.cells.stratum_count)]
        return np.concatenate([rng.choice(pool, n, replace=False) for pool, n in zip(pools, labels, strict=True)])

    def answers(self, drawn: np.ndarray) -> LabelCounts:
        folds = assign_folds(self.strata()[drawn])
        answered, yes = np.zeros((FOLDS, len(self.cells.sizes))), np.zeros((FOLDS, len(self.cells.sizes)))
        np.add.at(answered, (folds, self.atoms[drawn]), 1.0)
        np.add.at(yes, (folds, self.atoms[drawn]), self.labels[drawn].astype(float))
        return LabelCounts(answered, yes)

    def labelled(self, drawn: np.ndarray) -> LabelledSample:
        found = self.answers(drawn)
        counts = np.bincount(self.strata()[drawn], minlength=self.cells.stratum_count)
        return LabelledSample(counts, found.labelled, found.positive)

    def positives(self, members: np.ndarray) -> float:
        """True positives among the items of some atoms."""
        return float(self.labels[members[self.atoms]].sum())


def mixed() -> Small:
    """Two classifiers, three strata: one of three patterns, one of a single pattern, one that a census may take."""
    return Small.of(
        ["11", "10", "01", "00", "11"], [0.9, 0.6, 0.5, 0.1, 0.95], [0, 0, 0, 1, 2], ["110", "10", "01", "0100", "11"]
    )
