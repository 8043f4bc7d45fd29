"""How many plainly drawn labels would know as much."""

from math import inf, log, log1p


def effective_labels(value: float, variance: float, low: float, high: float, size: float, confidence: float) -> float:
    """n_eff = theta (1 - theta) / V.

    Where that says nothing (theta is 0 or 1, or V is 0) it is read off the interval: n plain labels without an event
    bound a rare share by 1 - tail^(1/n), so n = log(tail) / log(1 - width). An exact value counts all its items.

    >>> effective_labels(0.8, 0.0016, 0.72, 0.88, 1000, 0.95)
    100.0
    """
    width = high - low
    if width <= 0:
        return size
    plain = value * (1 - value) / variance if variance > 0 else 0.0
    if 0 < plain < inf:
        return min(round(plain, 6), size)
    return min(log((1 - confidence) / 2) / log1p(-min(width, 1 - 1e-9)), size)
