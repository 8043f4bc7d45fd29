"""What a baseline rests on: enough to make its interval at any confidence, as pages ask for other ones than reports."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.estimate import Known
from stratawatch.core.estimation.interval import z
from stratawatch.core.estimation.mover import Ends, difference_interval, ratio_interval
from stratawatch.core.estimation.wilson import wilson
from stratawatch.errors import StratawatchError

MIXED: Final = {"recall": "MOVER-R", "accuracy": "MOVER"}
"""The metrics that mix both sides, so that labels drawn apart need the sides' sizes; how they get an interval."""


@dataclass(frozen=True)
class Share:
    """A share that is known as well as from `n` independent labels (`n` need not be whole); Wilson's interval."""

    value: float
    n: float

    def __post_init__(self) -> None:
        """Check that it is one."""
        if not (0 <= self.value <= 1 and self.n > 0):
            raise StratawatchError(
                "this is no share of labels", expected="0 <= value <= 1 and n > 0", got=f"{self.value} of {self.n}"
            )

    def known(self, confidence: float) -> Known:
        """The share inside its interval.

        >>> found = Share(0.8, 100).known(0.95)
        >>> round(found.low, 4), round(found.high, 4)
        (0.7112, 0.8666)
        """
        low, high = (float(end) for end in wilson(np.asarray(self.value), np.asarray(self.n), confidence))
        return Known(self.value, min(low, self.value), max(high, self.value), self.n)  # rounding may be a hair beyond


@dataclass(frozen=True)
class TwoSides:
    """The labels of two draws, one among the items called positive and one among the others.

    `called` is the precision, `passed` the false-omission rate; the sizes are the items that each draw was made from.
    """

    metric: str
    called: Share
    passed: Share
    called_size: float
    passed_size: float

    def __post_init__(self) -> None:
        """Check that both sides have a part in the metric."""
        if self.metric not in MIXED:
            raise StratawatchError(f"'{self.metric}' is not of two sides", expected=f"one of {', '.join(MIXED)}")

    def known(self, confidence: float) -> Known:
        """Recall by MOVER-R, accuracy by MOVER for a sum; n_eff = m (1 - m)/V with V from the interval's length.

        >>> both = TwoSides("recall", Share(0.8, 100), Share(0.02, 400), called_size=1000, passed_size=9000)
        >>> found = both.known(0.95)
        >>> [round(x, 4) for x in (found.value, found.low, found.high)]
        [0.8163, 0.6925, 0.8977]
        """
        value, ends = _recall(self, confidence) if self.metric == "recall" else _accuracy(self, confidence)
        low, high = min(max(float(ends.low), 0.0), value), max(min(float(ends.high), 1.0), value)
        length = (high - low) / (2 * z(confidence))
        # Where the value is 0 or 1, value (1 - value) says nothing: the smaller of the draws does.
        n_eff = value * (1 - value) / length**2 if 0 < value < 1 else min(self.called.n, self.passed.n)
        return Known(value, low, high, n_eff)


def _totals(both: TwoSides, confidence: float) -> tuple[float, float, Ends, Ends]:
    """TP, FN and the ends of either."""
    called, passed = both.called.known(confidence), both.passed.known(confidence)
    of_tp = Ends(np.asarray(called.low * both.called_size), np.asarray(called.high * both.called_size))
    of_fn = Ends(np.asarray(passed.low * both.passed_size), np.asarray(passed.high * both.passed_size))
    return called.value * both.called_size, passed.value * both.passed_size, of_tp, of_fn


def _recall(both: TwoSides, confidence: float) -> tuple[float, Ends]:
    tp, fn, of_tp, of_fn = _totals(both, confidence)
    return tp / (tp + fn), ratio_interval(np.asarray(tp), np.asarray(fn), of_tp, of_fn)


def _accuracy(both: TwoSides, confidence: float) -> tuple[float, Ends]:
    """(TP + |B| - FN)/N: a difference of two totals, moved and scaled."""
    tp, fn, of_tp, of_fn = _totals(both, confidence)
    everything = both.called_size + both.passed_size
    ends = difference_interval(np.asarray(tp), np.asarray(fn), of_tp, of_fn, 0.0)
    return (tp + both.passed_size - fn) / everything, Ends(*((end + both.passed_size) / everything for end in ends))
