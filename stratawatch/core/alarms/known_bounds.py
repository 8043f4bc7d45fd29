"""What truth that came by itself proves of a metric without any label: bounds by counting, and no statistics."""

from collections.abc import Mapping
from dataclasses import dataclass

from stratawatch.core.goals import Limit
from stratawatch.core.population import NEGATIVE, POSITIVE
from stratawatch.formatting import percent


@dataclass(frozen=True)
class KnownBound:
    """A metric is at least (or, with `is_most`, at most) `value`: `known` errors among the `items` that it is about."""

    metric: str
    value: float
    known: int
    items: int
    is_most: bool = False

    @property
    def text(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.is_most else 'at least'} {percent(self.value)}"

    def breaks(self, limit: Limit) -> bool:
        """Whether the metric lies beyond its limit for certain, if what is known is right."""
        if self.is_most:
            return limit.floor is not None and self.value < limit.floor
        return limit.ceiling is not None and self.value > limit.ceiling


def known_bound(
    metric: str, place: int, sizes: Mapping[str, int], yes: Mapping[str, int], no: Mapping[str, int]
) -> KnownBound | None:
    """The bound on a metric of the classifier at this place of the pattern; None for metrics that have none.

    All numbers are items by pattern: `sizes` of the population, `yes` and `no` those that became known. Known positives
    among what it calls negative are a floor of the false-omission rate, and known negatives among what it calls
    positive a cap on precision, however they were selected.

    >>> known_bound("false_omission_rate", 0, {"0": 200, "1": 50}, {"0": 5}, {}).value
    0.025
    >>> known_bound("precision", 0, {"0": 200, "1": 50}, {"0": 5}, {"1": 10}).value
    0.8
    """
    is_most = metric == "precision"
    if not is_most and metric != "false_omission_rate":
        return None
    letter, wrong = (POSITIVE, no) if is_most else (NEGATIVE, yes)
    items = sum(size for pattern, size in sizes.items() if pattern[place] == letter)
    if not items:
        return None
    known = min(sum(number for pattern, number in wrong.items() if pattern[place] == letter), items)
    share = known / items
    return KnownBound(metric, 1 - share if is_most else share, known, items, is_most)
