"""Allocate labels to strata: a budget where it buys most, or as many as the goals need."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.planning.bethel import integer_solution, minimise_labels
from stratawatch.core.planning.goal_variances import GoalVariances
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import PLANNER

ALLOCATION: Final = "sum_of_squares"
"""What plans call the allocation that spends a budget."""


@dataclass(frozen=True)
class AllocationBounds:
    """What an allocation may not leave: labels that are drawn already, and the items that there are."""

    lower: Counts
    upper: Counts


@dataclass(frozen=True)
class Floors:
    """The least labels of a stratum in a plan for margins, and the part of all labels that goes to strata by size."""

    labels: int = PLANNER.min_labels_for_margins
    proportional: float = 0.0


def min_proportional_share(labels: int) -> float:
    """A stratum's least part of its proportional share: .4 up to 200 labels, .2 from 1000, log-linear between.

    >>> min_proportional_share(100), round(min_proportional_share(447), 2), min_proportional_share(5000)
    (0.4, 0.3, 0.2)
    """
    (few, most), (many, least) = PLANNER.small_budget, PLANNER.large_budget
    steps = np.log(np.clip(labels, few, many) / few) / np.log(many / few)
    return float(most - (most - least) * steps)


def neyman_multipurpose(needs: Floats) -> Floats:
    """n_h proportional to sqrt(sum_j lambda_j A_jh), A_jh = N_h^2 times the variance of g_j x label.

    Minimises sum_j (half-width_j / margin_j)^2 = sum_j lambda_j sum_h A_jh / n_h for a fixed number of labels (Neyman
    1934 for one goal). The worst goal alone would take every label into one hopeless metric.

    >>> neyman_multipurpose(np.array([4.0, 1.0])).tolist()
    [2.0, 1.0]
    """
    return np.asarray(np.sqrt(needs), dtype=np.float64)


def strata_with_calls(cells: Cells) -> Flags:
    """Strata that hold items which some classifier called positive or negative."""
    return np.asarray(cells.by_stratum(cells.has_call.astype(np.float64)) > 0)


def drawable_items(cells: Cells) -> Counts:
    """The items that may be drawn: all of a stratum with calls, none of the others."""
    return np.where(strata_with_calls(cells), cells.stratum_sizes, 0).astype(np.int64)


def allocate_budget(
    cells: Cells, variances: GoalVariances, labels: int, bounds: AllocationBounds, floor: float | None = None
) -> Counts:
    """The labels of each stratum for the goals, never below what is drawn, nor below a `floor` (None: the usual)."""
    weights = neyman_multipurpose((1 / variances.margins**2) @ variances.coefficients)
    weights = np.where(strata_with_calls(cells), weights, 0.0)
    share = min_proportional_share(labels) if floor is None else floor
    return clip_and_round(weights, _floors(cells, share, labels, bounds, weights > 0), bounds.upper, labels)


def second_round_allocation(
    cells: Cells, variances: GoalVariances, labels: int, bounds: AllocationBounds, floor: float | None = None
) -> Counts:
    """.8 of the plan by updated rates, .2 of the first round's allocation scaled up."""
    planned = allocate_budget(cells, variances, labels, bounds, floor).astype(np.float64)
    scaled = clip_and_round(bounds.lower.astype(np.float64), bounds.lower, bounds.upper, labels).astype(np.float64)
    # The first labels decide where further ones go, and are then part of the estimate: a stratum whose few labels
    # were all negative by chance would get no more, and stay underestimated. The mix keeps labels coming to it.
    mixed = (1 - PLANNER.first_round_kept) * planned + PLANNER.first_round_kept * scaled
    floors = np.maximum(bounds.lower, np.minimum(_least(cells, PLANNER.min_labels), bounds.upper))
    return clip_and_round(mixed, _affordable(floors, bounds, labels, mixed), bounds.upper, labels)


def allocate_for_margins(
    cells: Cells,
    variances: Floats,
    limits: Floats,
    bounds: AllocationBounds,
    least: Floors,
    costs: Floats | None = None,
) -> Counts:
    """The cheapest labels with V_j = sum_h A_jh (1/n_h - 1/N_h) <= limit_j for every goal; else all items.

    The floors hold in every stratum: a model can be wrong anywhere.
    """
    sizes, caps = cells.stratum_sizes, bounds.upper.astype(np.float64)
    floors = np.maximum(bounds.lower, np.minimum(_least(cells, least.labels), bounds.upper))
    solution = minimise_labels(variances, limits, sizes, floors.astype(np.float64), costs, caps=caps)
    if not solution.feasible:
        return bounds.upper
    if least.proportional > 0:
        # Raising the floors of a solved plan and solving again moves labels rather than adding them: strata above
        # their new floors give back what the limits do not need any more.
        even = np.floor(least.proportional * solution.n.sum() * caps / max(float(caps.sum()), 1.0)).astype(np.int64)
        floors = np.minimum(np.maximum(floors, even), bounds.upper)
        solution = minimise_labels(variances, limits, sizes, floors.astype(np.float64), costs, caps=caps)
    return integer_solution(solution, variances, limits, sizes, floors, bounds.upper, costs)


def _floors(cells: Cells, floor: float, labels: int, bounds: AllocationBounds, needed: Flags) -> Counts:
    """A share of the labels by size, among strata that some goal needs; the least everywhere else."""
    items = np.where(needed, drawable_items(cells), 0).astype(np.float64)
    proportional = np.floor(floor * labels * items / max(float(items.sum()), 1.0)).astype(np.int64)
    least = _least(cells, PLANNER.min_labels)
    floors = np.maximum(bounds.lower, np.minimum(np.maximum(least, proportional), bounds.upper))
    if floors.sum() > labels:
        # Small strata have more than their share: by size goes what these leave.
        left = max(labels - int(np.minimum(least, bounds.upper).sum()), 0)
        proportional = np.floor(floor * left * items / max(float(items.sum()), 1.0)).astype(np.int64)
        floors = np.maximum(bounds.lower, np.minimum(least + proportional, bounds.upper))
    if floors.sum() > labels:
        floors = np.maximum(bounds.lower, np.minimum(least, bounds.upper))
    return _affordable(floors, bounds, labels, items)


def _least(cells: Cells, least: int) -> Counts:
    return np.minimum(least, drawable_items(cells))


def _affordable(floors: Counts, bounds: AllocationBounds, labels: int, order: Floats) -> Counts:
    """Floors that the labels cannot pay for come down to one each, then to none for the least weighty."""
    if floors.sum() <= labels:
        return floors
    ones = np.maximum(bounds.lower, np.minimum(floors, 1))
    missing = int(ones.sum()) - labels
    if missing > 0:
        free = np.flatnonzero(ones > bounds.lower)
        ones[free[np.argsort(order[free], kind="stable")][:missing]] -= 1
    return ones
