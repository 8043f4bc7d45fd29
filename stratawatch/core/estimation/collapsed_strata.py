"""Strata as estimates use them: one without any label is collapsed into the nearest that has some.

Collapsing is the usual remedy for strata that tell no variance (Cochran 1977, 5A.12). It is decided by counts and
scores alone, never by what labels say, so that it leaves the estimator unbiased inside the strata that have labels.
"""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.population import Counts, Floats


@dataclass(frozen=True)
class CollapsedStrata:
    """N_h (`sizes`), n_h (`answers`) and the share of every fold among the labels (`shares`, folds x strata).

    `stratum_of_cell` is the collapsed stratum of each cell, `joined` that of each of the design's strata. Cells whose
    stratum stayed without a label, because none of the design has one, are `is_unlabelled`. `order` and `starts` sort
    cells by stratum, for sums by `reduceat`.
    """

    stratum_of_cell: Counts
    joined: Counts
    sizes: Floats
    answers: Floats
    shares: Floats
    order: Counts
    starts: Counts

    @classmethod
    def of(cls, cells: Cells, answered: Floats) -> "CollapsedStrata":
        """Collapse the strata; `answered` counts labels, folds x cells."""
        counts = np.bincount(cells.strata, weights=answered.sum(axis=0), minlength=cells.stratum_count).astype(
            np.float64
        )
        joined = _joined(cells, counts)
        kept, homes = np.unique(joined[cells.strata], return_inverse=True)
        joined = np.searchsorted(kept, joined)
        order = np.argsort(homes, kind="stable")
        starts = np.flatnonzero(np.diff(homes[order], prepend=-1))
        by_fold = np.add.reduceat(answered[:, order], starts, axis=1) if starts.size else answered
        sizes = np.bincount(homes, weights=cells.sizes, minlength=starts.size).astype(np.float64)
        answers = by_fold.sum(axis=0)
        return cls(homes, joined, sizes, answers, by_fold / np.maximum(answers, 1), order, starts)

    @property
    def is_unlabelled(self) -> Flags:
        """Cells whose stratum holds no answer."""
        return np.asarray((self.answers == 0)[self.stratum_of_cell])

    @property
    def sampling_correction(self) -> Floats:
        """1 - f_h, the part of every stratum that was not answered."""
        return np.maximum(self.sizes - self.answers, 0) / np.maximum(self.sizes, 1)

    @property
    def expansions(self) -> Floats:
        """N_h / n_h, the items that one answer stands for; without an answer N_h."""
        return np.asarray(self.sizes / np.maximum(self.answers, 1), dtype=np.float64)

    def sums(self, values: Floats) -> Floats:
        """Sums over the cells of each stratum, along the last axis."""
        if not self.starts.size:
            return np.zeros((*values.shape[:-1], 0))
        return np.asarray(np.add.reduceat(values[..., self.order], self.starts, axis=-1), dtype=np.float64)


def _joined(cells: Cells, answers: Floats) -> Counts:
    """The stratum that each is estimated with: the answered one nearest in mean score that shares a pattern."""
    homes = np.arange(cells.stratum_count)
    served = np.bincount(cells.strata, weights=cells.has_call & (cells.sizes > 0), minlength=cells.stratum_count) > 0
    lonely = np.flatnonzero(served & (answers == 0))
    if lonely.size == 0:
        return homes
    scored = np.where(np.isnan(cells.scores), 0.0, cells.sizes)
    weights = np.bincount(cells.strata, weights=scored, minlength=cells.stratum_count)
    sums = np.bincount(cells.strata, weights=scored * np.nan_to_num(cells.scores), minlength=cells.stratum_count)
    patterns = np.array(cells.patterns)
    # A stratum without scores, or without kin that has labels, stays by itself: its items count as half positive.
    for stratum in lonely[weights[lonely] > 0].tolist():
        kin = np.isin(patterns, patterns[cells.strata == stratum])
        near = np.unique(cells.strata[kin])
        near = near[(answers[near] > 0) & (weights[near] > 0)]
        if near.size:
            far = np.abs(sums[near] / weights[near] - sums[stratum] / weights[stratum])
            homes[stratum] = near[np.argmin(far)]
    return homes
