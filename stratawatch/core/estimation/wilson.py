"""Wilson's interval for a share."""

import numpy as np

from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.population import Floats


def wilson_interval(value: Floats, n: Floats, confidence: float) -> IntervalEnds:
    """(p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n); n need not be whole, but at least positive.

    Wilson 1927, Journal of the American Statistical Association 22:209.

    >>> [round(float(end), 4) for end in wilson_interval(np.array(0.8), np.array(100.0), 0.95)]
    [0.7112, 0.8666]
    """
    squared = normal_quantile(confidence) ** 2
    scale = 1 + squared / n
    middle = (value + squared / (2 * n)) / scale
    half = np.sqrt(squared * (value * (1 - value) / n + squared / (4 * n**2))) / scale
    # At 0 and 1 the end is exact; rounding would put it a hair beyond.
    low = np.where(value <= 0, 0.0, np.maximum(middle - half, 0.0))
    high = np.where(value >= 1, 1.0, np.minimum(middle + half, 1.0))
    return IntervalEnds(low, high)
