"""How long sequences may be so that their labels stay within a budget."""

from collections.abc import Callable

from stratawatch.errors import PlanImpossible


def longest_affordable(budget: int, most: int, labels: Callable[[int], int]) -> int:
    """A length n <= most whose `labels(n)` are within the budget, and those of n + 1 are not; found by halving.

    Labels grow with n but for the luck of the draw, so it is about the largest. They depend on draws only, never on
    answers: choosing n by them biases nothing.

    >>> longest_affordable(100, 1068, lambda n: 3 * n)
    33
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if labels(middle) <= budget else (low, middle - 1)
    if low == 0:
        raise PlanImpossible("the budget does not buy one draw a classifier", got=f"{budget} labels")
    return low
