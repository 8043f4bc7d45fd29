"""The evidence of a baseline, which gives an interval at any confidence: pages and reports use different ones."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.mover import IntervalEnds, metric_interval
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.metrics import SideTotals, baseline_metric, metric_named
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class BaselineShare:
    """A share with the precision of `n` independent labels (`n` need not be whole); its interval is Wilson's."""

    value: float
    n: float

    def __post_init__(self) -> None:
        """Raise for numbers that are no share of labels."""
        if not (0 <= self.value <= 1 and self.n > 0):
            raise StratawatchError(
                "this is no share of labels", expected="0 <= value <= 1 and n > 0", got=f"{self.value} of {self.n}"
            )

    def interval_at(self, confidence: float) -> IntervalEstimate:
        """The share inside its interval.

        >>> found = BaselineShare(0.8, 100).interval_at(0.95)
        >>> round(found.low, 4), round(found.high, 4)
        (0.7112, 0.8666)
        """
        low, high = (float(end) for end in wilson_interval(np.asarray(self.value), np.asarray(self.n), confidence))
        return IntervalEstimate(
            self.value, min(low, self.value), max(high, self.value), self.n
        )  # rounding may be a hair beyond


@dataclass(frozen=True)
class TwoSampleBaseline:
    """The labels of two draws, one among the items called positive and one among the others.

    `called` is the precision, `passed` the false-omission rate; the sizes are the items that each draw was made from.
    """

    metric: str
    called: BaselineShare
    passed: BaselineShare
    called_size: float
    passed_size: float

    def __post_init__(self) -> None:
        """Raise for a metric that depends on one side only."""
        if len(baseline_metric(self.metric).sides) < 2:
            raise StratawatchError(
                f"'{self.metric}' is not of two sides", expected="one of recall, accuracy, specificity"
            )

    def interval_at(self, confidence: float) -> IntervalEstimate:
        """MOVER from the intervals of both shares; n_eff = m (1 - m)/V with V from the interval's length.

        >>> called, passed = BaselineShare(0.8, 100), BaselineShare(0.02, 400)
        >>> both = TwoSampleBaseline("recall", called, passed, called_size=1000, passed_size=9000)
        >>> found = both.interval_at(0.95)
        >>> [round(x, 4) for x in (found.value, found.low, found.high)]
        [0.8163, 0.6925, 0.8977]
        """
        metric = metric_named(self.metric)
        (tp, of_tp), (fn, of_fn) = (
            _total(share.interval_at(confidence), size)
            for share, size in ((self.called, self.called_size), (self.passed, self.passed_size))
        )
        totals = SideTotals(np.asarray(self.called_size), np.asarray(self.passed_size), tp, fn)
        value, ends = float(metric.value(totals)), metric_interval(metric, totals, of_tp, of_fn)
        low, high = min(max(float(ends.low), 0.0), value), max(min(float(ends.high), 1.0), value)
        length = (high - low) / (2 * normal_quantile(confidence))
        # Where the value is 0 or 1, value (1 - value) says nothing: the smaller of the draws does.
        n_eff = value * (1 - value) / length**2 if 0 < value < 1 else min(self.called.n, self.passed.n)
        return IntervalEstimate(value, low, high, n_eff)


def _total(share: IntervalEstimate, size: float) -> tuple[Floats, IntervalEnds]:
    """A share times a size, with the interval of that."""
    return np.asarray(share.value * size), IntervalEnds(np.asarray(share.low * size), np.asarray(share.high * size))
