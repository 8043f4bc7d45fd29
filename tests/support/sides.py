"""Sides of a classifier made of counts."""

import numpy as np

from stratawatch.core.estimation.sides import SideEstimates


def sides(
    sizes=(1000.0, 10_000.0), labels=(50, 100), yes=(40, 2), unseen=(0, 0), variance=None, weights=(20.0, 100.0)
) -> SideEstimates:
    """Sides whose labels are plain draws: totals N yes/n, V = N^2 (1 - f) p (1 - p)/n."""
    n, k, size = (np.array(column, dtype=float) for column in (labels, yes, sizes))
    p = k / np.maximum(n, 1)
    plain = size * np.maximum(size - n, 0) * p * (1 - p) / np.maximum(n, 1) if variance is None else np.array(variance)
    form = np.array([plain[0], 0.0, plain[1]])
    w = np.where(n < size, np.array(weights), 0.0)
    return SideEstimates(
        size, size * p, n, k, w, np.array(unseen, dtype=float), form, form, np.zeros(2), np.array(w.max()), w
    )
