"""The forecast of a cycle, made with its first plan, and what became of it, looked at when its window is judged."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.core.plan import CycleForecast, HalfWidthRange
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.engine.labels.labelled_cycle import LabelledCycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.forecast_record import (
    CheckedForecast,
    ForecastRecord,
    kept_record,
    plans_from,
    record_from,
)
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.ports.transaction import Transaction

KEPT: Final = "forecast record of "
"""Before a panel's name: the cursor that keeps what became of the forecasts of its newest judged windows."""
MOST_WINDOWS: Final = 8
"""The newest judged windows that are looked back on."""
# Floats that are equal but for the order of a sum.
_ROUNDING: Final = 1e-9


def forecast_streams(spec: PanelSpec) -> frozenset[tuple[str, str]]:
    """The (classifier, metric) whose range a plan keeps: those with a goal or a limit over everything.

    A panel without goals is planned for precision and recall.
    """
    everyone = [classifier.name for classifier in spec.classifiers]
    asked = [(goal.metric, goal.classifiers) for goal in spec.goals or DEFAULT_GOALS]
    asked += [(limit.metric, limit.classifiers) for limit in spec.limits if limit.segment is None]
    return frozenset(
        (name, metric) for metric, classifiers in asked for name in everyone if name in (classifiers or everyone)
    )


def keep_forecast_check(
    tx: Transaction, cycle: Cycle, labelled: LabelledCycle, estimates: Sequence[Estimate], at: datetime
) -> None:
    """Keep, for `plan`, `status` and reports, what became of the forecast of a window that was judged."""
    judged = tx.cycles.find(panel=cycle.panel, states=[CycleState.JUDGED], newest=MOST_WINDOWS)
    periods = {one.id: one.period for one in (*judged, cycle)}
    before = tx.labels.cursor(KEPT + cycle.panel)
    plans = {one.cycle: one for one in plans_from(before)}
    found = _checked(tx, cycle, labelled, estimates)
    if found is not None:
        plans[cycle.id] = found
    newest = sorted(plans.keys() & periods.keys(), key=periods.__getitem__)[-MOST_WINDOWS:]
    now = kept_record(cycle.panel, tuple(plans[number] for number in newest))
    if plans and now != before:
        tx.labels.save_cursor(KEPT + cycle.panel, now, at)


def forecast_record(tx: Transaction, panel: str) -> ForecastRecord | None:
    """What became of a panel's last forecasts; None before the first is judged."""
    return record_from(tx.labels.cursor(KEPT + panel))


def _checked(
    tx: Transaction, cycle: Cycle, labelled: LabelledCycle, estimates: Sequence[Estimate]
) -> CheckedForecast | None:
    """A window's forecast beside its estimates; None where its first plan carries none."""
    rounds = tx.rounds.of(cycle.id)
    forecast = rounds[0].plan.forecast if rounds else None
    if forecast is None or not forecast.ranges:
        return None
    places = [
        _place(one, forecast.ranges[one.classifier, one.metric])
        for one in estimates
        if one.segment is None and (one.classifier, one.metric) in forecast.ranges
    ]
    return CheckedForecast(
        cycle=cycle.id,
        inside=places.count("inside"),
        wider=places.count("wider"),
        narrower=places.count("narrower"),
        labels_came=sum(verdict in ("yes", "no") for verdict in labelled.ledger.verdicts.values()),
        labels_planned=_labels_planned(tx, cycle, labelled, forecast),
    )


def _place(estimate: Estimate, expected: HalfWidthRange) -> str:
    """Where a half-width came out; what could not be told is as wide as can be."""
    found = estimate.result
    if isinstance(found, Undefined) or found.half_width > expected.high + _ROUNDING:
        return "wider"
    return "narrower" if found.half_width < expected.low - _ROUNDING else "inside"


def _labels_planned(tx: Transaction, cycle: Cycle, labelled: LabelledCycle, forecast: CycleForecast) -> int:
    """What was drawn; where the deadline ended the cycle, at least what its rounds were expected to draw."""
    expired = any(one.new == CycleState.EXPIRED for one in tx.cycles.transitions(Entity.CYCLE, cycle.id))
    return max(len(labelled.draws), forecast.labels) if expired else len(labelled.draws)
