"""What a window holds: counted, and cut into atoms as a cycle opened now would cut it. Nothing is written."""

from dataclasses import dataclass

from stratawatch.core.designs.frozen import cut
from stratawatch.core.population import Atom
from stratawatch.engine.input.bad_row_reasons import exceeds_max_share, refusal_sentence
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.cycle_facts import CensusResult
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_spec import survey_spec
from stratawatch.engine.ports import Ports
from stratawatch.errors import PlanImpossible


@dataclass(frozen=True)
class WindowContents:
    """The counts of a window and its atoms; `past_labels` are those that helped to cut them.

    `refusal`: why a cycle would be refused: too many bad rows, or a design that cuts nothing here and leaves no atoms.
    """

    answer: CensusResult
    atoms: tuple[Atom, ...]
    past_labels: int
    refusal: str = ""


def window_contents(ports: Ports, spec: PanelSpec, window: Window, period: int) -> WindowContents:
    """Count a window whatever it holds: rows that a cycle would refuse are shown, not complained of."""
    answer = ports.sources[spec.name].census(spec, window)
    many = refusal_sentence(spec, answer.profile) if exceeds_max_share(spec, answer.profile) else ""
    with ports.store.begin() as tx:
        history = label_history(tx, spec, period, ports.clock.now())
    try:
        atoms = cut(answer.census, survey_spec(spec), history)
    except PlanImpossible as refusal:
        return WindowContents(answer, (), len(history), many or str(refusal))
    return WindowContents(answer, atoms, len(history), many)
