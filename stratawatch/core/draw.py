"""The draw: the items with the smallest permanent random numbers of every atom."""

from collections.abc import Sequence

import numpy as np

from stratawatch.core.population import Candidates
from stratawatch.errors import StratawatchError


def smallest(candidates: Candidates, totals: Sequence[int]) -> tuple[int, ...]:
    """Indices of the totals[a] candidates with the smallest digests of every atom a, by (atom, digest).

    An exact simple random draw without replacement; larger totals only add items.
    """
    order = sorted(range(len(candidates)), key=lambda i: (candidates.digests[i], candidates.items[i]))
    atoms = candidates.atoms[np.array(order, dtype=np.int64)] if order else candidates.atoms
    drawn: list[int] = []
    for atom, wanted in enumerate(totals):
        pool = np.flatnonzero(atoms == atom)
        if pool.size < wanted:
            raise StratawatchError(
                f"the pool of atom {atom} is exhausted",
                expected=f"{wanted} candidates",
                got=str(pool.size),
            )
        drawn += [order[i] for i in pool[:wanted].tolist()]
    return tuple(drawn)
