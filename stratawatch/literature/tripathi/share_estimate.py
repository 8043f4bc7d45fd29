"""A share with its variance, and its interval."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.wilson import wilson_interval


@dataclass(frozen=True)
class ShareEstimate:
    """A share, its variance (above 0), and the size of a simple random sample with the same variance."""

    value: float
    variance: float
    n_eff: float

    def interval(self, confidence: float = 0.95) -> IntervalEstimate:
        """Wilson's interval with n_eff draws.

        >>> found = ShareEstimate(0.8, 0.0016, 100.0).interval()
        >>> round(found.low, 4), round(found.high, 4)
        (0.7112, 0.8666)
        """
        low, high = wilson_interval(np.asarray(self.value), np.asarray(self.n_eff), confidence)
        return IntervalEstimate(self.value, min(float(low), self.value), max(float(high), self.value), self.n_eff)


def smoothed_share(value: float, n: float) -> float:
    """The share with half a yes and half a no added to n draws, so that its variance is above 0."""
    return (value * n + 0.5) / (n + 1)
