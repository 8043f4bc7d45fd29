"""A round's labels are thrown into the bins at random; a bin that has no items left passes them on."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def draw_round(chances: Floats, capacity: Counts | None, labels: int | Counts, rng: np.random.Generator) -> Counts:
    """n_k ~ Multinomial(labels; chances), along the last axis; `capacity` caps them (None: with replacement, no caps).

    What a cap cuts off is thrown again among the bins that have room, as if labels were thrown one by one. The sum is
    `labels`, or all the room that there is.

    >>> draw_round(np.array([9.0, 1.0]), np.array([3, 50]), 20, np.random.default_rng(0)).tolist()
    [3, 17]
    """
    if capacity is None:
        return rng.multinomial(labels, chances / chances.sum(axis=-1, keepdims=True))
    wanted = np.minimum(labels, capacity.sum(axis=-1))
    taken = np.zeros(chances.shape, dtype=np.int64)
    while np.any(left := wanted - taken.sum(axis=-1)):
        open_ = np.where(capacity > taken, chances, 0.0)
        # Where nothing is left to throw, all bins may be full: 0/0 would be no chances at all.
        shares = open_ / np.maximum(open_.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
        taken = np.minimum(taken + rng.multinomial(left, shares), capacity)
    return taken
