
<<<<<<< /tmp/tmpn8h6liwn2

||||||| /tmp/tmpngfgpkx31
"""What a cycle on a window would ask people; nothing is written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.designs import design_of
from stratawatch.core.designs.frozen import cut, pool_sizes
from stratawatch.core.history.past_labels import History
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from stratawatch.engine.input.bad_row_reasons import advice, exceeds_max_share, summary
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_spec import pool_budget, survey_spec
from stratawatch.engine.ports import Ports
from stratawatch.engine.progress import phase
from stratawatch.errors import InputRefused
from stratawatch.formatting import percent

_WOULD: Final = "a cycle on this window would be refused"


@dataclass(frozen=True)
class Preview:
    """The atoms that a cycle would be frozen with, and all its rounds' labels planned at once."""

    atoms: tuple[Atom, ...]
    plan: Plan
    history: History


def preview(ports: Ports, spec: PanelSpec, window: Window, period: int) -> Preview:
    """Plan a window as a cycle would that is opened now. Raises InputRefused where it would be refused."""
    with ports.sources[spec.name].reading(spec, window) as reading:
        counted, history = read_window(ports, spec, reading.census, period)
        commission = survey_spec(spec)
        with phase("cutting strata"):
            atoms = cut(counted.census, commission, history)
            if not atoms:
                return Preview((), Plan((), {}, "nothing to draw from"), history)
            wanted = pool_sizes(atoms, counted.census.classifiers, pool_budget(commission, history), history)
        items = reading.candidates(atoms, wanted)
    _once(items)
    with phase("planning"):
        cells = design_of_cycle(spec, atoms, items).cells
        return Preview(atoms, design_of(commission).plan_all_rounds(cells, commission, history, metrics_shown(spec)), history)


def read_window(
    ports: Ports, spec: PanelSpec, count: Callable[[], CensusResult], period: int
) -> tuple[CensusResult, History]:
    """The census of a window and the history that a cycle opened now would have.

    The input check, which leaves pages behind, is not run; but no plain reason to refuse is hidden.
    """
    with ports.store.begin() as tx:
        history = label_history(tx, spec, period, ports.clock.now())
    counted = count()
    profile = counted.profile
    if exceeds_max_share(spec, profile):
        share = f"at most {percent(spec.max_bad_row_share)} of rows that cannot be used"
        got = f"{profile.bad_rows:,} of {profile.rows:,}: {summary(spec, profile, counted.bad_rows)}"
        raise InputRefused(_WOULD, expected=share, got=got, hint=advice(spec, profile))
    return counted, history


def _once(items: Sequence[CandidateItem]) -> None:
    repeated = [item.item for item in items if item.copies > 1]
    if repeated:
        raise InputRefused(_WOULD, expected="every item once", got=f"{repeated[0]!r:.60} more than once")

=======
"""What a cycle on a window would ask people; nothing is written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.designs import design_of
from stratawatch.core.designs.frozen import cut, pool_sizes
from stratawatch.core.history.past_labels import History
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from stratawatch.engine.input.bad_row_reasons import advice, exceeds_max_share, summary
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.survey_spec import pool_budget, survey_spec
from stratawatch.engine.ports import Ports
from stratawatch.engine.progress import phase
from stratawatch.errors import InputRefused
from stratawatch.formatting import percent

_WOULD: Final = "a cycle on this window would be refused"


@dataclass(frozen=True)
class Preview:
    """The atoms that a cycle would be frozen with, and all its rounds' labels planned at once."""

    atoms: tuple[Atom, ...]
    plan: Plan
    history: History


def preview(ports: Ports, spec: PanelSpec, window: Window, period: int) -> Preview:
    """Plan a window as a cycle would that is opened now. Raises InputRefused where it would be refused."""
    with ports.sources[spec.name].reading(spec, window) as reading:
        counted, history = read_window(ports, spec, reading.census, period)
        commission = survey_spec(spec)
        with phase("cutting strata"):
            atoms = cut(counted.census, commission, history)
            if not atoms:
                return Preview((), Plan((), {}, "nothing to draw from"), history)
            wanted = pool_sizes(atoms, counted.census.classifiers, pool_budget(commission, history), history)
        items = reading.candidates(atoms, wanted)
    _once(items)
    with phase("planning"):
        cells = design_of_cycle(spec, atoms, items).cells
        return Preview(
            atoms, design_of(commission).plan_all_rounds(cells, commission, history, metrics_shown(spec)), history
        )


def read_window(
    ports: Ports, spec: PanelSpec, count: Callable[[], CensusResult], period: int
) -> tuple[CensusResult, History]:
    """The census of a window and the history that a cycle opened now would have.

    The input check, which leaves pages behind, is not run; but no plain reason to refuse is hidden.
    """
    with ports.store.begin() as tx:
        history = label_history(tx, spec, period, ports.clock.now())
    counted = count()
    profile = counted.profile
    if exceeds_max_share(spec, profile):
        share = f"at most {percent(spec.max_bad_row_share)} of rows that cannot be used"
        got = f"{profile.bad_rows:,} of {profile.rows:,}: {summary(spec, profile, counted.bad_rows)}"
        raise InputRefused(_WOULD, expected=share, got=got, hint=advice(spec, profile))
    return counted, history


def _once(items: Sequence[CandidateItem]) -> None:
    repeated = [item.item for item in items if item.copies > 1]
    if repeated:
        raise InputRefused(_WOULD, expected="every item once", got=f"{repeated[0]!r:.60} more than once")

>>>>>>> /tmp/tmp8hrne0ng3
