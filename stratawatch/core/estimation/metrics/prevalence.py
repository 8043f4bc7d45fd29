"""Prevalence: how many items are positive, whatever they are called."""

from typing import ClassVar

import numpy as np

from stratawatch.core.estimation.metrics.metric import Called, Domain, Metric, over
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.side_intervals import Reading
from stratawatch.core.estimation.sides import Table
from stratawatch.core.population import Floats


class Prevalence(Metric):
    """P/N over the items that the classifier judged; gradient 1/N."""

    name: ClassVar = "prevalence"
    words: ClassVar = "prevalence"
    small_is_good: ClassVar = True
    default_margin: ClassVar = 0.01

    def value(self, table: Table) -> Floats:
        """(TP + FN)/N."""
        return over(table.tp + table.fn, table.positive + table.negative)

    def slopes(self, table: Table) -> tuple[Floats, Floats]:
        """1/N on either side."""
        each = over(np.ones_like(table.tp), table.positive + table.negative)
        return each, each

    def small_ends(self, reading: Reading) -> Ends:
        """FF/MID of the share of positives among all items that were judged."""
        return reading.positives

    def size(self, table: Table) -> Floats:
        """N, the items that were judged."""
        return table.positive + table.negative

    def domain(self, called: Called) -> Domain | None:
        """The items that were judged."""
        return Domain(called.positive + called.negative)
