"""Which labels of a window are there before its cycle is opened, for forecasts of what it will ask."""

from stratawatch.core.history.past_labels import History
from stratawatch.core.random_numbers import unit_number
from stratawatch.engine.input.assess_window import WindowAssessment
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.labelled_cycle import design_of_cycle, reusable_answers
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports


def history_with_known_labels(ports: Ports, spec: PanelSpec, period: int, found: WindowAssessment) -> History:
    """The history with the random numbers of candidates whose label is there already: to draw them costs nothing."""
    if not len(found.history) or not found.candidates:
        return found.history
    opened_at = ports.clock.now()
    design = design_of_cycle(spec, found.atoms, found.candidates)
    with ports.store.begin() as tx:
        items, checked = design.candidates.items, design.checked_items
        free = reusable_answers(tx, spec, items, opened_at=opened_at, checked_items=checked).verdicts
        numbers = {one.item: unit_number(one.digest) for one in found.candidates if one.item in free}
        return label_history(tx, spec, period, opened_at, items, numbers=numbers)
