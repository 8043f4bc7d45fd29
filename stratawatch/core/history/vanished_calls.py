"""Calls that vanished from one period to the next: what they used to find may be missed now.

No label says so, and none is needed: how many items somebody calls is counted in every period. Where their part falls
suddenly there may be fewer positives, or as many that nobody calls; labels have to say which.
"""

from collections.abc import Iterable, Mapping
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.history.past_labels import History
from stratawatch.core.population import POSITIVE, UNSCORED
from stratawatch.core.tuning import BORROWED

_USUAL: Final = 0.9
"""The part of all other changes that is usual: where days differ from weekends, two of seven changes are large."""
_ENOUGH: Final = 5
"""From so many other changes on, they say what is usual."""
_LEFT: Final = 0.25
"""A fall of which less is left is over."""


def vanished_part(cells: Cells, history: History) -> float:
    """The part of all items that is not called any more since a sudden fall in the last periods; 0 without one.

    A fall is sudden where it is several times as large as what other changes from one period to the next usually are.
    As long as few of those are known, they are taken to be no smaller than chance makes them between two samples of so
    many items as this period has. A period that nobody counted has no changes.
    """
    parts = dict(history.called or {}) | {0: _called_now(cells)}
    falls = {age: parts[age + 1] - part for age, part in parts.items() if age + 1 in parts}
    by_chance = _usual_by_chance(parts[0], float(cells.sizes @ cells.has_call))
    found = [0.0]
    for age in range(BORROWED.wary_periods):
        fall, left = falls.get(age, 0.0), parts.get(age + 1, 0.0) - parts[0]
        others = [abs(change) for other, change in falls.items() if other != age]
        usual = float(np.quantile(others, _USUAL)) if others else 0.0
        if len(others) < _ENOUGH:
            usual = max(usual, by_chance)
        if fall > BORROWED.sudden_fall * usual and left > _LEFT * fall:
            found.append(max(fall, left))
    return max(found)


def called_part(items: Iterable[tuple[str, int]], classifiers: int) -> float | None:
    """The part of items that some classifier called, from patterns and their items; None where none was judged.

    >>> called_part([("1-", 30), ("00", 60), ("01", 10), ("--", 500)], classifiers=2)
    0.4
    """
    calls = [(set(pattern[:classifiers]), number) for pattern, number in items]
    judged = sum(number for letters, number in calls if letters != {UNSCORED})
    return sum(number for letters, number in calls if POSITIVE in letters) / judged if judged else None


def counted_parts(items: Mapping[int, Mapping[str, int]], classifiers: int) -> dict[int, float]:
    """The same for each of some periods; one of which nothing was judged is left out."""
    parts = {age: called_part(by_pattern.items(), classifiers) for age, by_pattern in items.items()}
    return {age: part for age, part in parts.items() if part is not None}


def _usual_by_chance(part: float, items: float) -> float:
    """What nine in ten changes of a part stay below that two samples of so many items differ by chance alone."""
    return NormalDist().inv_cdf((1 + _USUAL) / 2) * sqrt(2 * part * (1 - part) / max(items, 1.0))


def _called_now(cells: Cells) -> float:
    judged = cells.sizes * cells.has_call
    return float(judged @ cells.positive.any(axis=1)) / max(float(judged.sum()), 1.0)
