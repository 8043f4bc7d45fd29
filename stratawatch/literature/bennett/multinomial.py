"""A round's labels are thrown into the bins at random; a bin that has no items left passes them on."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def thrown(chances: Floats, room: Counts | None, labels: int | Counts, rng: np.random.Generator) -> Counts:
    """n_k ~ Multinomial(labels; chances), along the last axis; `room` caps them (None: with replacement, no caps).

    What a cap cuts off is thrown again among the bins that have room, as if labels were thrown one by one. The sum is
    `labels`, or all the room that there is.

    >>> thrown(np.array([9.0, 1.0]), np.array([3, 50]), 20, np.random.default_rng(0)).tolist()
    [3, 17]
    """
    if room is None:
        return rng.multinomial(labels, chances / chances.sum(axis=-1, keepdims=True))
    wanted = np.minimum(labels, room.sum(axis=-1))
    taken = np.zeros(chances.shape, dtype=np.int64)
    while np.any(left := wanted - taken.sum(axis=-1)):
        open_ = np.where(room > taken, chances, 0.0)
        # Where nothing is left to throw, all bins may be full: 0/0 would be no chances at all.
        shares = open_ / np.maximum(open_.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
        taken = np.minimum(taken + rng.multinomial(left, shares), room)
    return taken
