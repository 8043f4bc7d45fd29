"""Hadamard matrices of order 2^b, by Sylvester's doubling.

Other orders exist (Paley's, 428 by computer; of 668 nobody knows), and would need fewer replicates: 484 instead of 512
for 483 strata. They are left out: the paper asks for 2^b replicates, a replicate costs one product of a row with the
labels, and at most half of them could be saved. Doubling needs no field, no table and no search.
"""

from functools import lru_cache

import numpy as np

from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError

_LARGEST = 16


def hadamard_matrix(b: int) -> Counts:
    """H of order 2^b, entries 1 and -1, H'H = 2^b I; the first row and the first column are all 1.

    H_2n = [[H_n, H_n], [H_n, -H_n]], which is to say (-1)^(number of ones common to row and column, in binary).

    >>> hadamard_matrix(1).tolist()
    [[1, 1], [1, -1]]
    """
    if not 0 <= b <= _LARGEST:
        raise StratawatchError(f"a Hadamard matrix of order 2^{b} is not made", expected=f"2^0 to 2^{_LARGEST}")
    place = np.arange(1 << b)
    common = np.bitwise_count(place[:, None] & place[None, :]).astype(np.int64)
    return np.asarray(1 - 2 * (common & 1), dtype=np.int64)


@lru_cache(maxsize=32)
def half_samples(strata: int) -> Counts:
    """The half (0 or 1) of every stratum that each replicate takes: k rows, L columns, k the least 2^b above L.

    Any two columns hold each of the four pairs equally often, so that in a sum over replicates the products of two
    strata cancel: the replicates are balanced. Every column holds both halves equally often, so that the mean of the
    replicates of a linear statistic is the statistic itself.

    >>> half_samples(3).tolist()
    [[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]]
    """
    made = (1 - hadamard_matrix(strata.bit_length())[:, 1 : strata + 1]) // 2
    made.flags.writeable = False
    return made
