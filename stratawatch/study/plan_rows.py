"""The plan of a study before any label: labels by stratum, expected half-widths, and a guess of every metric."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_of
from stratawatch.core.designs.frozen import FrozenDesign, method_warnings
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.model import has_enough_labels
from stratawatch.core.history.past_labels import History
from stratawatch.core.metrics import METRICS, REPORTED, SideTotals, metric_named
from stratawatch.core.plan import LOOKS_HARDER, Plan
from stratawatch.core.planning.expected_rates import ExpectedRates, prior_rates
from stratawatch.core.score_bins import centre
from stratawatch.core.stratification.stratum_atoms import StratumAtoms, atoms_by_stratum
from stratawatch.formatting import count_text
from stratawatch.study.estimate_rows import goal_margins
from stratawatch.study.result_table import ResultTable

if TYPE_CHECKING:
    import pandas as pd


ExpectedState = Literal["held", "short", "no goal", "undefined"]


@dataclass(frozen=True)
class PlannedStratum:
    """Items that are drawn as one, and the labels that they are expected to get.

    `patterns`, the largest first: a letter for each of the plan's `pattern_names` (1 yes, 0 no, - nothing).
    `mean_score` is that of the items with a score, `lowest` and `highest` the middles of their outer score bins; None
    without scores.
    """

    stratum: int
    patterns: tuple[str, ...]
    mean_score: float | None
    lowest: float | None
    highest: float | None
    items: int
    labels: int

    @property
    def in_words(self) -> str:
        """The row as a sentence."""
        named = f"{count_text(self.items, 'item')} with the patterns {', '.join(self.patterns)}"
        return f"of {named} {self.labels:,} get a label"


@dataclass(frozen=True)
class ExpectedMetric:
    """A metric before any label. `guess` is its value if the rates that scores or history predict were true.

    `half_width` is what the plan counts on; it may come out anywhere from `half_width_low` to `half_width_high`, which
    are None where the design tells no range.
    """

    classifier: str
    metric: str
    guess: float | None
    half_width: float | None
    half_width_low: float | None
    half_width_high: float | None
    margin: float | None
    state: ExpectedState

    @property
    def in_words(self) -> str:
        """The row as a sentence; empty where nothing is expected."""
        if self.half_width is None:
            return ""
        low, high = self.half_width_low, self.half_width_high
        name = f"the {metric_named(self.metric).title} of {self.classifier}"
        somewhere = "" if low is None or high is None else f", or anywhere from ±{low:.3f} to ±{high:.3f}"
        return f"{name} would be known to ±{self.half_width:.3f}{somewhere}"


@dataclass(frozen=True)
class StudyPlan:
    """Labels by stratum and what they are expected to give. A second round corrects what the guess got wrong.

    `pattern_names`: whose the letters of a pattern are, classifiers first, then auxiliary scores.

    >>> import pandas as pd
    >>> from stratawatch import Study
    >>> frame = pd.DataFrame({"id": range(1000), "score": [i / 1000 for i in range(1000)]})
    >>> frame["call"] = frame["score"] > 0.8
    >>> plan = Study(frame, item="id", classifiers={"lr": ("score", "call")}, budget=100).plan()
    >>> plan.labels, sum(row.items for row in plan.strata), plan.guessed_from
    (100, 1000, 'scores')
    """

    strata: ResultTable[PlannedStratum]
    expected: ResultTable[ExpectedMetric]
    guessed_from: Literal["scores", "history"]
    pattern_names: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    known_labels: int = 0

    @property
    def labels(self) -> int:
        """Labels of all rounds together, those that are known already included."""
        return sum(row.labels for row in self.strata)

    @property
    def labels_new(self) -> int:
        """Those of them that people are expected to be asked for."""
        return self.labels - self.known_labels

    def to_frame(self) -> "pd.DataFrame":
        """The strata as a pandas frame; `expected.to_frame()` gives the rest."""
        return self.strata.to_frame()

    def __repr__(self) -> str:
        items, names = sum(row.items for row in self.strata), ", ".join(self.pattern_names)
        known = f", {self.known_labels:,} of them known already" if self.known_labels else ""
        return "\n".join(
            [
                f"{self.labels:,} labels of {items:,} items{known}",
                "",
                f"strata; a pattern is what {names} say, in this order (1 yes, 0 no, - nothing)",
                "",
                repr(self.strata),
                "",
                f"half-widths expected with them; guess: what {self.guessed_from} alone would say, checked by no label",
                "",
                repr(self.expected),
                *(f"\n{warning}" for warning in self.warnings),
            ]
        )


def study_plan(design: FrozenDesign, survey: SurveySpec, history: History, pattern_names: tuple[str, ...]) -> StudyPlan:
    """The plan of all rounds of a study, by scores or history; `pattern_names` own the letters of patterns."""
    plan = design_of(survey).plan_all_rounds(design.cells, survey, history, tuple(METRICS))
    rates = prior_rates(design.cells, history)
    margins = goal_margins(survey.goals, design.classifiers)
    expected = [
        _expected(classifier, metric, _guess(design.cells, rates, classifier, metric), plan, margins)
        for classifier in design.classifiers
        for metric in dict.fromkeys([*REPORTED, *(goal.metric for goal in survey.goals)])
    ]
    source: Literal["scores", "history"] = "history" if has_enough_labels(history) else "scores"
    strata = zip(atoms_by_stratum(design.atoms), plan.totals, strict=True)
    rows = [_stratum(number, stratum, labels) for number, (stratum, labels) in enumerate(strata)]
    warnings = (*method_warnings(survey), *([f"The plan {LOOKS_HARDER}."] if plan.looks_harder else []))
    return StudyPlan(ResultTable(rows), ResultTable(expected), source, pattern_names, warnings, plan.known_labels)


def _stratum(number: int, stratum: StratumAtoms, labels: int) -> PlannedStratum:
    scored = [atom for atom in stratum.atoms if atom.mean_score is not None]
    lowest = centre(min(max(atom.first_bin, 0) for atom in scored)) if scored else None
    highest = centre(max(atom.last_bin for atom in scored)) if scored else None
    return PlannedStratum(number, stratum.patterns, stratum.mean_score, lowest, highest, stratum.items, labels)


def _expected(
    classifier: str,
    metric: str,
    guess: float | None,
    plan: Plan,
    margins: Mapping[tuple[str, str], float],
) -> ExpectedMetric:
    key = classifier, metric
    width, margin, reach = plan.half_widths.get(key), margins.get(key), plan.ranges.get(key)
    if guess is None or width is None:
        return ExpectedMetric(classifier, metric, guess, None, None, None, margin, "undefined")
    state: ExpectedState = "no goal" if margin is None else "held" if width <= margin else "short"
    low, high = (None, None) if reach is None else (reach.low, reach.high)
    return ExpectedMetric(classifier, metric, guess, width, low, high, margin, state)


def _guess(cells: Cells, rates: ExpectedRates, classifier: str, name: str) -> float | None:
    """The metric if these rates were true."""
    metric, column = metric_named(name), cells.classifiers.index(classifier)
    sides = (cells.positive[:, column] * cells.sizes, cells.negative[:, column] * cells.sizes)
    positive, negative = (float(side.sum()) for side in sides)
    found, missed = (float(side @ rates.rate) for side in sides)
    domain = metric.denominator_size(positive, negative, found + missed)
    if domain is not None and domain.size == 0:
        return None
    return float(metric.value(SideTotals(*map(np.asarray, (positive, negative, found, missed)))))
