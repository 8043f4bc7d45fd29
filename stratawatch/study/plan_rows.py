"""What a study expects before any label: how many labels where, how narrow the intervals, and a guess."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from stratawatch.core.anticipation import Rates
from stratawatch.core.cells import Cells
from stratawatch.core.design import Design
from stratawatch.core.estimation.metrics import REPORTED, metric_named
from stratawatch.core.estimation.metrics.metric import Called
from stratawatch.core.estimation.sides import Table
from stratawatch.core.forecast import half_widths
from stratawatch.core.foretelling import usable
from stratawatch.core.history import History
from stratawatch.core.planner import Planner
from stratawatch.core.results import Commission
from stratawatch.study.estimate_rows import margins_of
from stratawatch.study.tables import Rows

if TYPE_CHECKING:
    import pandas as pd


ExpectedState = Literal["held", "short", "no goal", "undefined"]


@dataclass(frozen=True)
class PlannedStratum:
    """Items that are drawn as one, and the labels that they are expected to get."""

    stratum: int
    patterns: tuple[str, ...]
    items: int
    labels: int


@dataclass(frozen=True)
class Expected:
    """A metric before any label. `guess` is what scores (or history) say of it: no label speaks for it."""

    classifier: str
    metric: str
    guess: float | None
    half_width: float | None
    margin: float | None
    state: ExpectedState


@dataclass(frozen=True)
class StudyPlan:
    """Labels by stratum and what they should buy. The second round puts right what the guess got wrong."""

    strata: Rows[PlannedStratum]
    expected: Rows[Expected]
    guessed_from: Literal["scores", "history"]

    @property
    def labels(self) -> int:
        """Labels of all rounds together, those that are known already included."""
        return sum(row.labels for row in self.strata)

    def to_frame(self) -> "pd.DataFrame":
        """The strata as a pandas frame; `expected.to_frame()` gives the rest."""
        return self.strata.to_frame()

    def __repr__(self) -> str:
        items = sum(row.items for row in self.strata)
        return "\n".join(
            [
                f"{self.labels:,} labels of {items:,} items",
                "",
                repr(self.strata),
                "",
                f"half-widths expected with them; guess: what {self.guessed_from} alone would say, checked by no label",
                "",
                repr(self.expected),
            ]
        )


def planned(design: Design, commission: Commission, history: History) -> StudyPlan:
    """The plan of a study in all, from scores or from history."""
    planner = Planner(design.cells, commission, history)
    totals, rates = planner.in_all(), planner.rates
    widths = half_widths(design.cells, rates, totals, commission.confidence)
    margins = margins_of(commission.goals, design.classifiers)
    expected = [
        _expected(classifier, metric, _guess(design.cells, rates, classifier, metric), widths, margins)
        for classifier in design.classifiers
        for metric in dict.fromkeys([*REPORTED, *(goal.metric for goal in commission.goals)])
    ]
    return StudyPlan(Rows(_strata(design, totals.tolist())), Rows(expected), "history" if usable(history) else "scores")


def _strata(design: Design, totals: Sequence[int]) -> list[PlannedStratum]:
    patterns: list[dict[str, None]] = [{} for _ in totals]
    for atom in design.atoms:
        patterns[atom.stratum][atom.pattern] = None
    sizes = design.cells.stratum_sizes.tolist()
    return [
        PlannedStratum(number, tuple(patterns[number]), int(size), labels)
        for number, (size, labels) in enumerate(zip(sizes, totals, strict=True))
    ]


def _expected(
    classifier: str,
    metric: str,
    guess: float | None,
    widths: dict[tuple[str, str], float],
    margins: dict[tuple[str, str], float],
) -> Expected:
    width, margin = widths.get((classifier, metric)), margins.get((classifier, metric))
    if guess is None or width is None:
        return Expected(classifier, metric, guess, None, margin, "undefined")
    state: ExpectedState = "no goal" if margin is None else "held" if width <= margin else "short"
    return Expected(classifier, metric, guess, width, margin, state)


def _guess(cells: Cells, rates: Rates, classifier: str, name: str) -> float | None:
    """The metric if the rates were true."""
    metric, column = metric_named(name), cells.classifiers.index(classifier)
    sides = (cells.positive[:, column] * cells.sizes, cells.negative[:, column] * cells.sizes)
    positive, negative = (float(side.sum()) for side in sides)
    found, missed = (float(side @ rates.plain) for side in sides)
    domain = metric.domain(Called(positive, negative, found + missed))
    if domain is not None and domain.size == 0:
        return None
    return float(metric.value(Table(*map(np.asarray, (positive, negative, found, missed)))))
