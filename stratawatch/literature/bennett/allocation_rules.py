"""The paper's ways to allocate labels: how likely the next label is to be drawn from each bin."""

from collections.abc import Callable
from typing import Final

import numpy as np

from stratawatch.core.population import Counts, Floats

AllocationRule = Callable[[Counts, Floats], Floats]
"""(sizes N_k, shares p_k) -> relative chances, bins along the last axis."""


def uniform_chances(sizes: Counts, shares: Floats) -> Floats:
    """The same chance for every bin."""
    return np.ones(np.broadcast_shapes(sizes.shape, shares.shape))


def size_chances(sizes: Counts, shares: Floats) -> Floats:
    """Chances in proportion to N_k."""
    return np.asarray(np.broadcast_to(sizes, np.broadcast_shapes(sizes.shape, shares.shape)), dtype=np.float64)


def neyman_chances(sizes: Counts, shares: Floats) -> Floats:
    """Chances in proportion to N_k sigma_k, sigma^2 = p (1 - p): Neyman's allocation by the labels so far (Figure 1).

    >>> neyman_chances(np.array([100, 300]), np.array([0.5, 0.1])).round(6).tolist()
    [50.0, 90.0]
    """
    return np.asarray(sizes * np.sqrt(shares * (1 - shares)), dtype=np.float64)


ALLOCATION_RULES: Final[dict[str, AllocationRule]] = {
    "uni": uniform_chances,
    "pps": size_chances,
    "opt": neyman_chances,
}
