"""Negative predictive value: how often a negative call is right."""

from typing import ClassVar

import numpy as np

from stratawatch.core.estimation.metrics.metric import NEGATIVE_SIDE, Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.side_intervals import Reading, mirrored
from stratawatch.core.estimation.sides import Table
from stratawatch.core.population import Floats


class NegativePredictiveValue(Metric):
    """P(y = 0 | B) = 1 - FN/|B|, the false-omission rate turned over; gradient -(1 - I)/|B|."""

    name: ClassVar = "negative_predictive_value"
    words: ClassVar = "negative predictive value"
    default_margin: ClassVar = 0.01
    reads: ClassVar = NEGATIVE_SIDE

    def value(self, table: Table) -> Floats:
        """1 - FN/|B|."""
        return over(table.negative - table.fn, table.negative)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """0 and -1/|B|."""
        return np.zeros_like(table.tp), -over(np.ones_like(table.fn), table.negative)

    def small_ends(self, reading: Reading) -> Ends:
        """The false-omission rate's, turned over."""
        return mirrored(reading.passed)

    def size(self, table: Table) -> Floats:
        """|B|."""
        return table.negative

    def domain(self, called: Called) -> Domain | None:
        """The items called negative."""
        return Domain(called.negative)
