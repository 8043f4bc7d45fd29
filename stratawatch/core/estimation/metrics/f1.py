"""F1: the harmonic mean of precision and recall."""

from typing import ClassVar

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.metrics.metric import Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends, f1, f1_interval
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import A, Sides, Table
from stratawatch.core.population import Floats


class F1(Metric):
    """F = 2 TP/(|A| + P); gradient (2I - F)/(|A| + P)."""

    name: ClassVar = "f1"
    words: ClassVar = "F1"
    default_margin: ClassVar = 0.04
    method: ClassVar = "ratio of difference estimates"
    small_method: ClassVar = "MOVER on FF/MID"
    wanting: ClassVar = "positive"

    def value(self, table: Table) -> Floats:
        """2 TP/(|A| + TP + FN)."""
        return f1(table.tp, table.fn, table.positive)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """(2 - F)/(|A| + P) and -F/(|A| + P)."""
        both, value = table.positive + table.tp + table.fn, self.value(table)
        return over(2 - value, both), -over(value, both)

    def small_ends(self, reading: Reading) -> Ends:
        """From the intervals of TP and FN."""
        table = reading.sides.table
        return f1_interval(table.tp, table.fn, table.positive, reading.tp, reading.fn)

    def size(self, table: Table) -> Floats:
        """Items that are called positive or are."""
        return table.positive + table.fn

    def lacking(self, sides: Sides) -> Flags:
        """Nothing called positive, and no positive seen."""
        return np.asarray((sides.sizes[..., A] == 0) & (sides.yes.sum(axis=-1) == 0))

    def domain(self, called: Called) -> Domain | None:  # noqa: ARG002 - one shape for all
        """It is no share of anything that one could sample."""
        return None
