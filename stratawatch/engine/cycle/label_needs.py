"""How many labels a panel needs: for each of its goals, for all of them, and what other budgets would buy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final, TypeVar

from stratawatch.core.designs import design_of
from stratawatch.core.designs.budget_forecasts import BudgetForecasts, BudgetPoint
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import has_enough_labels
from stratawatch.core.plan import HalfWidthRange
from stratawatch.core.planning.focus import planning_goals
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, RandomSampleGoal
from stratawatch.engine.cycle.forecast_checks import forecast_record
from stratawatch.engine.cycle.known_labels import history_with_known_labels
from stratawatch.engine.cycle.labels_to_prove import with_labels_to_prove
from stratawatch.engine.evidence.limit_outlooks import kept_outlooks
from stratawatch.engine.input.assess_window import assess_window
from stratawatch.engine.model.forecast_record import ForecastRecord
from stratawatch.engine.model.limit_outlook import LimitOutlook, outlooks_with_pauses
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports import Ports
from stratawatch.engine.progress import phase, report_progress

BUDGETS: Final = (100, 200, 300, 500, 1000, 2000, 3000, 5000)
"""Budgets that the curve shows beside the panel's own."""
_BUDGET_STEP: Final = 1.05
Each = TypeVar("Each")


@dataclass(frozen=True)
class GoalForecast:
    """A goal of one classifier: the half-width to expect of the panel's cycle, and the labels it alone needs.

    `half_width` is what the plan counts on, `range` where it may come out; None where nothing can be told.
    """

    classifier: str
    metric: str
    margin: float
    half_width: float | None
    labels: int
    range: HalfWidthRange | None = None


@dataclass(frozen=True)
class LabelNeeds:
    """What labels would buy in a window. `together` are the labels that all goals need; they share them.

    `without_scores`: as many if scores say nothing, where there are no earlier labels to say more than scores.
    `stop`: where a cycle would stop that asks no more than its goals need; None where it spends its budget. `limits`:
    how streams stand at the ends of their limits, and the labels that would prove each inside. `record`: what became
    of earlier forecasts, None before the first is judged. `budget_shared_with`: metrics that a budget is shared out for
    beside the goals, and `budget_for_all_goals` what it should be then; None where there are no such metrics.
    """

    items: int
    past_labels: int
    from_history: bool
    metrics: tuple[str, ...]
    goals: tuple[GoalForecast, ...]
    together: int
    curve: tuple[BudgetPoint, ...]
    stop: BudgetPoint | None = None
    limits: tuple[LimitOutlook, ...] = ()
    record: ForecastRecord | None = None
    has_scores: bool = True
    without_scores: int | None = None
    budget_shared_with: tuple[str, ...] = ()
    budget_for_all_goals: int | None = None


def label_needs(ports: Ports, spec: PanelSpec, window: Window, period: int) -> LabelNeeds:
    """What a cycle on this window would face, opened now. Raises InputRefused where it would be refused."""
    found = assess_window(ports, spec, window, period, opened_at=ports.clock.now(), with_candidates=True)
    census = found.counted.census
    if found.profile.rows:  # also where none of them can be used
        found.require_fit()
    history = history_with_known_labels(ports, spec, period, found)
    metrics, goals = _metrics_served(spec), _goals_one_by_one(spec)
    survey = survey_of_panel(spec)
    forecast = BudgetForecasts(census, survey, history)
    most = min(spec.budget, census.size)
    budgets = {min(labels, census.size) for labels in (*BUDGETS, most)} if census.size else set()
    curve = forecast.curve(budgets, most, metrics, lambda labels: _one_by_one("budgets", labels))
    stop = forecast.stop(metrics) if spec.stop_rule == "goals" and census.size else None
    own = stop or next((step for step in curve if step.labels == most), BudgetPoint(0, {}))
    needs = forecast.needs(
        goals,
        curve,
        most,
        together=stop.labels if stop and stop.labels < most else None,
        one_by_one=lambda goals: _one_by_one("goals", goals),
    )
    shared, needed = _metrics_beside_goals(survey), None
    if shared and census.size:
        needed = _budget_needed(forecast, goals, needs.together, most, census.size)
    unscored = forecast.needed_without_scores(goals)
    with ports.store.begin() as tx:
        limits = outlooks_with_pauses(kept_outlooks(tx, spec), ports.paused)
        record = forecast_record(tx, spec.name)
    return LabelNeeds(
        items=census.size,
        past_labels=len(history),
        from_history=has_enough_labels(history),
        metrics=metrics,
        goals=tuple(
            GoalForecast(*key, goal.margin, own.half_widths.get(key), alone, own.ranges.get(key))
            for goal, alone in zip(goals, needs.alone, strict=True)
            for key in [(goal.classifiers[0], goal.metric)]
        ),
        together=needs.together,
        curve=curve,
        stop=stop,
        limits=with_labels_to_prove(limits, curve),
        record=record,
        has_scores=spec.has_scores,
        without_scores=None if unscored is None else max(unscored, needs.together),
        budget_shared_with=shared,
        budget_for_all_goals=needed,
    )


def _metrics_beside_goals(survey: SurveySpec) -> tuple[str, ...]:
    """The metrics that a budget is shared out for beside the usual goals, by a design that plans for goals."""
    beside = planning_goals(survey) if design_of(survey).plans_for_goals else ()
    return tuple(goal.metric for goal in beside if isinstance(goal, RandomSampleGoal))


def _budget_needed(forecast: BudgetForecasts, goals: Sequence[Goal], fewest: int, budget: int, items: int) -> int:
    """A budget that meets all goals where it is shared out for more than these; `fewest` labels do without that.

    Found by halving steps of a twentieth and the panel's own `budget`, as if more labels never did worse.
    """
    metrics = sorted({goal.metric for goal in goals})

    def suffices(labels: int) -> bool:
        (point,) = forecast.curve([labels], labels, metrics)
        return all(point.half_widths.get((goal.classifiers[0], goal.metric), 1.0) <= goal.margin for goal in goals)

    if not fewest:  # labels that are known suffice
        return 0
    grid = [fewest]
    while grid[-1] < items:
        grid.append(min(ceil(grid[-1] * _BUDGET_STEP), items))
    steps = sorted({*grid, *([budget] if fewest < budget < items else [])})
    first, last = 0, len(steps) - 1
    while first < last:
        middle = (first + last) // 2
        first, last = (first, middle) if suffices(steps[middle]) else (middle + 1, last)
    return steps[first]


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
