"""How much wider plans leave a metric than as many labels by size would."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.metrics import SideTotals, metric_named
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import WIDEST, half_widths_of_plans
from stratawatch.core.planning.goal_variances import RandomSampleGoal
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import PLANNER

_NEARLY: Final = 1.05
"""A classifier that no plan brings within its bound asks for one that is nearly as good to it as any, and no more."""


def goals_held_to_random(context: PlanningContext) -> tuple[RandomSampleGoal, ...]:
    """Goals that no plan may leave much wider than random labels would: none where there are earlier labels.

    These say where misses are.
    """
    if context.has_history:
        return ()
    return tuple(goal for goal in context.goals if isinstance(goal, RandomSampleGoal) and np.isfinite(goal.most))


def plans_within_ratios(
    context: PlanningContext, plans: Sequence[Counts], labels: int, widths: Mapping[str, Floats]
) -> Flags:
    """Which plans of so many new labels leave no classifier's metric wider than it may be beside random labels.

    `widths` are what the plans are expected to give, by metric: plans x classifiers.
    """
    excess = np.ones(len(plans))
    for goal in goals_held_to_random(context):
        ratios = ratios_to_random(context, goal, plans, labels, widths[goal.metric])
        bounds = np.maximum(goal.most, _NEARLY * ratios.min(axis=0))
        excess = np.maximum(excess, (ratios / bounds).max(axis=1))
    return np.asarray(excess <= excess.min())


def ratios_to_random(
    context: PlanningContext, goal: RandomSampleGoal, plans: Sequence[Counts], labels: int, widths: Floats
) -> Floats:
    """Half-widths of plans as parts of what as many labels by size would give: plans x classifiers.

    Expected rates say where mistakes are, and so how wide an interval will be. Where a random sample of the whole
    budget would find few mistakes, rates are a guess, and the mistakes may be anywhere: then the ratio is no less than
    the root of what unequal shares of labels multiply the variance by (Kish 1965), n sum of W_h^2/n_h, W_h a stratum's
    part of the metric's items. Between few and twice as many it moves from one to the other.
    """
    cells, metric = context.cells, metric_named(goal.metric)
    items = max(int(context.drawable.sum()), 1)
    by_size = labels * context.drawable / items
    random = half_widths_of_plans(context.expected, by_size[None], context.survey.confidence, [goal.metric])
    # Where all items are labelled there is no width.
    ratios = np.minimum(widths, WIDEST) / np.clip(random[goal.metric], 1e-12, WIDEST)
    for column in range(len(cells.classifiers)):
        calls = cells.positive[:, column], cells.negative[:, column]
        members = cells.by_stratum(cells.sizes * np.logical_or.reduce([calls[side] for side in metric.sides]))
        share = members.sum() / items
        mistakes = (
            goal.budget * share * float(metric.value(SideTotals.expected(*calls, cells.sizes, context.rates.rate)))
        )
        unplaced = np.clip(2 - mistakes / PLANNER.unplaced_mistakes, 0, 1)
        unequal = _of_unequal_shares(cells, members, np.stack(plans), labels * share)
        ratios[:, column] *= np.maximum(unequal / np.maximum(ratios[:, column], 1e-12), 1) ** unplaced
    return ratios


def _of_unequal_shares(cells: Cells, members: Floats, totals: Counts, labels: float) -> Floats:
    """The root of n sum of W_h^2/n_h; a stratum without a label counts as one with half a label."""
    on_members = np.maximum(totals, 0.5) * members / np.maximum(cells.stratum_sizes, 1)
    parts = members / max(float(members.sum()), 1.0)
    each = np.divide(parts**2, on_members, out=np.zeros(totals.shape), where=on_members > 0)
    return np.asarray(np.sqrt(labels * each.sum(axis=1)), dtype=np.float64)
