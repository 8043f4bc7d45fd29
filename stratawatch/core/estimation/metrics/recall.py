"""Recall: how many of the positives a classifier finds."""

from typing import ClassVar

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.metrics.metric import Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends, ratio_interval
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import Sides, Table
from stratawatch.core.population import Floats


class Recall(Metric):
    """r = TP/(TP + FN) over the items that the classifier judged; gradient (I - r)/P."""

    name: ClassVar = "recall"
    words: ClassVar = "recall"
    default_margin: ClassVar = 0.05
    method: ClassVar = "ratio of difference estimates"
    small_method: ClassVar = "MOVER-R on FF/MID"
    wanting: ClassVar = "positive"

    def value(self, table: Table) -> Floats:
        """TP/(TP + FN)."""
        return over(table.tp, table.tp + table.fn)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """(1 - r)/P and -r/P."""
        positives = table.tp + table.fn
        return over(table.fn, positives**2), -over(table.tp, positives**2)

    def small_ends(self, reading: Reading) -> Ends:
        """From the intervals of TP and FN."""
        table = reading.sides.table
        return ratio_interval(table.tp, table.fn, reading.tp, reading.fn)

    def size(self, table: Table) -> Floats:
        """TP + FN."""
        return table.tp + table.fn

    def lacking(self, sides: Sides) -> Flags:
        """No positive on either side."""
        return np.asarray(sides.yes.sum(axis=-1) == 0)

    def domain(self, called: Called) -> Domain | None:
        """The true positives, as many as they are thought to be; nobody has a list of them."""
        return None if called.positives is None else Domain(called.positives, listed=False)
