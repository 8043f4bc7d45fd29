"""Accuracy: how often a call is right."""

from typing import ClassVar

import numpy as np

from stratawatch.core.estimation.metrics.metric import Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import Table
from stratawatch.core.population import Floats


class Accuracy(Metric):
    """(TP + TN)/N over the items that the classifier judged; gradient (2I - 1)/N."""

    name: ClassVar = "accuracy"
    words: ClassVar = "accuracy"
    default_margin: ClassVar = 0.02

    def value(self, table: Table) -> Floats:
        """(TP + |B| - FN)/N."""
        return over(table.tp + table.negative - table.fn, table.positive + table.negative)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """1/N and -1/N."""
        each = over(np.ones_like(table.tp), table.positive + table.negative)
        return each, -each

    def small_ends(self, reading: Reading) -> Ends:
        """FF/MID of the share of right calls among all items that were judged."""
        return reading.right

    def size(self, table: Table) -> Floats:
        """N, the items that were judged."""
        return table.positive + table.negative

    def domain(self, called: Called) -> Domain | None:
        """The items that were judged."""
        return Domain(called.positive + called.negative)
