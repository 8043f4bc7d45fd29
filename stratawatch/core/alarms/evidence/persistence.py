"""How much of what a test looks at was in an earlier window's pool: evidence over windows needs items of their own."""

from collections.abc import Collection, Sequence

import numpy as np

from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.window_labels import is_inside
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.population import Floats


def persisting_shares(design: FrozenDesign, tests: Sequence[LimitTest], was_in_earlier_pool: Collection[str]) -> Floats:
    """By test, the larger of two shares of the pool that was in an earlier pool: by expected yes, and by expected no.

    Items are weighted by (N_h/pool_h) |alpha| m, and by (N_h/pool_h) |alpha| (1 - m): yes and no may stay unequally
    long, and what a test looks at is not to hide behind the rest of the population. 0 where the pool has nothing of it.
    """
    cells, candidates = design.cells, design.candidates
    home = candidates.atoms
    rates = cells.imputed_scores if cells.prior_rate is None else cells.prior_rate
    pools = np.bincount(cells.strata[home], minlength=cells.stratum_count)
    weights = (cells.stratum_sizes / np.maximum(pools, 1))[cells.strata[home]]
    stays = np.array([item in was_in_earlier_pool for item in candidates.items], dtype=np.bool_)
    shares = np.zeros(len(tests))
    for place, test in enumerate(tests):
        alpha = np.abs(linear_test(test, cells, design.atoms).alpha)[home]
        looked_at = weights * alpha * is_inside(candidates, test.segment)
        for expected in (looked_at * rates[home], looked_at * (1 - rates[home])):
            # Zeros instead of fewer addends: where everything stays the share is 1, whichever way a machine adds.
            everything = float(expected.sum())
            if everything > 0:
                shares[place] = max(shares[place], float(np.where(stays, expected, 0.0).sum()) / everything)
    return shares
