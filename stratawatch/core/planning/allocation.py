"""Allocate labels to strata: a budget where it buys most, or as many as the goals need."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.goals import Goal
from stratawatch.core.planning.bethel import solve, whole
from stratawatch.core.planning.expected_rates import Rates
from stratawatch.core.planning.goal_variances import wanted
from stratawatch.core.planning.integer_allocation import share_out
from stratawatch.core.population import Counts, Floats

ALLOCATION: Final = "sum_of_squares"
"""What plans call the allocation that spends a budget."""
LEAST: Final = 2
"""Labels of a stratum, if it has as many items: one label has no variance."""
LEAST_FOR_GOALS: Final = 4
"""The same where only the margins count, and no share of a budget holds every stratum up."""
HIGHER_FLOORS: Final = (0.6, 0.8)
"""Further floors that a plan may have, as shares of proportional ones; see `floor_share`."""
_KEPT_PROPORTIONAL: Final = 0.2


@dataclass(frozen=True)
class Room:
    """What an allocation may not leave: labels that are drawn already, and the items that there are."""

    drawn: Counts
    caps: Counts


def floor_share(labels: int) -> float:
    """eps: a stratum's least part of its proportional share: .4 up to 200 labels, .2 from 1000, log-linear between.

    >>> floor_share(100), round(floor_share(447), 2), floor_share(5000)
    (0.4, 0.3, 0.2)
    """
    steps = np.log(np.clip(labels, 200, 1000) / 200) / np.log(5)
    return float(0.4 - 0.2 * steps)


def neyman_multipurpose(needs: Floats) -> Floats:
    """n_h proportional to sqrt(sum_j lambda_j A_jh), A_jh = N_h^2 times the variance of g_j x label.

    Minimises sum_j (half-width_j / margin_j)^2 = sum_j lambda_j sum_h A_jh / n_h for a fixed number of labels (Neyman
    1934 for one goal). The worst goal alone would take every label into one hopeless metric.

    >>> neyman_multipurpose(np.array([4.0, 1.0])).tolist()
    [2.0, 1.0]
    """
    return np.asarray(np.sqrt(needs), dtype=np.float64)


def served_strata(cells: Cells) -> Flags:
    """Strata that hold items which some classifier judged."""
    return np.asarray(cells.by_stratum(cells.served.astype(np.float64)) > 0)


def whole_strata(cells: Cells) -> Counts:
    """The items that may be drawn: all of a served stratum, none of the others."""
    return np.where(served_strata(cells), cells.stratum_sizes, 0).astype(np.int64)


def allocate(
    cells: Cells, goals: Sequence[Goal], rates: Rates, labels: int, room: Room, floor: float | None = None
) -> Counts:
    """The labels of each stratum for the goals, never below what is drawn, nor below a `floor` (None: the usual)."""
    asked = wanted(cells, goals, rates)
    need = (1 / asked.margins**2) @ asked.needs
    weights = neyman_multipurpose(need)
    weights = np.where(served_strata(cells), weights, 0.0)
    share = floor_share(labels) if floor is None else floor
    return share_out(weights, _floors(cells, share, labels, room, weights > 0), room.caps, labels)


def second_phase(
    cells: Cells, goals: Sequence[Goal], rates: Rates, labels: int, room: Room, floor: float | None = None
) -> Counts:
    """.8 of the updated plan, .2 of the first phase scaled up: no stratum is left to the first labels' chance."""
    planned = allocate(cells, goals, rates, labels, room, floor).astype(np.float64)
    scaled = share_out(room.drawn.astype(np.float64), room.drawn, room.caps, labels).astype(np.float64)
    mixed = (1 - _KEPT_PROPORTIONAL) * planned + _KEPT_PROPORTIONAL * scaled
    floors = np.maximum(room.drawn, np.minimum(_least(cells, LEAST), room.caps))
    return share_out(mixed, _affordable(floors, room, labels, mixed), room.caps, labels)


def for_limits(
    cells: Cells,
    variances: Floats,
    limits: Floats,
    room: Room,
    proportional: float,
    costs: Floats | None = None,
) -> Counts:
    """The cheapest labels with V_j = sum_h A_jh (1/n_h - 1/N_h) <= limit_j for every goal; else all items.

    A `proportional` part of the labels goes to strata by size: a model can be wrong anywhere.
    """
    sizes, caps = cells.stratum_sizes, room.caps.astype(np.float64)
    floors = np.maximum(room.drawn, np.minimum(_least(cells, LEAST_FOR_GOALS), room.caps))
    solution = solve(variances, limits, sizes, floors.astype(np.float64), costs, caps=caps)
    if not solution.feasible:
        return room.caps
    if proportional > 0:
        even = np.floor(proportional * solution.n.sum() * caps / max(float(caps.sum()), 1.0)).astype(np.int64)
        floors = np.minimum(np.maximum(floors, even), room.caps)
        solution = solve(variances, limits, sizes, floors.astype(np.float64), costs, caps=caps)
    return whole(solution, variances, limits, sizes, floors, room.caps, costs)


def _floors(cells: Cells, floor: float, labels: int, room: Room, needed: Flags) -> Counts:
    """A share of the labels by size, among strata that some goal needs; the least everywhere else."""
    items = np.where(needed, whole_strata(cells), 0).astype(np.float64)
    proportional = np.floor(floor * labels * items / max(float(items.sum()), 1.0)).astype(np.int64)
    least = _least(cells, LEAST)
    floors = np.maximum(room.drawn, np.minimum(np.maximum(least, proportional), room.caps))
    if floors.sum() > labels:
        floors = np.maximum(room.drawn, np.minimum(least, room.caps))
    return _affordable(floors, room, labels, items)


def _least(cells: Cells, least: int) -> Counts:
    return np.minimum(least, whole_strata(cells))


def _affordable(floors: Counts, room: Room, labels: int, order: Floats) -> Counts:
    """Floors that the labels cannot pay for come down to one each, then to none for the least weighty."""
    if floors.sum() <= labels:
        return floors
    ones = np.maximum(room.drawn, np.minimum(floors, 1))
    missing = int(ones.sum()) - labels
    if missing > 0:
        free = np.flatnonzero(ones > room.drawn)
        ones[free[np.argsort(order[free], kind="stable")][:missing]] -= 1
    return ones
