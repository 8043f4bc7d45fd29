"""In how many rounds a budget is spent, and how much of it in the first."""

from math import ceil
from typing import Final

FIRST_SHARE: Final = 0.4
"""Share of the budget that the first round spends; the second is planned with its labels."""
ONE_ROUND_BELOW: Final = 40
"""Budgets too small to be split."""


def cumulative_labels(budget: int) -> tuple[int, ...]:
    """Labels after each round of a cycle.

    >>> cumulative_labels(900), cumulative_labels(39)
    ((360, 900), (39,))
    """
    if budget < ONE_ROUND_BELOW:
        return (budget,)
    return (ceil(FIRST_SHARE * budget), budget)
