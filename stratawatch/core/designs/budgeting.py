"""Spending: a budget counts the items that people are asked about, so labels that are known already are free."""

from collections.abc import Callable

from stratawatch.core.planning.round_planner import LabelsSoFar
from stratawatch.core.population import Counts


def afforded(totals: Callable[[int], Counts], so_far: LabelsSoFar, budget: int, most: int) -> Counts:
    """The totals of as many labels, known ones included, as a budget of new ones pays for.

    `totals` shares a number of labels out among the strata; more than `most` there are not.
    """
    labels = min(budget, most)
    found = totals(labels)
    while labels < most and (left := budget - so_far.new_label_cost(found)) > 0:
        labels = min(labels + left, most)
        more = totals(labels)
        if so_far.new_label_cost(more) > budget:
            # Whole numbers: a label more may take one from a stratum where it was free.
            break
        found = more
    return found
