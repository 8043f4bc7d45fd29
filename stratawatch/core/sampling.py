"""The draw: the items with the smallest permanent random numbers of every stratum."""

from collections.abc import Sequence

import numpy as np

from stratawatch.core.population import Candidates, Counts
from stratawatch.errors import StratawatchError


def order_by_random_number(candidates: Candidates, strata: Counts) -> tuple[Counts, Counts]:
    """Rows of the candidates by (stratum, digest, item), and the stratum of each; `strata` is by atom."""
    of_row = strata[candidates.atoms]
    rows = sorted(range(len(candidates)), key=lambda i: (of_row[i], candidates.digests[i], candidates.items[i]))
    order = np.array(rows, dtype=np.int64)
    return order, of_row[order]


def take_smallest(order: Counts, strata: Counts, totals: Sequence[int]) -> tuple[int, ...]:
    """The totals[h] candidates with the smallest digests of every stratum h, by (stratum, digest).

    An exact simple random draw without replacement; larger totals only add items.
    """
    starts = np.searchsorted(strata, np.arange(len(totals) + 1))
    drawn: list[int] = []
    for stratum, total in enumerate(totals):
        pool = order[starts[stratum] : starts[stratum + 1]]
        if pool.size < total:
            raise StratawatchError(
                f"the pool of stratum {stratum} is exhausted",
                expected=f"at least {total} candidates",
                got=str(pool.size),
            )
        drawn += pool[:total].tolist()
    return tuple(drawn)
