"""Labels, a row each, in the order of the draw: for variances that need every label."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.labelled_sample import LabelledItems
from stratawatch.core.population import Counts, Floats, Segment


@dataclass(frozen=True)
class LabelTable:
    """Labels by (stratum, digest, item). `rows` are places in `answered`; strata without an answer are joined."""

    evidence: DifferenceEstimator
    answered: LabelledItems
    rows: Counts

    @classmethod
    def of(cls, evidence: DifferenceEstimator, answered: LabelledItems) -> "LabelTable":
        """Put the labels in order."""
        pool = answered.candidates
        homes = evidence.strata.stratum_of_cell[pool.atoms[answered.rows]].tolist()
        keys = [
            (home, pool.digests[row], pool.items[row]) for home, row in zip(homes, answered.rows.tolist(), strict=True)
        ]
        return cls(evidence, answered, np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64))

    @property
    def cells(self) -> Cells:
        """The cells of the design."""
        return self.evidence.cells

    @cached_property
    def atoms(self) -> Counts:
        """The cell of every label."""
        return self.answered.candidates.atoms[self.answered.rows[self.rows]]

    @cached_property
    def strata_of_labels(self) -> Counts:
        """The collapsed stratum of every label."""
        return self.evidence.strata.stratum_of_cell[self.atoms]

    @cached_property
    def yes(self) -> Floats:
        """1 where people said yes, else 0."""
        return self.answered.positive[self.rows]

    @cached_property
    def weights(self) -> Floats:
        """What every label counts: 1, but where rounds are joined."""
        return np.ones(len(self.rows)) if self.answered.weights is None else self.answered.weights[self.rows]

    @cached_property
    def sampling_correction(self) -> Floats:
        """1 - f of every label's stratum."""
        return self.evidence.strata.sampling_correction[self.strata_of_labels]

    @cached_property
    def clusters(self) -> Counts | None:
        """The number of every label's cluster, -1 where it has none; None: no clusters are known."""
        named = self.answered.candidates.clusters
        if named is None:
            return None
        numbers: dict[str, int] = {}
        found = [named[row] for row in self.answered.rows[self.rows].tolist()]
        return np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in found], np.int64)

    def stratified_units(self, *, clusters: bool = False) -> StratifiedUnits:
        """The labels as units of strata, for replicates and design effects; strata without any label have size 0."""
        there = self.evidence.strata
        sizes = np.where(there.answers > 0, there.sizes, 0.0)
        return StratifiedUnits(self.strata_of_labels, sizes, self.clusters if clusters else None)

    def inside(self, segment: Segment | None) -> Floats:
        """1 for labels of items inside a segment (None: all), else 0."""
        if segment is None:
            return np.ones(len(self.rows))
        return self.answered.within(segment.column, segment.value)[self.rows]

    @cached_property
    def errors(self) -> Floats:
        """Every label less the rate that a model predicts which was not fitted to it."""
        return self.yes - self.evidence.folds[self.answered.folds[self.rows], self.atoms]

    def errors_about_means(self, place: int) -> Floats:
        """Every label less the mean of its stratum, on its side of the classifier."""
        side = np.where(self.cells.positive[:, place], 2, self.cells.negative[:, place].astype(np.int64))[self.atoms]
        group = 3 * self.strata_of_labels + side
        mean = np.bincount(group, weights=self.yes) / np.maximum(np.bincount(group), 1)
        return np.asarray(self.yes - mean[group], dtype=np.float64)
