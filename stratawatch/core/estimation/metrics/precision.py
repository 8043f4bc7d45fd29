"""Precision: how often a positive call is right."""

from typing import ClassVar

import numpy as np

from stratawatch.core.estimation.metrics.metric import POSITIVE_SIDE, Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import Table
from stratawatch.core.population import Floats


class Precision(Metric):
    """P(y = 1 | A) = TP/|A|; gradient I/|A|."""

    name: ClassVar = "precision"
    words: ClassVar = "precision"
    default_margin: ClassVar = 0.03
    reads: ClassVar = POSITIVE_SIDE

    def value(self, table: Table) -> Floats:
        """TP/|A|."""
        return over(table.tp, table.positive)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """1/|A| and 0."""
        return over(np.ones_like(table.tp), table.positive), np.zeros_like(table.fn)

    def small_ends(self, reading: Reading) -> Ends:
        """FF/MID of the share of positives among the items called positive."""
        return reading.called

    def size(self, table: Table) -> Floats:
        """|A|."""
        return table.positive

    def domain(self, called: Called) -> Domain | None:
        """The items called positive."""
        return Domain(called.positive)
