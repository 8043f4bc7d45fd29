"""Specificity: how many of the negatives a classifier lets pass."""

from typing import ClassVar

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.metrics.metric import Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends, ratio_interval
from stratawatch.core.estimation.side_intervals import Reading, mirrored
from stratawatch.core.estimation.sides import Sides, Table
from stratawatch.core.population import Floats


class Specificity(Metric):
    """s = TN/(TN + FP) over the items that the classifier judged; gradient (I - 1 + s)/(N - P)."""

    name: ClassVar = "specificity"
    words: ClassVar = "specificity"
    default_margin: ClassVar = 0.02
    method: ClassVar = "ratio of difference estimates"
    small_method: ClassVar = "MOVER-R on FF/MID"
    wanting: ClassVar = "negative"

    def value(self, table: Table) -> Floats:
        """TN/(TN + FP)."""
        tn, fp = _negatives(table)
        return over(tn, tn + fp)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """s/(N - P) and -(1 - s)/(N - P)."""
        tn, fp = _negatives(table)
        return over(tn, (tn + fp) ** 2), -over(fp, (tn + fp) ** 2)

    def small_ends(self, reading: Reading) -> Ends:
        """From the intervals of TN and FP, which are those of FN and TP turned over."""
        table = reading.sides.table
        tn, fp = _negatives(table)
        return ratio_interval(tn, fp, mirrored(reading.fn, table.negative), mirrored(reading.tp, table.positive))

    def size(self, table: Table) -> Floats:
        """TN + FP."""
        return sum(_negatives(table), np.zeros(()))

    def lacking(self, sides: Sides) -> Flags:
        """No negative on either side."""
        return np.asarray((sides.labels - sides.yes).sum(axis=-1) == 0)

    def domain(self, called: Called) -> Domain | None:
        """The true negatives, as many as they are thought to be; nobody has a list of them."""
        if called.positives is None:
            return None
        return Domain(called.positive + called.negative - called.positives, listed=False)


def _negatives(table: Table) -> tuple[Floats, Floats]:
    """TN and FP."""
    return table.negative - table.fn, table.positive - table.tp
