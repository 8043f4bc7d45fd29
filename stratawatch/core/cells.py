"""Cells: pattern x score cells as columns of numbers. Fine bins and atoms are both read this way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import NEGATIVE, POSITIVE, Atom, Census, Counts, Floats
from stratawatch.core.score_bins import centres

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Cells:
    """Columns of equal length. `scores` is the mean linked score of a cell, NaN where there is none.

    `positive` and `negative` have a column a classifier: whether it calls the cell's items so; neither where it made
    no call. `auxiliary_calls` has a column an auxiliary score: 1 leans to yes, -1 to no, 0 where there is none.
    `strata` numbers the stratum that each cell is drawn with. `prior_rate` is the share of positives that a model of
    earlier labels expects, None without one.
    """

    classifiers: tuple[str, ...]
    patterns: tuple[str, ...]
    sizes: Floats
    scores: Floats
    positive: Flags
    negative: Flags
    auxiliary_calls: Floats
    strata: Counts
    prior_rate: Floats | None = None

    @classmethod
    def of(
        cls,
        classifiers: Sequence[str],
        patterns: Sequence[str],
        sizes: Floats,
        scores: Floats,
        strata: Counts | None = None,
    ) -> "Cells":
        """Cells from their patterns, sizes and mean scores; without `strata` each is one of its own."""
        longest = len(patterns[0]) if len(patterns) else len(classifiers)
        if any(len(pattern) != longest for pattern in patterns):
            raise ValueError("patterns of one panel are equally long")
        letters = np.array(patterns, dtype=f"U{longest}").view("U1").reshape(len(patterns), longest)
        called, leaning = letters[:, : len(classifiers)], letters[:, len(classifiers) :]
        return cls(
            classifiers=tuple(classifiers),
            patterns=tuple(patterns),
            sizes=sizes.astype(np.float64),
            scores=scores,
            positive=called == POSITIVE,
            negative=called == NEGATIVE,
            auxiliary_calls=(leaning == POSITIVE).astype(np.float64) - (leaning == NEGATIVE),
            strata=np.arange(len(patterns)) if strata is None else strata,
        )

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
        strata = np.array([atom.stratum for atom in atoms], dtype=np.int64)
        made = cls.of(classifiers, [atom.pattern for atom in atoms], sizes, np.array(scores, dtype=np.float64), strata)
        rates = [atom.prior_rate for atom in atoms if atom.prior_rate is not None]
        return replace(made, prior_rate=np.array(rates)) if rates and len(rates) == len(atoms) else made

    @cached_property
    def stratum_count(self) -> int:
        """Number of strata."""
        return int(self.strata.max(initial=-1)) + 1

    def by_stratum(self, values: Floats) -> Floats:
        """Sums over the cells of each stratum, along the last axis."""
        rows = values.reshape(prod(values.shape[:-1]), values.shape[-1])
        summed = np.array([np.bincount(self.strata, row, self.stratum_count) for row in rows], dtype=np.float64)
        return summed.reshape(*values.shape[:-1], self.stratum_count)

    @cached_property
    def stratum_sizes(self) -> Floats:
        """N_h, the items of each stratum."""
        return self.by_stratum(self.sizes)

    @cached_property
    def has_call(self) -> Flags:
        """Cells that some classifier judged; the others tell nothing about anyone and get no labels."""
        return np.asarray((self.positive | self.negative).any(axis=1))

    @cached_property
    def called_by_any(self) -> Flags:
        """Cells that at least one classifier calls positive."""
        return np.asarray(self.positive.any(axis=1))

    @cached_property
    def votes(self) -> Floats:
        """Share of the classifiers that call a cell positive, among those that judged it."""
        said = (self.positive | self.negative).sum(axis=1)
        return np.asarray(self.positive.sum(axis=1) / np.maximum(said, 1), dtype=np.float64)

    @cached_property
    def imputed_scores(self) -> Floats:
        """Scores with a stand-in where there is none: .5 for called positives, else the negatives' mean score."""
        quiet = self.has_call & ~self.called_by_any & ~np.isnan(self.scores)
        weight = float(self.sizes[quiet].sum())
        usual = float(self.sizes[quiet] @ self.scores[quiet]) / weight if weight else 0.05
        return np.where(np.isnan(self.scores), np.where(self.called_by_any, 0.5, usual), self.scores)
