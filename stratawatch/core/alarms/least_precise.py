"""Whether one window knows its metric well enough to page by itself."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Floats

LEAST_LABELS: Final = 5.0
"""One or two labels of large strata decide below, and the interval's far tail misses the value four times as often as
it says (`python -m benchmarks.alarms --cells screen-K4/30`). Evidence over windows is exact there too.
"""


def is_precise_enough(page: IntervalEstimate, limit: float, confidence: float) -> bool:
    """Whether a page's interval of this confidence is as narrow as `LEAST_LABELS` random labels would make it.

    >>> [is_precise_enough(*found, 0.998) for found in ((IntervalEstimate(0.0, 0.0, 0.3, 1), 0.8),
    ...     (IntervalEstimate(0.82, 0.1, 0.95, 4), 0.96))]
    [True, False]
    """
    value, low, high, end = (np.array(x) for x in (page.value, page.low, page.high, limit))
    return bool(are_precise_enough(value, low, high, end, confidence))


def are_precise_enough(value: Floats, low: Floats, high: Floats, limit: Floats, confidence: float) -> NDArray[np.bool_]:
    """`is_precise_enough` of many intervals.

    Labels vary as much as a share does that lies where they vary most between the value and the limit: if the limit is
    kept, the metric lies at it and not at the value; and a value of 0 has no variance that says how well it is known.
    """
    nearest_to_half = np.clip(0.5, np.minimum(value, limit), np.maximum(value, limit))
    arm = np.maximum(high - value, value - low)
    spread = nearest_to_half * (1 - nearest_to_half)
    return np.asarray(LEAST_LABELS * (arm / normal_quantile(confidence)) ** 2 <= spread)
