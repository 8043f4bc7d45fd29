"""How many calls of a classifier are wrong: counted calls times the share of them that is estimated to be wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.estimate import IntervalEstimate


@dataclass(frozen=True)
class WrongCalls:
    """The calls of one kind in a window, and the share of them that is wrong.

    >>> WrongCalls(2000, IntervalEstimate(0.1, 0.08, 0.13, 300)).number
    ValueInterval(value=200.0, low=160.0, high=260.0)
    """

    calls: float
    share: IntervalEstimate

    @property
    def number(self) -> ValueInterval:
        """How many are wrong."""
        return ValueInterval(*(self.calls * end for end in (self.share.value, self.share.low, self.share.high)))


def mean_number(windows: Sequence[WrongCalls], variance_factor: float = 1.0) -> ValueInterval:
    """How many are wrong in a window on average, over windows that share labels by a factor of the variance.

    >>> mean_number([WrongCalls(2000, IntervalEstimate(0.1, 0.085, 0.12, 300))] * 4)
    ValueInterval(value=200.0, low=185.0, high=220.0)
    """
    numbers = [one.number for one in windows]
    value = sum(one.value for one in numbers) / len(numbers)
    below = sqrt(variance_factor * sum((one.value - one.low) ** 2 for one in numbers)) / len(numbers)
    above = sqrt(variance_factor * sum((one.high - one.value) ** 2 for one in numbers)) / len(numbers)
    return ValueInterval(value, max(value - below, 0.0), value + above)


def more_than_before(
    since: Sequence[WrongCalls], before: Sequence[WrongCalls], variance_factor: float = 1.0
) -> ValueInterval:
    """How many more are wrong in all windows since a moment than in as many windows like those before it.

    A difference of independent means by MOVER (Zou and Donner 2008, Statistics in Medicine 27:1693), k times; labels
    that both share make it narrower than said here.

    >>> fallen, usual = (WrongCalls(1000, IntervalEstimate(p, p - 0.03, p + 0.03, 300)) for p in (0.3, 0.1))
    >>> found = more_than_before([fallen] * 4, [usual] * 4)
    >>> [round(end) for end in (found.value, found.low, found.high)]
    [800, 715, 885]
    """
    now, usual = mean_number(since, variance_factor), mean_number(before, variance_factor)
    value = now.value - usual.value
    below = sqrt((now.value - now.low) ** 2 + (usual.high - usual.value) ** 2)
    above = sqrt((now.high - now.value) ** 2 + (usual.value - usual.low) ** 2)
    return ValueInterval(*(len(since) * end for end in (value, value - below, value + above)))
