"""Forecasts of half-widths for several budgets and goals that agree with one another."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_of
from stratawatch.core.designs.frozen import stratify_for_survey
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.plan import HalfWidthRange, Plan
from stratawatch.core.planning.allocation import AllocationBounds, drawable_items
from stratawatch.core.population import Census
from stratawatch.errors import PlanImpossible

_SMALLEST: Final = 20
# Numbers of labels that are tried grow by 7%: forecasts are not truer than that.
_STEP: Final = 1.07
# Floats that are equal but for the order of a sum.
_ROUNDING: Final = 1e-9

Widths = Mapping[tuple[str, str], float]
Ranges = Mapping[tuple[str, str], HalfWidthRange]


@dataclass(frozen=True)
class BudgetPoint:
    """What a budget buys: half-widths by (classifier, metric), and their ranges, as far as they can be told."""

    labels: int
    half_widths: Widths
    ranges: Ranges = field(default_factory=dict)


@dataclass(frozen=True)
class LabelsNeeded:
    """Labels that all goals need, and each of them alone."""

    together: int
    alone: tuple[int, ...]


@dataclass(frozen=True)
class _Bought:
    """A plan of all rounds, and the cells that it is about."""

    cells: Cells
    plan: Plan

    @property
    def point(self) -> BudgetPoint:
        """What it buys, for people."""
        return BudgetPoint(self.plan.labels_new, self.plan.half_widths, self.plan.ranges)

    def is_as_narrow_as(self, other: "_Bought") -> bool:
        """Whether no half-width, and no end of a range, is wider than the other's."""
        return all(
            key in self.widths and self.widths[key] <= width * (1 + _ROUNDING) for key, width in other.widths.items()
        )

    @cached_property
    def widths(self) -> Mapping[tuple[str, str, str], float]:
        """Half-widths as the plan counts on them, and the ends of their ranges."""
        found = {(*key, "expected"): width for key, width in self.plan.half_widths.items()}
        for key, one in self.plan.ranges.items():
            found |= {(*key, "low"): one.low, (*key, "high"): one.high}
        return found


