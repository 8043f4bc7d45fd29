"""What a cycle on a window would ask people; nothing is written."""

from dataclasses import dataclass

from stratawatch.core.designs import design_of
from stratawatch.core.goals import Focus
from stratawatch.core.history.past_labels import History
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from stratawatch.engine.cycle.known_labels import history_with_known_labels
from stratawatch.engine.evidence.cost_of_new_numbers import LabelsNotReused, labels_not_reused
from stratawatch.engine.input.assess_window import WindowAssessment, assess_window
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports import Ports
from stratawatch.engine.progress import phase


@dataclass(frozen=True)
class PlanPreview:
    """The atoms that a cycle would be frozen with, and all its rounds' labels planned at once.

    `not_reused`: the labels that permanent random numbers would have used again, where they are by window.
    """

    atoms: tuple[Atom, ...]
    plan: Plan
    history: History
    focus: Focus | None = None
    not_reused: LabelsNotReused | None = None


def preview_plan(ports: Ports, spec: PanelSpec, window: Window, period: int) -> PlanPreview:
    """Plan a window as a cycle would that is opened now. Raises InputRefused where it would be refused."""
    found = assess_window(ports, spec, window, period, opened_at=ports.clock.now(), with_candidates=True)
    if found.counted.census.size == 0:
        return PlanPreview((), Plan((), {}, "nothing to draw from"), found.history)
    found.require_fit()
    return plan_assessed(ports, spec, period, found)


def plan_assessed(ports: Ports, spec: PanelSpec, period: int, found: WindowAssessment) -> PlanPreview:
    """Plan a window that was assessed with its candidates and is fit. Raises PlanImpossible."""
    with phase("planning"):
        cells = design_of_cycle(spec, found.atoms, found.candidates).cells
        survey = survey_of_panel(spec, found.focus)
        history = history_with_known_labels(ports, spec, period, found)
        plan = design_of(survey).plan_all_rounds(cells, survey, history, metrics_shown(spec))
    with ports.store.begin() as tx:
        not_reused = labels_not_reused(tx, spec, period, found.labelled_before)
    return PlanPreview(found.atoms, plan, found.history, found.focus, not_reused)
