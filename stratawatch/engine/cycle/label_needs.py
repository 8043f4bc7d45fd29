"""How many labels a panel needs: for each of its goals, for all of them, and what other budgets would buy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeVar

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_of
from stratawatch.core.designs.frozen import stratify_for_survey
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import has_enough_labels
from stratawatch.core.history.past_labels import History
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.population import Census
from stratawatch.engine.input.assess_window import assess_window
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports import Ports
from stratawatch.engine.progress import phase, report_progress
from stratawatch.errors import PlanImpossible

BUDGETS: Final = (100, 200, 300, 500, 1000, 2000, 3000, 5000)
"""Budgets that the curve shows beside the panel's own."""
_SMALLEST: Final = 20
# Numbers of labels that are tried grow by 7%: forecasts are not truer than that.
_STEP: Final = 1.07

Widths = Mapping[tuple[str, str], float]
Each = TypeVar("Each")


@dataclass(frozen=True)
class GoalForecast:
    """A goal of one classifier: the half-width to expect of the panel's cycle, and the labels it alone needs.

    `half_width` is None where nothing can be told.
    """

    classifier: str
    metric: str
    margin: float
    half_width: float | None
    labels: int


@dataclass(frozen=True)
class BudgetPoint:
    """What a budget buys: half-widths by (classifier, metric), as far as they can be told."""

    labels: int
    half_widths: Widths


@dataclass(frozen=True)
class LabelNeeds:
    """What labels would buy in a window. `together` are the labels that all goals need; they share them.

    `stop`: where a cycle would stop that asks no more than its goals need; None where it spends its budget.
    """

    items: int
    past_labels: int
    from_history: bool
    metrics: tuple[str, ...]
    goals: tuple[GoalForecast, ...]
    together: int
    curve: tuple[BudgetPoint, ...]
    stop: BudgetPoint | None = None


def label_needs(ports: Ports, spec: PanelSpec, window: Window, period: int) -> LabelNeeds:
    """What a cycle on this window would face, opened now. Raises InputRefused where it would be refused."""
    found = assess_window(ports, spec, window, period, opened_at=ports.clock.now(), with_candidates=False)
    census, history = found.counted.census, found.history
    if census.size:
        found.require_fit()
    metrics, goals = _metrics_served(spec), _goals_one_by_one(spec)
    forecast = _Forecast(census, survey_of_panel(spec), history)
    most = min(spec.budget, census.size)
    budgets = sorted({min(labels, census.size) for labels in (*BUDGETS, most)}) if census.size else []
    curve = tuple(
        BudgetPoint(labels, (forecast.widths if labels == most else forecast.affordable)(labels, (), metrics))
        for labels in _one_by_one("budgets", budgets)
    )
    stop = forecast.stop(metrics) if spec.stop_rule == "goals" and census.size else None
    now = stop.half_widths if stop else next((step.half_widths for step in curve if step.labels == most), {})
    return LabelNeeds(
        items=census.size,
        past_labels=len(history),
        from_history=has_enough_labels(history),
        metrics=metrics,
        goals=tuple(
            GoalForecast(*key, goal.margin, now.get(key), forecast.needed([goal], most))
            for goal in _one_by_one("goals", goals)
            for key in [(goal.classifiers[0], goal.metric)]
        ),
        together=stop.labels if stop and stop.labels < most else forecast.needed(goals, most),
        curve=curve,
        stop=stop,
    )


def _one_by_one(what: str, many: Sequence[Each]) -> Iterator[Each]:
    """The same items, with progress shown as they are used."""
    with phase(f"planning for {len(many)} {what}"):
        for done, one in enumerate(many, 1):
            yield one
            report_progress(done / len(many))


def _goals_one_by_one(spec: PanelSpec) -> tuple[Goal, ...]:
    """The panel's goals, or the usual ones where it has none, each for one classifier."""
    everyone = tuple(classifier.name for classifier in spec.classifiers)
    kind, goals = design_of(survey_of_panel(spec)), spec.goals or DEFAULT_GOALS
    return tuple(
        replace(goal, classifiers=(name,))
        for goal in goals
        for name in everyone
        if name in (goal.classifiers or everyone) and not kind.unsupported_reason(goal.metric, name, everyone)
    )


def _metrics_served(spec: PanelSpec) -> tuple[str, ...]:
    """The metrics of the panel that its design tells of some classifier."""
    everyone = tuple(classifier.name for classifier in spec.classifiers)
    kind = design_of(survey_of_panel(spec))
    return tuple(
        name
        for name in metrics_shown(spec)
        if not all(kind.unsupported_reason(name, who, everyone) for who in everyone)
    )


class _Forecast:
    """Forecasts for one census; strata are cut once for every number of labels that is asked about."""

    def __init__(self, census: Census, commission: SurveySpec, history: History) -> None:
        self._census, self._commission, self._history = census, commission, history
        self._cells = cache(self._cut)

    def stop(self, metrics: Sequence[str]) -> BudgetPoint:
        """What the panel's own cycle would ask in all its rounds; without a history, at least its pilot."""
        atoms = stratify_for_survey(self._census, self._commission, self._history)
        return BudgetPoint(*self._bought(Cells.of_atoms(self._census.classifiers, atoms), self._commission, metrics))

    def affordable(self, labels: int, goals: Sequence[Goal], metrics: Sequence[str]) -> Widths:
        """The same as `widths`, none where so few labels are no plan of the design."""
        try:
            return self.widths(labels, goals, metrics)
        except PlanImpossible:
            return {}

    def widths(self, labels: int, goals: Sequence[Goal], metrics: Sequence[str]) -> Widths:
        """Half-widths with so many labels, spent on these goals (none: those of the panel)."""
        survey = replace(
            self._commission, budget=labels, stop_at_goals=False, goals=tuple(goals or self._commission.goals)
        )
        return self._bought(self._cells(labels), survey, metrics)[1]

    def needed(self, goals: Sequence[Goal], budget: int) -> int:
        """The fewest labels that meet the goals: by a plan for their margins, or by spending a smaller budget."""
        size = self._census.size
        if not size:
            return 0
        survey = replace(self._commission, budget=None, stop_at_goals=True, goals=tuple(goals))
        most = size
        if design_of(survey).plans_for_goals:
            planned, widths = self._bought(self._cells(None), survey, _metrics(goals))
            most = planned if _met(goals, widths) else size
        steps = _steps(most, budget)
        first, last = 0, len(steps)
        while first < last:  # half-widths fall with labels, but for rounding
            middle = (first + last) // 2
            enough = _met(goals, self.affordable(steps[middle], goals, _metrics(goals)))
            first, last = (first, middle) if enough else (middle + 1, last)
        return steps[first] if first < len(steps) else most

    def _bought(self, cells: Cells, survey: SurveySpec, metrics: Sequence[str]) -> tuple[int, Widths]:
        plan = design_of(survey).plan_all_rounds(cells, survey, self._history, metrics)
        return plan.labels, plan.half_widths

    def _cut(self, labels: int | None) -> Cells:
        """Strata as a cycle with so many labels would have them; None: with as many as its goals need."""
        commission = replace(self._commission, budget=labels, stop_at_goals=labels is None)
        return Cells.of_atoms(self._census.classifiers, stratify_for_survey(self._census, commission, self._history))


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
