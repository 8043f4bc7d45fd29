"""The variance and the interval that balanced replicates give any smooth statistic of weighted totals.

v = 1/(k (n - 1)) sum_alpha (theta_alpha - theta)^2 (STRAT eq. 10 and 18; with Fay's factor divided by (1 - fay)^2), and
theta +- t sqrt(v), t Student's quantile with as many degrees of freedom as there are strata. For a linear statistic of
balanced replicates v is the textbook variance of a stratified sample.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.effective_sample_size import effective_sample_size
from stratawatch.core.estimation.replication.replicates import Replicates
from stratawatch.core.population import Floats

ROUNDING: Final = 1e-24
"""A variance below this part of the squared value is rounding: whatever it was made of agrees."""


@dataclass(frozen=True)
class ReplicatedEstimate:
    """An estimate, its variance v, and the degrees of freedom of the t that belongs to it.

    `size` are the items that it is a share of, as far as one can say.
    """

    value: float
    variance: float
    degrees: float
    size: float = np.inf

    def ends(self, confidence: float) -> tuple[float, float]:
        """The symmetric t interval, as the method has it: it may leave [0, 1].

        >>> tuple(round(end, 3) for end in ReplicatedEstimate(0.8, 0.0004, 10).ends(0.95))
        (0.755, 0.845)
        """
        half = t_quantile(self.degrees, confidence) * self.variance**0.5
        return self.value - half, self.value + half

    def share(self, confidence: float) -> IntervalEstimate:
        """The estimate as a metric between 0 and 1, its interval cut off there."""
        value, low, high = (min(max(end, 0.0), 1.0) for end in (self.value, *self.ends(confidence)))
        theta, v, least, most, size = np.array([value, self.variance, low, high, self.size])
        return IntervalEstimate(value, low, high, float(effective_sample_size(theta, v, least, most, size, confidence)))


def t_quantile(degrees: float, confidence: float) -> float:
    """The two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def replicated_estimate(
    made: Replicates, value: float, parts: Floats, size: float = np.inf
) -> ReplicatedEstimate | Undefined:
    """The estimate of any statistic, from its value and its values in the replicates.

    A weighted median, a rank or a fitted model will do.
    """
    if made.strata == 0:
        return ReplicatedEstimate(value, 0.0, np.inf, size)
    variance = float(((parts - value) ** 2).sum()) * made.scale
    if variance <= ROUNDING * value**2:
        return Undefined("all replicates agree: labels without any variation say nothing about their error")
    return ReplicatedEstimate(value, variance, made.strata, size)
