"""How long sequences may be so that their labels stay within a budget."""

from collections.abc import Callable

from stratawatch.errors import StratawatchError


def longest_within(budget: int, most: int, labels: Callable[[int], int]) -> int:
    """The largest n <= most whose `labels(n)` are within the budget; labels depend on draws only, never on answers.

    Labels grow with n but for the luck of the draw, so halving finds about the largest and single steps make sure.

    >>> longest_within(100, 1068, lambda n: 3 * n)
    33
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if labels(middle) <= budget else (low, middle - 1)
    while low > 0 and labels(low) > budget:
        low -= 1
    if low == 0:
        raise StratawatchError("the budget does not buy one draw a classifier", got=f"{budget} labels")
    return low
