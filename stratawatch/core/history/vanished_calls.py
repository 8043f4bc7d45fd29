"""Calls that vanished from one period to the next: what they used to find may be missed now.

No label says so, and none is needed: how many items somebody calls is known of every period. Where calls fall off
suddenly there may be fewer positives, or as many that nobody calls; labels have to say which.
"""

from itertools import pairwise

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.history.past_labels import History
from stratawatch.core.population import POSITIVE, UNSCORED
from stratawatch.core.tuning import BORROWED


def vanished_calls(cells: Cells, history: History) -> float:
    """The part of all items whose call vanished in the last periods, this one included; 0 where none fell suddenly.

    A fall is sudden where it is several times as large as changes before it usually were.
    """
    parts = [_called_now(cells), *_called_before(history)]
    falls = np.array([before - after for after, before in pairwise(parts)])
    return max((_if_sudden(falls[place:]) for place in range(min(len(falls), BORROWED.wary_periods))), default=0.0)


def _if_sudden(falls: np.ndarray) -> float:
    """The first of these falls, which are from the newest to the oldest."""
    usual = float(np.median(np.abs(falls[1:]))) if len(falls) > 1 else 0.0
    return max(float(falls[0]), 0.0) if falls[0] > BORROWED.sudden_fall * usual else 0.0


def _called_now(cells: Cells) -> float:
    judged = cells.sizes * cells.has_call
    return float(judged @ cells.positive.any(axis=1)) / max(float(judged.sum()), 1.0)


def _called_before(history: History) -> list[float]:
    """The part of each period's items that some classifier called, as its labels stand for them; the newest first."""
    calls = history.calls
    judged = history.weights * (calls != UNSCORED).any(axis=1)
    everything = np.bincount(history.ages, judged)
    called = np.bincount(history.ages, judged * (calls == POSITIVE).any(axis=1))
    return [float(some / every) for some, every in zip(called, everything, strict=True) if every > 0]
