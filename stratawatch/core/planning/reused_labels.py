"""Plans that ask people about the fewest items where some candidates have labels already."""

from collections.abc import Callable

import numpy as np

from stratawatch.core.planning.labels_so_far import LabelCosts, LabelsSoFar
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import PLANNER


def cheapest_with_reuse(totals: Callable[[Floats | None], Counts], so_far: LabelsSoFar, caps: Counts) -> Counts:
    """The cheapest of several plans: `totals` makes one for the costs that a label has in each stratum (None: 1 each).

    A plan is followed by plans with the costs that one more label had in each stratum of the plan before: little as far
    as earlier draws reach, a whole label beyond.
    """
    plans = [totals(None)]
    if so_far.costs is None or so_far.costs.unlabelled.all():
        return plans[0]
    costs = _marginal_costs(so_far.costs, plans[0], caps)
    for _ in range(PLANNER.reuse_passes):
        plans.append(totals(costs))
        # The geometric mean with the costs before: a stratum must not jump from one side of the earlier draw's
        # end to the other and back with every pass.
        costs = np.sqrt(costs * _marginal_costs(so_far.costs, plans[-1], caps))
    return min(plans, key=so_far.new_label_cost)


def _marginal_costs(costs: LabelCosts, totals: Counts, caps: Counts) -> Floats:
    """What one more label costs in each stratum: the part of the items around a plan's last that have no label."""
    window = PLANNER.cost_window
    fewer = np.maximum(np.floor(totals * (1 - window)).astype(np.int64) - 1, 0)
    more = np.minimum(np.ceil(totals * (1 + window)).astype(np.int64) + 1, caps)
    share = (costs.unlabelled_in(more) - costs.unlabelled_in(fewer)) / np.maximum(more - fewer, 1)
    return np.where(more > fewer, np.maximum(share, PLANNER.min_label_cost), 1.0)
