"""The interval of a share from its variance and the most that one label moves it: logit, or FF/MID at small counts."""

import numpy as np

from stratawatch.core.estimation.interval import logit_blend_by_events, logit_ends
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.estimation.side_intervals import share_interval
from stratawatch.core.population import Floats


def blended_ends(share: Floats, variance: Floats, heaviest: Floats, confidence: float) -> IntervalEnds:
    """Ends between those of FF/MID and the logit interval, by the number of effective events (see `interval`).

    >>> ends = blended_ends(np.array([0.8, 1.0]), np.array([0.0016, 0.0001]), np.array([0.01, 0.01]), 0.95)
    >>> ends.low.round(3).tolist(), ends.high.round(3).tolist()
    ([0.711, 0.95], [0.87, 1.0])
    """
    share = np.clip(share, 0, 1)
    small, large = share_interval(share, variance, heaviest, confidence), logit_ends(share, variance, confidence)
    part = logit_blend_by_events(share, variance)
    low, high = (part * wide + (1 - part) * few for wide, few in ((large.low, small.low), (large.high, small.high)))
    return IntervalEnds(np.minimum(low, share), np.maximum(high, share))
