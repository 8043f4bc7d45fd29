"""The random draw of a round: how many labels each bin gets."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def draw_bin_counts(chances: Floats, capacity: Counts | None, labels: int | Counts, rng: np.random.Generator) -> Counts:
    """n_k ~ Multinomial(labels; chances), along the last axis, up to each bin's `capacity` (None: no limit).

    Labels beyond a bin's capacity are drawn again among the bins that are not full, as if labels were drawn one by one.
    The sum is `labels`, or the whole capacity.

    >>> draw_bin_counts(np.array([9.0, 1.0]), np.array([3, 50]), 20, np.random.default_rng(0)).tolist()
    [3, 17]
    """
    if capacity is None:
        return rng.multinomial(labels, chances / chances.sum(axis=-1, keepdims=True))
    total = np.minimum(labels, capacity.sum(axis=-1))
    drawn = np.zeros(chances.shape, dtype=np.int64)
    while np.any(left := total - drawn.sum(axis=-1)):
        open_chances = np.where(capacity > drawn, chances, 0.0)
        # In runs where nothing is left to draw all bins may be full: dividing by 0 would give no chances at all.
        shares = open_chances / np.maximum(open_chances.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
        drawn = np.minimum(drawn + rng.multinomial(left, shares), capacity)
    return drawn
