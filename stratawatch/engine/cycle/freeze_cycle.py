"""Freeze a cycle: count the window, check it, cut atoms, fetch every stratum's pool. Or refuse it, with the reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from stratawatch.core.designs.frozen import cut, pool_sizes
from stratawatch.engine.alarms.alarm_streams import blind_panel
from stratawatch.engine.alarms.failures import describe, record_failure
from stratawatch.engine.alarms.notifications import warn
from stratawatch.engine.input.drift import drift_refusal, find_drift
from stratawatch.engine.input.previous_windows import late_rows, previous_judged, previous_window
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.cycle_facts import Cycle, FrozenCycle
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.model.survey_spec import pool_budget, survey_spec
from stratawatch.engine.ports import Ports, WindowReader
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import InputRefused, PlanImpossible, Unreachable

MOST_READS: Final = 288
"""Attempts before a window is refused: a day of advances every five minutes. People hear of it much earlier."""


@dataclass(frozen=True)
class _Refusal:
    reason: str
    docs: str | None = None
    rows: tuple[QuarantinedRow, ...] = ()
    profile: InputProfile | None = None


@dataclass(frozen=True)
class _Read:
    frozen: FrozenCycle
    drifted: tuple[str, ...]


def freeze_cycle(ports: Ports, cycle_id: int) -> CycleState:
    """Move an open cycle to frozen or refused; returns the state it is in afterwards."""
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        spec = tx.panels.get(cycle.panel_version)
    if cycle.state != CycleState.OPEN:
        return cycle.state
    try:
        answer = _read(ports, spec, cycle)
    except (InputRefused, PlanImpossible) as trouble:
        answer = _Refusal(str(trouble))
    except Exception as trouble:  # whatever it is, an open cycle must not be tried for ever without a word
        failures = record_failure(ports, cycle.id, "read", trouble)
        if failures < MOST_READS:
            raise
        answer = _Refusal(f"not read after {failures} attempts: {describe(trouble)}")
    if isinstance(answer, _Refusal):
        _refuse(ports, spec, cycle, answer)
        return CycleState.REFUSED
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.FROZEN, at=now, why=_counts(answer.frozen))
        tx.cycles.freeze(cycle.id, answer.frozen, now + spec.deadline)
        tx.cycles.quarantine(cycle.id, answer.frozen.bad_rows, now)
        _tell(tx, ports, cycle, answer.drifted)
        tx.commit()
    return CycleState.FROZEN


def _read(ports: Ports, spec: PanelSpec, cycle: Cycle) -> _Read | _Refusal:
    source = ports.sources.get(spec.name)
    if source is None:
        raise Unreachable(
            f"panel '{spec.name}' has no source any more",
            hint="put it back into the configuration, or cancel the cycle",
        )
    with source.reading(spec, cycle.window) as reading:
        return _checked(ports, spec, cycle, reading)


def _checked(ports: Ports, spec: PanelSpec, cycle: Cycle, reading: WindowReader) -> _Read | _Refusal:
    counted = reading.census()
    first = ports.check.profile(spec, cycle.window, counted.profile)
    bad_rows = (*counted.bad_rows, *first.bad_rows)
    if first.refusal:
        return _Refusal(first.refusal, first.docs, bad_rows, _warned(counted.profile, first.failures, first.refusal))
    with ports.store.begin() as tx:
        history = label_history(tx, spec, cycle.period, cycle.opened_at)
        earlier, before = previous_judged(tx, spec.name, cycle.period), previous_window(tx, spec, cycle.period)
    profile = replace(counted.profile, missed=late_rows(reading.rows, before))
    drifted = find_drift(spec, profile, earlier)
    told = tuple(str(finding) for finding in drifted)
    if refused := drift_refusal(spec, drifted):
        return _Refusal(refused, first.docs, bad_rows, _warned(profile, (*first.failures, *told), refused))
    commission = survey_spec(spec)
    atoms = cut(counted.census, commission, history)
    wanted = pool_sizes(atoms, counted.census.classifiers, pool_budget(commission, history), history)
    items = reading.candidates(atoms, wanted)
    _require_all_candidates(wanted, [atoms[item.atom].stratum for item in items])
    second = ports.check.candidates(spec, cycle.window, items)
    docs = second.docs or first.docs
    bad_rows = (*bad_rows, *second.bad_rows)
    warned = _warned(profile, (*first.failures, *told, *second.failures), second.refusal)
    if second.refusal:
        return _Refusal(second.refusal, docs, bad_rows, warned)
    return _Read(FrozenCycle(atoms, items, warned, counted.source_version, docs, bad_rows), told)


def _warned(profile: InputProfile, told: Sequence[str], refused: str = "") -> InputProfile:
    """With everything that was told, once and with its remedy, but for the sentence that refuses the window."""
    longer = [one for one in told if not any(other.startswith(f"{one}; ") for other in told)]
    warnings = dict.fromkeys(one for one in longer if not refused.startswith(one))
    return replace(profile, warnings=tuple(warnings))


def _require_all_candidates(wanted: Sequence[int], got: Sequence[int]) -> None:
    """A table that changed between the two queries shows as a pool that is short of what the census counted."""
    have = Counter(got)
    short = [stratum for stratum, number in enumerate(wanted) if have[stratum] < number]
    if short:
        raise Unreachable(
            "the source changed while it was read",
            expected=f"{wanted[short[0]]} candidates in stratum {short[0]}",
            got=str(have[short[0]]),
            hint="it is read again at the next advance",
        )


def _counts(frozen: FrozenCycle) -> str:
    cells = f"{len(frozen.atoms)} atoms in {len({atom.stratum for atom in frozen.atoms})} strata"
    return f"{frozen.profile.rows} rows, {cells}, {len(frozen.candidates)} candidates"


def _tell(tx: Transaction, ports: Ports, cycle: Cycle, drifted: Sequence[str]) -> None:
    """Drift that does not refuse the window is told, once for each time it is frozen."""
    if drifted:
        moves = len(tx.cycles.moves(Entity.CYCLE, cycle.id))  # a window that was reopened is frozen again
        body = "\n".join([*drifted, f"window {cycle.window}, cycle {cycle.id}; it is judged all the same"])
        warn(tx, ports, f"{cycle.panel}:{cycle.period}:drift:{moves}", f"DRIFT: the input of {cycle.panel}", body)


def _refuse(ports: Ports, spec: PanelSpec, cycle: Cycle, refusal: _Refusal) -> None:
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.REFUSED, at=now, why=refusal.reason)
        tx.cycles.explain(cycle.id, reason=refusal.reason, docs=refusal.docs, profile=refusal.profile)
        tx.cycles.quarantine(cycle.id, refusal.rows, now)
        blind_panel(tx, ports, spec, cycle, f"the window was refused: {refusal.reason}")
        tx.commit()
