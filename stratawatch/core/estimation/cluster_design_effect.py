"""The design effect: what it costs that labels come in clusters.

V with clusters over V of the same labels one by one: sum over clusters of (sum of e)^2 over sum of e^2, e how far a
label moves the metric, times sqrt(C/(C - 1)) in the one and sqrt(n/(n - 1)) in the other, for the C clusters and n
labels of its stratum. With m labels in each cluster it is 1 + rho (m - 1), rho the correlation inside clusters (Kish
1965, 5.4). There is one definition, whatever the metric and the design; 1 - f is in neither variance.
"""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.population import Counts, Floats


@dataclass(frozen=True)
class VarianceStrata:
    """The strata that labels are compared in, each with two units at least: `rows` of labels sorted by them.

    `units` and `labels` are C and n of every such stratum.
    """

    rows: Counts
    starts: Counts
    units: Counts
    labels: Counts

    @classmethod
    def of(cls, strata: StratifiedUnits) -> "VarianceStrata | Undefined":
        """Pool strata of a single unit with their neighbours; Undefined where fewer than two units are left."""
        readable = strata.readable(2)
        if isinstance(readable, Undefined):
            return readable
        labels = np.array([len(rows) for rows in readable], dtype=np.int64)
        units = np.array([len(np.unique(strata.units[rows])) for rows in readable], dtype=np.int64)
        rows = np.concatenate([*readable, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        return cls(rows, np.cumsum(labels) - labels, units, labels)

    def grown(self, counts: Counts) -> Floats:
        """The sqrt(n/(n - 1)) of every label's stratum, as a column."""
        return np.asarray(np.repeat((counts / (counts - 1)) ** 0.5, self.labels)[:, None], dtype=np.float64)

    def deviations(self, strata: StratifiedUnits, moves: Floats) -> Floats:
        """The e = w (z - the mean z of its stratum), a row a label in the order of `rows`; `moves` are z."""
        if not self.rows.size:
            return moves[self.rows]
        w, z = strata.weights[self.rows][:, None], moves[self.rows]
        sums, weights = np.add.reduceat(w * z, self.starts), np.add.reduceat(w, self.starts)
        return np.asarray(w * (z - np.repeat(sums / weights, self.labels, axis=0)), dtype=np.float64)


@dataclass(frozen=True)
class ClusterVariances:
    """The variances of every column of influence values: with clusters together, and with every label alone."""

    together: Floats
    alone: Floats

    @property
    def design_effect(self) -> Floats:
        """Their ratio; NaN where labels move nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(self.alone > 0, self.together / self.alone, np.nan), dtype=np.float64)


def sums_by_unit(units: Counts, values: Floats) -> Floats:
    """Sums of the rows of every unit (units x columns)."""
    if not units.size:
        return values
    order = np.argsort(units, kind="stable")
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    return np.asarray(np.add.reduceat(values[order], starts), dtype=np.float64)
