"""The size of a simple random sample that would be as precise."""

import numpy as np

from stratawatch.core.population import Floats


def effective_sample_size(
    value: Floats, variance: Floats, low: Floats, high: Floats, size: Floats, confidence: float
) -> Floats:
    """n_eff = theta (1 - theta) / V.

    Where that says nothing (theta is 0 or 1, or V is 0) it is read off the interval: n plain labels without an event
    bound a rare share by 1 - tail^(1/n), so n = log(tail) / log(1 - width). An exact value counts all its items.

    >>> float(effective_sample_size(*(np.array(x) for x in (0.8, 0.0016, 0.72, 0.88, 1000.0)), 0.95))
    100.0
    """
    width = high - low
    with np.errstate(all="ignore"):
        plain = np.round(value * (1 - value) / variance, 6)
        silent = np.log((1 - confidence) / 2) / np.log1p(-np.minimum(width, 1 - 1e-9))
    labels = np.where((plain > 0) & np.isfinite(plain), plain, silent)
    return np.where(width <= 0, size, np.minimum(labels, size))