class BudgetForecasts:
    """Forecasts for one census; strata are cut once for every number of labels that is asked about."""

    def __init__(self, census: Census, commission: SurveySpec, history: History) -> None:
        self._census, self._commission, self._history = census, commission, history
        self._cells = cache(self._cut)

    def stop(self, metrics: Sequence[str]) -> BudgetPoint:
        """What the panel's own cycle would ask in all its rounds; without a history, at least its pilot."""
        atoms = stratify_for_survey(self._census, self._commission, self._history)
        return self._bought(Cells.of_atoms(self._census.classifiers, atoms), self._commission, metrics).point

    def curve(
        self,
        budgets: Iterable[int],
        most: int,
        metrics: Sequence[str],
        one_by_one: Callable[[Sequence[int]], Iterable[int]] = iter,
    ) -> tuple[BudgetPoint, ...]:
        """What budgets buy, `most` being the panel's own, in their order: more labels never buy less.

        Away from the panel's own plan, which stands, each budget has the plan that a cycle with it would have. Where
        that looks worse somewhere than fewer labels, as strata differ and goals are traded for one another, its labels
        are those of the nearer plan and more of them, or less.
        """
        found: dict[int, _Bought | None] = {}
        for labels in one_by_one(sorted(budgets, key=lambda labels: (labels < most, abs(labels - most)))):
            between = [other for other in found if found[other] and min(labels, most) <= other <= max(labels, most)]
            nearest = min(between, key=lambda other: abs(other - labels), default=labels)
            found[labels] = self._coherent(labels, found.get(nearest), metrics, grows=nearest < labels)
        return tuple(self._named(labels, found[labels]) for labels in sorted(found))

    def _coherent(self, labels: int, nearest: _Bought | None, metrics: Sequence[str], *, grows: bool) -> _Bought | None:
        """The plan of a budget, or one that is made from the nearest; None where so few labels are no plan."""
        survey = self._spending(labels, ())
        try:
            own = self._bought(self._cells(labels), survey, metrics)
        except PlanImpossible:
            return None
        if nearest is None or (own.is_as_narrow_as(nearest) if grows else nearest.is_as_narrow_as(own)):
            return own
        totals, drawable = np.array(nearest.plan.totals, dtype=np.int64), drawable_items(nearest.cells)
        bounds = AllocationBounds(totals, drawable) if grows else AllocationBounds(np.zeros_like(totals), totals)
        plan = design_of(survey).plan_between(nearest.cells, survey, self._history, metrics, bounds)
        return own if plan is None else _Bought(nearest.cells, plan)

    def _named(self, labels: int, bought: _Bought | None) -> BudgetPoint:
        return BudgetPoint(labels, {}) if bought is None else replace(bought.point, labels=labels)

    def needs(
        self,
        goals: Sequence[Goal],
        curve: Sequence[BudgetPoint],
        budget: int,
        *,
        together: int | None = None,
        one_by_one: Callable[[Sequence[Goal]], Iterable[Goal]] = iter,
    ) -> LabelsNeeded:
        """The labels that goals need, each for one classifier; `together` where a cycle of theirs says that itself.

        The labels of all goals serve each of them, and so do those of a budget whose plan meets it: one goal alone
        never needs more.
        """
        alone = [self._needed([goal], budget) for goal in one_by_one(goals)]
        if together is None:
            together = _fewest(curve, goals, self._needed(goals, budget))
        return LabelsNeeded(
            together,
            tuple(_fewest(curve, [goal], min(labels, together)) for goal, labels in zip(goals, alone, strict=True)),
        )

    def needed_without_scores(self, goals: Sequence[Goal]) -> int | None:
        """The labels that all goals need if scores say nothing; None where earlier labels say more."""
        if not self._census.size:
            return None
        survey = replace(self._commission, budget=None, stop_at_goals=True, goals=tuple(goals))
        design = design_of(survey)
        return design.goals_without_scores(self._cells(None), survey, self._history) if design.plans_for_goals else None

    def _needed(self, goals: Sequence[Goal], budget: int) -> int:
        """The fewest labels that meet the goals: by a plan for their margins, or by spending a smaller budget."""
        size = self._census.size
        if not size:
            return 0
        survey = replace(self._commission, budget=None, stop_at_goals=True, goals=tuple(goals))
        if not self._commission.stop_at_goals:
            survey = survey.without_borrowing
        most = size
        if design_of(survey).plans_for_goals:
            planned = self._bought(self._cells(None), survey, _metrics(goals)).plan
            most = planned.labels_new if _met(goals, planned.half_widths) else size
        steps = _steps(most, budget)
        first, last = 0, len(steps)
        while first < last:  # half-widths fall with labels, but for rounding
            middle = (first + last) // 2
            enough = _met(goals, self._affordable(steps[middle], goals))
            first, last = (first, middle) if enough else (middle + 1, last)
        return steps[first] if first < len(steps) else most

    def _affordable(self, labels: int, goals: Sequence[Goal]) -> Widths:
        """Half-widths with so many labels, spent on these goals; none where so few labels are no plan of the design."""
        try:
            return self._bought(self._cells(labels), self._spending(labels, goals), _metrics(goals)).plan.half_widths
        except PlanImpossible:
            return {}

    def _spending(self, labels: int, goals: Sequence[Goal]) -> SurveySpec:
        """A survey that spends so many labels on these goals (none: those of the panel)."""
        kept = tuple(goals or self._commission.goals)
        return replace(self._commission, budget=labels, stop_at_goals=False, goals=kept)

    def _bought(self, cells: Cells, survey: SurveySpec, metrics: Sequence[str]) -> _Bought:
        return _Bought(cells, design_of(survey).plan_all_rounds(cells, survey, self._history, metrics))

    def _cut(self, labels: int | None) -> Cells:
        """Strata as a cycle with so many labels would have them; None: with as many as its goals need."""
        commission = replace(self._commission, budget=labels, stop_at_goals=labels is None)
        return Cells.of_atoms(self._census.classifiers, stratify_for_survey(self._census, commission, self._history))


def _fewest(curve: Sequence[BudgetPoint], goals: Sequence[Goal], labels: int) -> int:
    return min([labels, *(point.labels for point in curve if _met(goals, point.half_widths))])


def _metrics(goals: Sequence[Goal]) -> list[str]:
    return sorted({goal.metric for goal in goals})


def _met(goals: Sequence[Goal], widths: Widths) -> bool:
    """Whether what is expected is inside every margin; what cannot be told is as wide as can be."""
    return all(widths.get((goal.classifiers[0], goal.metric), 1.0) <= goal.margin for goal in goals)


def _steps(most: int, budget: int) -> list[int]:
    """Numbers of labels below `most`, rising by a few percent, the budget among them."""
    steps, labels = {budget} if budget < most else set(), float(_SMALLEST)
    while labels < most:
        steps.add(round(labels))
        labels *= _STEP
    return sorted(steps)
