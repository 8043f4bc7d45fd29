"""Orthogonal arrays OA(n^b, L, n, 2): which of its n units every stratum gives to every replicate.

Of any two columns each of the n^2 pairs stands in equally many rows, so that in a sum over replicates the products of
two strata cancel: the replicates are balanced. Each symbol also stands equally often in every column: full balance,
and the mean of the replicates of a linear statistic is the statistic itself.

Two units: columns of a Hadamard matrix. A prime n: with x a generator of GF(n^b), the array has in row r and column h
the constant coefficient of x^(r + h), and a last row of zeros (Gurney and Jewett 1975, JASA 70:819). Two columns are
different linear forms as long as no power x^(h - h') is a constant, which is so for L <= (n^b - 1)/(n - 1). The bound
n^b - 1 that the paper prints holds for n = 2 only.

It is built here: SciPy has Sylvester's matrices and, inside its Latin hypercubes, arrays of n^2 rows, which is not
enough for 200 strata of three units; libraries that go further (galois, OApackage) bring a compiler with them. The
construction is two screens, and tests hold every array to what defines it.
"""

from functools import lru_cache, partial

import numpy as np
from scipy.linalg import hadamard

from benchmarks.papers.strat.galois import LARGEST, is_prime, powers
from benchmarks.papers.strat.replicates import ReplicationOptions
from stratawatch.core.estimation.replication.half_samples import half_samples
from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError


def replicates_needed(strata: int, units: int, *, full: bool = True) -> int:
    """The least k = n^b with L <= (n^b - 1)/(n - 1); balanced but not fully, n = 2 does with L <= 2^b.

    >>> replicates_needed(483, 2), replicates_needed(256, 3), replicates_needed(200, 3), replicates_needed(7, 2)
    (512, 729, 729, 8)
    """
    return int(units ** _exponent(strata, units, full=full))


@lru_cache(maxsize=32)
def orthogonal_array(strata: int, units: int, *, full: bool = True) -> Counts:
    """The number (0 to n - 1) of the unit that each replicate takes from each stratum: k rows, L columns.

    `full` False adds the column that is all ones to a Hadamard matrix: one stratum more, whose first unit is in every
    replicate. The variance of a linear statistic stays exact, the mean of the replicates does not. For n > 2 there is
    no such column: the squares of a unit's deviations differ from unit to unit.

    >>> orthogonal_array(3, 2).tolist()
    [[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]]
    """
    b = _exponent(strata, units, full=full)
    if units == 2:
        made = half_samples(strata).copy() if full else (1 - hadamard(1 << b)[:, :strata]) // 2
    else:
        constants = powers(units, b)[:, 0]
        turns = (np.arange(len(constants))[:, None] + np.arange(strata)) % len(constants)
        made = np.vstack([constants[turns], np.zeros((1, strata), dtype=np.int64)])
    made.flags.writeable = False
    return made


def prime_units(units: int, fay: float = 0.0, *, full: bool = True, split: bool = False) -> ReplicationOptions:
    """Options for a prime number of units a stratum; refuses what no array balances."""
    orthogonal_array(1, units, full=full)
    return ReplicationOptions(units, fay, split, partial(orthogonal_array, units=units, full=full))


def _exponent(strata: int, units: int, *, full: bool) -> int:
    _refuse(strata, units, full=full)
    b = 1
    while _columns(units, b, full=full) < strata:
        b += 1
    if units**b > LARGEST:
        raise StratawatchError(
            f"{strata:,} strata of {units} units need {units**b:,} replicates",
            expected=f"at most {LARGEST:,}",
            hint="form fewer units in each stratum",
        )
    return b


def _columns(units: int, b: int, *, full: bool) -> int:
    return int((units**b - 1) // (units - 1)) + (not full)


def _refuse(strata: int, units: int, *, full: bool) -> None:
    if not is_prime(units):
        raise StratawatchError(
            f"{units} units in a stratum cannot be balanced",
            expected="a prime number of them, such as 2, 3, 5 or 7",
            hint="form random groups of labels, a prime number in each stratum",
        )
    if strata < 1:
        raise StratawatchError("no stratum can be replicated", expected="one at least", got=str(strata))
    if units != 2 and not full:
        raise StratawatchError(
            f"an array for {units} units is fully balanced or not balanced at all", hint="leave full as it is"
        )
