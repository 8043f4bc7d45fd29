"""What other budgets would buy, planned on the strata of the newest window that was frozen; no source is read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from stratawatch.core.designs import design_of
from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports import Store
from stratawatch.errors import PlanImpossible

MULTIPLES: Final = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
"""Budgets, as parts of the panel's own."""
LEAST: Final = 40
_WITH_STRATA: Final = (
    CycleState.FROZEN,
    CycleState.LABELLING,
    CycleState.SETTLED,
    CycleState.EXPIRED,
    CycleState.JUDGED,
)


@dataclass(frozen=True)
class FrozenBudgets:
    """Half-widths by budget for a window like this cycle's, with its strata, its goals and all labels known by now.

    `spec` is the panel as it was when the window was opened.
    """

    cycle: Cycle
    spec: PanelSpec
    points: tuple[BudgetPoint, ...]
    past_labels: int


def frozen_budgets(store: Store, spec: PanelSpec, now: datetime) -> FrozenBudgets | None:
    """What budgets around the panel's own would buy in the next window; None before the first was frozen."""
    with store.begin() as tx:
        found = tx.cycles.find(panel=spec.name, states=list(_WITH_STRATA), newest=1)
        if not found:
            return None
        cycle = found[0]
        frozen_as = tx.panels.get(cycle.panel_version)
        atoms, candidates = tx.cycles.atoms(cycle.id), tx.cycles.candidates(cycle.id)
        design = design_of_cycle(frozen_as, atoms, candidates)
        history = label_history(tx, frozen_as, cycle.period + 1, now)
    survey, metrics = replace(survey_of_panel(frozen_as), stop_at_goals=False), metrics_shown(frozen_as)
    points: dict[int, BudgetPoint] = {}
    for budget in _budgets(frozen_as.budget, int(design.cells.sizes.sum())):
        try:
            plan = design_of(survey).plan_all_rounds(design.cells, replace(survey, budget=budget), history, metrics)
        except PlanImpossible:
            continue
        # Pools were frozen for this window's budget: beyond what they hold a larger one buys nothing here.
        points[plan.labels_new] = BudgetPoint(plan.labels_new, plan.half_widths, plan.ranges)
    return FrozenBudgets(cycle, frozen_as, tuple(points[labels] for labels in sorted(points)), len(history))


def _budgets(own: int, items: int) -> Sequence[int]:
    return sorted({max(LEAST, min(round(own * part), items)) for part in MULTIPLES})
