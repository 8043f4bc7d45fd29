"""Balanced half-samples: which of its two units every stratum gives to every replicate.

They are columns of Sylvester's Hadamard matrices, of order 2^b. Other orders exist and would need fewer replicates, 484
instead of 512 for 483 strata, but a replicate costs one product of a row with the labels, and none would save half.
"""

from functools import lru_cache

import numpy as np

from stratawatch.core.population import Counts


@lru_cache(maxsize=32)
def half_samples(strata: int) -> Counts:
    """The half (0 or 1) of every stratum that each replicate takes: k rows, L columns, k the least 2^b above L.

    Any two columns hold each of the four pairs equally often, so that in a sum over replicates the products of two
    strata cancel: the replicates are balanced. Every column holds both halves equally often, so that the mean of the
    replicates of a linear statistic is the statistic itself.

    >>> half_samples(3).tolist()
    [[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]]
    """
    from scipy.linalg import hadamard  # on use: it costs a tenth of a second at the command line

    signs = hadamard(1 << strata.bit_length(), dtype=np.int64)
    made = np.asarray((1 - signs[:, 1 : strata + 1]) // 2, dtype=np.int64)
    made.flags.writeable = False
    return made
