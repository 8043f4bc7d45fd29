"""Items that stay from week to week in a still world: yes and no, or called ones, may stay unequally long."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.alarms.losses import StillWorld
from benchmarks.labels.kinds import Kind
from benchmarks.labels.worlds import Floats, Integers, Items


@dataclass(frozen=True)
class Staying:
    """The share of a week's items that is there in the next one too, by truth; `called`: of called ones, others go."""

    no: float = 0.0
    yes: float = 0.0
    called: bool = False

    @property
    def name(self) -> str:
        """In words."""
        if not self.no and not self.yes:
            return "none stay"
        who = "called " if self.called else ""
        return f"{self.no:.0%} of {who}no and {self.yes:.0%} of {who}yes stay"

    def chances(self, items: Items) -> Floats:
        """By item, the chance to stay."""
        chances = np.where(items.truth, self.yes, self.no)
        return chances * items.calls.any(axis=1) if self.called else chances


NONE_STAY: Final = Staying()
"""Every week's items are new."""


class StayingItems:
    """The items of a still world, week by week.

    Who leaves is replaced by an item of the same truth that is called, or not, as the one before: however unequally
    items stay, all weeks are alike.
    """

    def __init__(self, kind: Kind, seed: int, items: int, staying: Staying) -> None:
        self._world, self._staying = StillWorld(kind, seed, items), staying
        self._rng = np.random.default_rng([seed, 5])
        self._items = self._world.week(1)
        self._week = 0

    def next_week(self) -> tuple[Items, Integers]:
        """The items of the next week, and the rows of those that are new."""
        self._week += 1
        if self._week > 1:
            new = np.flatnonzero(self._rng.random(len(self._items)) >= self._staying.chances(self._items))
            self._items = self._replaced(new, self._world.week(self._week))
            return self._items, new
        return self._items, np.arange(len(self._items))

    def _replaced(self, leaving: Integers, fresh: Items) -> Items:
        if len(leaving) == len(self._items):
            return fresh
        old, offered = _groups(self._items)[leaving], _groups(fresh)
        rows = np.empty(len(leaving), dtype=np.int64)
        for group in np.unique(old).tolist():
            places, among = np.flatnonzero(old == group), np.flatnonzero(offered == group)
            rows[places] = self._rng.choice(among, len(places), replace=len(places) > len(among))
        columns = (fresh.calls[rows], fresh.z[rows], fresh.truth[rows], fresh.posterior[rows])
        return self._items.replaced(leaving, Items(*columns))


def _groups(items: Items) -> Integers:
    return np.asarray(2 * items.truth + items.calls.any(axis=1), dtype=np.int64)
