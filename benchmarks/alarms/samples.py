"""Panels with histories of their own, and weeks of labels from the designs that are frozen after them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.alarms.frozen_weeks import (
    FrozenWeek,
    Weeks,
    freeze,
    history_of,
    limits_of,
    planned_week,
    simulate,
)
from benchmarks.alarms.losses import Loss, StillWorld, with_loss
from benchmarks.alarms.panel_years import MOST, WEEKS_A_YEAR, AfterLoss, after_loss, false_pages
from benchmarks.alarms.rules import confidences_of, rules_of
from benchmarks.labels.kinds import FOUR, TEN, Kind
from benchmarks.labels.worlds import Flags, Items
from stratawatch.core.alarms.evidence.e_detector import page_threshold
from stratawatch.core.alarms.evidence.time_to_page import PageRule, windows_to_page
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.goals import Focus
from stratawatch.core.tuning import EVIDENCE

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
    """A panel with a history of its own, and healthy weeks from the designs that are frozen after it.

    `follows`: among them those whose labels follow a stream.
    """

    def __init__(self, cell: Cell, weeks: int, seed: int, number: int, *, follows: bool = True) -> None:
        self._cell, self._number, self._follows = cell, weeks, follows
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

    def plan_says(self, what: Loss, points: float) -> float:
        """Weeks until it is paged, as `stratawatch plan` says before the loss."""
        loser, streams = self._cell.kind.classifiers[self._cell.loser], len(self._limits)
        test = next(one for one in self._limits if (one.classifier, one.metric) == (loser, what))
        alone = page_confidence(streams, WEEKS_A_YEAR, 1 - EVIDENCE.evidence_share)
        rule = PageRule(page_threshold(streams, WEEKS_A_YEAR, 1.0), normal_quantile(alone))
        planned = planned_week(self._design(self._items, None))
        return windows_to_page(planned, test, points, rule, np.random.default_rng(0)) or float(MOST)

    def _design(self, items: Items, focus: Focus | None) -> FrozenWeek:
        return freeze(self._cell.kind.classifiers, items, self._cell.labels, self._history, focus)

    def _weeks(self, items: Items, weeks: int) -> Weeks:
        """Weeks of the design that follows the goals, and a quarter as many of each whose labels follow a stream."""
        quarter, levels = weeks // 4, confidences_of(len(self._limits))
        plain = simulate(self._design(items, None), self._limits, 4 * quarter, levels, self.rng)
        if not self._follows:
            return plain
        focuses = (Focus(test.classifier, test.metric) for test in self._limits)
        designs = (self._design(items, focus) for focus in focuses)
        followed = (simulate(one, self._limits, quarter, levels, self.rng).repeated(4) for one in designs)
        return replace(plain, followed=tuple(followed))


def samples_of(cell: Cell, histories: int, weeks: int, seed: int) -> list[Sample]:
    """Several histories of a panel, with so many healthy weeks in all."""
    return [Sample(cell, weeks // histories, seed, number) for number in range(histories)]
