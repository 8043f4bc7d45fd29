"""False-omission rate: how often a negative call is wrong."""

from typing import ClassVar

import numpy as np

from stratawatch.core.estimation.metrics.metric import NEGATIVE_SIDE, Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import Table
from stratawatch.core.population import Floats


class FalseOmissionRate(Metric):
    """P(y = 1 | B) = FN/|B|; gradient (1 - I)/|B|."""

    name: ClassVar = "false_omission_rate"
    words: ClassVar = "false-omission rate"
    small_is_good: ClassVar = True
    default_margin: ClassVar = 0.01
    reads: ClassVar = NEGATIVE_SIDE

    def value(self, table: Table) -> Floats:
        """FN/|B|."""
        return over(table.fn, table.negative)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """0 and 1/|B|."""
        return np.zeros_like(table.tp), over(np.ones_like(table.fn), table.negative)

    def small_ends(self, reading: Reading) -> Ends:
        """FF/MID of the share of positives among the items called negative."""
        return reading.passed

    def size(self, table: Table) -> Floats:
        """|B|."""
        return table.negative

    def domain(self, called: Called) -> Domain | None:
        """The items called negative."""
        return Domain(called.negative)
