"""What a window holds: counted, and cut into atoms as a cycle opened now would cut it. Nothing is written."""

from dataclasses import dataclass

from stratawatch.core.designs.frozen import cut
from stratawatch.core.population import Atom
from stratawatch.engine.input.bad_row_reasons import too_many, why_too_many
from stratawatch.engine.labels.label_history import history_of
from stratawatch.engine.model.cycle_facts import CensusAnswer
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_spec import commission_of
from stratawatch.engine.ports import Ports
from stratawatch.errors import PlanImpossible


@dataclass(frozen=True)
class Contents:
    """The counts of a window and its atoms; `past_labels` are those that helped to cut them.

    `refusal`: why a cycle would be refused: too many bad rows, or a design that cuts nothing here and leaves no atoms.
    """

    answer: CensusAnswer
    atoms: tuple[Atom, ...]
    past_labels: int
    refusal: str = ""


def contents(ports: Ports, spec: PanelSpec, window: Window, period: int) -> Contents:
    """Count a window whatever it holds: rows that a cycle would refuse are shown, not complained of."""
    answer = ports.sources[spec.name].census(spec, window)
    many = why_too_many(spec, answer.profile) if too_many(spec, answer.profile) else ""
    with ports.store.begin() as tx:
        history = history_of(tx, spec, period, ports.clock.now())
    try:
        atoms = cut(answer.census, commission_of(spec), history)
    except PlanImpossible as refusal:
        return Contents(answer, (), len(history), many or str(refusal))
    return Contents(answer, atoms, len(history), many)
