"""The sampling frame of a metric: the items that one classifier's metric is a share of, and their strata."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.metrics import A, B, RatioMetric
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.stratum_counts import StratumCounts


def domain_flags(metric: RatioMetric, cells: Cells, place: int) -> Flags:
    """The cells whose items the metric of the classifier in this place is a share of."""
    sides = (cells.positive[:, place] & (A in metric.sides)) | (cells.negative[:, place] & (B in metric.sides))
    return np.asarray(sides)


def counted_labels(metric: RatioMetric, cells: Cells, place: int, labelled: Floats, positive: Floats) -> Floats:
    """The labels of every cell that the metric counts as yes: the right calls, for accuracy."""
    (tp, fp, fn, tn), negative = metric.numerator, labelled - positive
    on_a, on_b = tp * positive + fp * negative, fn * positive + tn * negative
    return np.asarray(np.where(cells.positive[:, place], on_a, on_b), dtype=np.float64)


def describe_calls(metric: RatioMetric) -> str:
    """What the classifier does with the items of the domain: "judged", "calls positive" or "calls negative"."""
    called = "positive" if A in metric.sides else "negative"
    return "judged" if len(metric.sides) > 1 else f"calls {called}"


@dataclass(frozen=True)
class SamplingFrame:
    """The strata of the items that a metric is a share of, of a census that was stratified for it.

    Labels are drawn in them alone. `place` is the classifier's among the panel's.
    """

    cells: Cells
    place: int
    metric: RatioMetric

    @cached_property
    def strata(self) -> Counts:
        """The numbers of the strata among all strata."""
        inside = domain_flags(self.metric, self.cells, self.place)
        return np.flatnonzero(self.cells.by_stratum(self.cells.sizes * inside) > 0)

    @cached_property
    def sizes(self) -> Counts:
        """N_k, the items of each stratum."""
        return self.cells.stratum_sizes[self.strata].astype(np.int64)

    def counts(self, drawn: Counts, labelled: Floats, positive: Floats) -> StratumCounts:
        """From items drawn by stratum, and from labels and positive labels by cell."""
        columns = drawn, self.cells.by_stratum(labelled), self._yes(labelled, positive)
        return StratumCounts(*(np.rint(column[self.strata]).astype(np.int64) for column in columns))

    def expected_shares(self, rates: Floats) -> Floats:
        """The share of each stratum if every cell had its expected rate of positives."""
        return np.asarray(self._yes(self.cells.sizes, self.cells.sizes * rates)[self.strata] / self.sizes)

    def over_all_strata(self, totals: Counts) -> Counts:
        """Totals of the frame's strata among those of all strata; the others have none."""
        every = np.zeros(self.cells.stratum_count, dtype=np.int64)
        every[self.strata] = totals
        return every

    def _yes(self, labelled: Floats, positive: Floats) -> Floats:
        return self.cells.by_stratum(counted_labels(self.metric, self.cells, self.place, labelled, positive))
