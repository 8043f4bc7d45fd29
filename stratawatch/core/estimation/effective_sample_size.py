"""The size of a simple random sample that would be as precise."""

from statistics import NormalDist

import numpy as np

from stratawatch.core.population import Floats


def effective_sample_size(
    value: Floats,
    variance: Floats,
    low: Floats,
    high: Floats,
    size: Floats,
    confidence: float,
    trust: Floats | float = 1.0,
) -> Floats:
    """n_eff = theta (1 - theta) / V, as far as the variance is trusted; else what the interval's length says.

    `trust` is the part of the interval that was made of V. Where few events were seen the rest was made for small
    counts: near 0 and 1 the quotient is then anything, and V may be 0. An exact value counts all its items.

    >>> sizes = [np.array(x) for x in ((0.8, 0.999), (0.0016, 0.0002), (0.72, 0.865), (0.88, 1.0), (1000.0, 1000.0))]
    >>> effective_sample_size(*sizes, 0.95, np.array([1.0, 0.0])).round(1).tolist()
    [100.0, 25.0]
    """
    width = high - low
    with np.errstate(all="ignore"):
        by_variance = np.round(value * (1 - value) / variance, 6)
        is_said = (by_variance > 0) & np.isfinite(by_variance)
        by_length = labels_as_narrow(value, width / 2, confidence)
        part = np.where(is_said, trust, 0.0)
        labels = np.where(is_said, by_variance, 1.0) ** part * by_length ** (1 - part)
    return np.where(width <= 0, size, np.minimum(labels, size))


def labels_as_narrow(value: Floats, half_width: Floats, confidence: float) -> Floats:
    """Labels drawn plainly at random whose Wilson interval of this value has this half-width.

    With u = 1/n it is z^2 (theta (1 - theta) u + z^2 u^2/4) = h^2 (1 + z^2 u)^2 (Wilson 1927, Journal of the American
    Statistical Association 22:209).

    >>> float(labels_as_narrow(np.array(0.8), np.array(0.0777), 0.95).round(1))
    100.1
    """
    squared = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    h2 = np.minimum(half_width, 0.499999) ** 2
    a, b = squared**2 * (0.25 - h2), squared * (value * (1 - value) - 2 * h2)
    return np.asarray((b + np.sqrt(b**2 + 4 * a * h2)) / (2 * h2), dtype=np.float64)
