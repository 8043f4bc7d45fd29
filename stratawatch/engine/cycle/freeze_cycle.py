"""Freeze a cycle: count the window, check it, cut atoms, fetch every stratum's pool. Or refuse it, with the reason."""

from collections.abc import Sequence
from typing import Final

from stratawatch.engine.alarms.alarm_streams import blind_panel
from stratawatch.engine.alarms.failures import describe, record_failure
from stratawatch.engine.alarms.notifications import warn_of_cycle
from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.input.assess_window import WindowAssessment, assess_window
from stratawatch.engine.input.window_drift import DriftFinding
from stratawatch.engine.model.cycle_facts import Cycle, FrozenCycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import InputRefused, PlanImpossible
from stratawatch.formatting import count_text

MOST_READS: Final = 288
"""Attempts before a window is refused: a day of advances every five minutes. People hear of it much earlier."""


def freeze_cycle(ports: Ports, cycle_id: int) -> CycleState:
    """Move an open cycle to frozen or refused; returns the state it is in afterwards.

    Raises ClockDoubted where the clock is doubted, which would set the deadline.
    """
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        spec = tx.panels.get(cycle.panel_version)
    if cycle.state != CycleState.OPEN:
        return cycle.state
    if ports.clock_doubt is not None:
        raise ports.clock_doubt
    try:
        found = _assess(ports, spec, cycle)
    except (InputRefused, PlanImpossible) as trouble:
        return _refuse(ports, spec, cycle, str(trouble))
    except Exception as trouble:  # whatever it is, an open cycle must not be tried for ever without a word
        failures = record_failure(ports, cycle.id, "read", trouble)
        if failures < MOST_READS:
            raise
        return _refuse(ports, spec, cycle, f"not read after {failures} attempts: {describe(trouble)}")
    if found.refusal is not None:
        return _refuse(ports, spec, cycle, found.refusal.sentence, found)
    frozen = FrozenCycle(
        found.atoms,
        found.candidates,
        found.profile,
        found.counted.source_version,
        found.docs,
        found.bad_rows,
        found.focus,
        found.variance_priors,
        found.labelled_before,
    )
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.FROZEN, at=now, why=_counts(frozen))
        tx.cycles.freeze(cycle.id, frozen, now + spec.deadline)
        tx.cycles.quarantine(cycle.id, frozen.bad_rows, now)
        _warn_of_drift(tx, ports, cycle, found.drift)
        tx.commit()
    return CycleState.FROZEN


def _assess(ports: Ports, spec: PanelSpec, cycle: Cycle) -> WindowAssessment:
    """Assess the cycle's window. A source that takes longer than its time counts as one that is away."""
    return call_within(
        ports.read_timeout(spec.name),
        lambda: assess_window(ports, spec, cycle.window, cycle.period, opened_at=cycle.opened_at, with_candidates=True),
        f"the source of panel '{spec.name}'",
    )


def _counts(frozen: FrozenCycle) -> str:
    groups = count_text(len({atom.stratum for atom in frozen.atoms}), "group")
    rows, asked = count_text(frozen.profile.rows, "row"), count_text(len(frozen.candidates), "item")
    return f"{rows} read; people may be asked about {asked}, of {groups}"


def _warn_of_drift(tx: Transaction, ports: Ports, cycle: Cycle, drift: Sequence[DriftFinding]) -> None:
    """Warn people of drift that does not refuse the window, once for each time that it is frozen."""
    if drift:
        moves = len(tx.cycles.transitions(Entity.CYCLE, cycle.id))  # a window that was reopened is frozen again
        body = "\n".join([*map(str, drift), f"window {cycle.window}, cycle {cycle.id}; it is judged all the same"])
        warn_of_cycle(tx, ports, cycle, f"drift:{moves}", f"DRIFT: the input of {cycle.panel}", body)


def _refuse(
    ports: Ports, spec: PanelSpec, cycle: Cycle, reason: str, found: WindowAssessment | None = None
) -> CycleState:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.REFUSED, at=now, why=reason)
        docs, profile = (None, None) if found is None else (found.docs, found.profile)
        tx.cycles.explain(cycle.id, reason=reason, docs=docs, profile=profile)
        tx.cycles.quarantine(cycle.id, () if found is None else found.bad_rows, now)
        blind_panel(tx, ports, spec, cycle, f"the window was refused: {reason}")
        tx.commit()
    return CycleState.REFUSED
