"""Cells: pattern x score cells as columns of numbers. Fine bins and atoms are both read this way."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.bins import centres
from stratawatch.core.population import NEGATIVE, POSITIVE, Atom, Census, Floats

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Cells:
    """Columns of equal length. `scores` is the mean linked score of a cell, NaN where there is none.

    `positive` and `negative` have a column a classifier: calls the cell's items so. Neither: did not say.
    """

    classifiers: tuple[str, ...]
    patterns: tuple[str, ...]
    sizes: Floats
    scores: Floats
    positive: Flags
    negative: Flags

    @classmethod
    def of(cls, classifiers: Sequence[str], patterns: Sequence[str], sizes: Floats, scores: Floats) -> "Cells":
        """Cells from their patterns, sizes and mean scores."""
        width = len(classifiers)
        letters = np.array([list(pattern) for pattern in patterns], dtype="U1").reshape(len(patterns), width)
        names, said_yes, said_no = tuple(classifiers), letters == POSITIVE, letters == NEGATIVE
        return cls(names, tuple(patterns), sizes.astype(np.float64), scores, said_yes, said_no)

    @classmethod
    def of_census(cls, census: Census) -> "Cells":
        """The fine cells of a census."""
        sizes = census.counts.astype(np.float64)
        return cls.of(census.classifiers, census.patterns, sizes, centres(census.bins))

    @classmethod
    def of_atoms(cls, classifiers: Sequence[str], atoms: Sequence[Atom]) -> "Cells":
        """The atoms of a design."""
        scores = [np.nan if atom.mean_score is None else atom.mean_score for atom in atoms]
        sizes = np.array([atom.size for atom in atoms], dtype=np.float64)
        return cls.of(classifiers, [atom.pattern for atom in atoms], sizes, np.array(scores, dtype=np.float64))

    @cached_property
    def served(self) -> Flags:
        """Cells that some classifier judged; the others tell nothing about anyone and get no labels."""
        return np.asarray((self.positive | self.negative).any(axis=1))

    @cached_property
    def positive_to_any(self) -> Flags:
        """Cells that at least one classifier calls positive."""
        return np.asarray(self.positive.any(axis=1))

    @cached_property
    def votes(self) -> Floats:
        """Share of the classifiers that call a cell positive, among those that judged it."""
        said = (self.positive | self.negative).sum(axis=1)
        return np.asarray(self.positive.sum(axis=1) / np.maximum(said, 1), dtype=np.float64)

    @cached_property
    def filled_scores(self) -> Floats:
        """Scores with a stand-in where there is none: .5 for called positives, else the negatives' mean score."""
        quiet = self.served & ~self.positive_to_any & ~np.isnan(self.scores)
        weight = float(self.sizes[quiet].sum())
        usual = float(self.sizes[quiet] @ self.scores[quiet]) / weight if weight else 0.05
        return np.where(np.isnan(self.scores), np.where(self.positive_to_any, 0.5, usual), self.scores)
