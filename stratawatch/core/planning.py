"""Allocate labels to cells: floors, caps and the two phases of a cycle without history."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.allocations import ALLOCATIONS
from stratawatch.core.allocations.whole_numbers import share_out
from stratawatch.core.anticipation import Rates, importance
from stratawatch.core.cells import Cells
from stratawatch.core.population import Counts, Floats
from stratawatch.core.results import Goal

ALLOCATION: Final = "sum_of_squares"
LEAST: Final = 2
"""Labels of an atom, if it has as many items: one label has no variance."""
_KEPT_PROPORTIONAL: Final = 0.2


@dataclass(frozen=True)
class Room:
    """What an allocation may not leave: labels that are drawn already, and the items that there are."""

    drawn: Counts
    caps: Counts


def floor_share(labels: int) -> float:
    """eps: every atom gets this part of its proportional share; .4 up to 200 labels, .2 from 1000, log-linear between.

    >>> floor_share(100), round(floor_share(447), 2), floor_share(5000)
    (0.4, 0.3, 0.2)
    """
    steps = np.log(np.clip(labels, 200, 1000) / 200) / np.log(5)
    return float(0.4 - 0.2 * steps)


def allocate(cells: Cells, goals: Sequence[Goal], rates: Rates, labels: int, room: Room) -> Counts:
    """The labels of each cell for the goals, never below what is drawn."""
    weights = ALLOCATIONS[ALLOCATION](cells.sizes, rates.floored, importance(cells, goals, rates))
    weights = np.where(cells.served, weights, 0.0)
    return share_out(weights, _floors(cells, labels, room), room.caps, labels)


def second_phase(cells: Cells, goals: Sequence[Goal], rates: Rates, labels: int, room: Room) -> Counts:
    """.8 of the updated plan, .2 of the first phase scaled up: no cell is left to the first labels' chance."""
    planned = allocate(cells, goals, rates, labels, room).astype(np.float64)
    scaled = share_out(room.drawn.astype(np.float64), room.drawn, room.caps, labels).astype(np.float64)
    mixed = (1 - _KEPT_PROPORTIONAL) * planned + _KEPT_PROPORTIONAL * scaled
    floors = np.maximum(room.drawn, np.minimum(_least(cells), room.caps))
    return share_out(mixed, _affordable(floors, room, labels, mixed), room.caps, labels)


def _floors(cells: Cells, labels: int, room: Room) -> Counts:
    served = np.where(cells.served, cells.sizes, 0.0)
    proportional = np.floor(floor_share(labels) * labels * served / max(float(served.sum()), 1.0)).astype(np.int64)
    floors = np.maximum(room.drawn, np.minimum(np.maximum(_least(cells), proportional), room.caps))
    if floors.sum() > labels:
        floors = np.maximum(room.drawn, np.minimum(_least(cells), room.caps))
    return _affordable(floors, room, labels, served)


def _least(cells: Cells) -> Counts:
    return np.where(cells.served, np.minimum(LEAST, cells.sizes), 0).astype(np.int64)


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
