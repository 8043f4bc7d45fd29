"""Panels with histories of their own, and weeks of labels from the designs that are frozen after them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.alarms.frozen_weeks import Weeks, freeze, history_of, limits_of, simulate
from benchmarks.alarms.losses import Loss, StillWorld, with_loss
from benchmarks.alarms.panel_years import AfterLoss, after_loss, false_pages
from benchmarks.alarms.rules import confidences_of, rules_of
from benchmarks.labels.kinds import FOUR, TEN, Kind
from benchmarks.labels.worlds import Flags, Items

ITEMS: Final = 100_000


@dataclass(frozen=True)
class Cell:
    """A panel and its labels a week; `loser` is the place of the classifier that loses.

    `screens`: its classifiers call so much that precision is about .2, and recall .96 and more.
    """

    kind: Kind
    labels: int
    loser: int
    screens: bool = False

    @property
    def name(self) -> str:
        """What `--cells` calls it."""
        return f"{'screen-' * self.screens}K{len(self.kind.classifiers)}/{self.labels}"


SCREEN: Final = replace(FOUR, name="K = 4, screening", precisions=(0.2, 0.2, 0.2))
CELLS: Final = (
    Cell(FOUR, 300, 1),
    Cell(FOUR, 900, 1),
    Cell(FOUR, 100, 1),
    Cell(FOUR, 30, 1),
    Cell(TEN, 300, 4),
    Cell(SCREEN, 300, 1, screens=True),
    Cell(SCREEN, 30, 1, screens=True),
)


class Sample:
    """A panel with a history of its own, and healthy weeks from the design that is frozen after it."""

    def __init__(self, cell: Cell, weeks: int, seed: int, number: int) -> None:
        self._cell, self._number = cell, weeks
        names = cell.kind.classifiers
        self.rng = np.random.default_rng([seed, cell.labels, len(names), number])
        self._items = StillWorld(cell.kind, 11 + number, ITEMS).week(1)
        self._history = history_of(names, self._items, cell.labels, self.rng)
        self._limits = limits_of(names, self._items)
        self.rules = rules_of(len(self._limits))
        self.healthy = self._weeks(self._items, weeks)

    @property
    def losers(self) -> Flags:
        """The streams of the classifier that loses."""
        loser = self._cell.kind.classifiers[self._cell.loser]
        return np.array([test.classifier == loser for test in self._limits])

    def false_pages(self, rule: str, years: float) -> tuple[int, float]:
        """Pages while every metric sits at its limit, and the panel-years that were looked at."""
        return false_pages(self.rules[rule], self.healthy, years, self.rng)

    def lost(self, what: Loss, points: float, weeks: int | None = None) -> Weeks:
        """Weeks after a loss."""
        items = with_loss(self._items, self._cell.loser, what, points, self.rng)
        return self._weeks(items, weeks or self._number)

    def after(self, rule: str, lost: Sequence[Weeks], runs: int) -> AfterLoss:
        """What comes of a loss under a rule."""
        return after_loss(self.rules[rule], self.healthy, lost, runs, self.rng)

    def _weeks(self, items: Items, weeks: int) -> Weeks:
        design = freeze(self._cell.kind.classifiers, items, self._cell.labels, self._history)
        return simulate(design, self._limits, weeks, confidences_of(len(self._limits)), self.rng)


def samples_of(cell: Cell, histories: int, weeks: int, seed: int) -> list[Sample]:
    """Several histories of a panel, with so many healthy weeks in all."""
    return [Sample(cell, weeks // histories, seed, number) for number in range(histories)]
