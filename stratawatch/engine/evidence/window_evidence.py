"""The e-values of one window, as rows of the store: made at its first judgement, and anew with the same stakes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from stratawatch.core.alarms.evidence.e_values import EValue, StakeKey, window_e_values
from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.alarms.notifications import warn
from stratawatch.engine.baselines.current_baselines import current_baselines
from stratawatch.engine.evidence.changed_streams import restart_changed_streams
from stratawatch.engine.evidence.drop_rows import bets_again, first_bets
from stratawatch.engine.evidence.first_use import fix_bets
from stratawatch.engine.evidence.labelled_before import betting_labels
from stratawatch.engine.evidence.limit_ends import WatchedEnd, limit_tests
from stratawatch.engine.evidence.window_rule import rule_of_window
from stratawatch.engine.labels.labelled_cycle import LabelledCycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import NO_BET, EvidenceRow, JudgementRule
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def gather_evidence(
    tx: Transaction,
    ports: Ports,
    spec: PanelSpec,
    cycle: Cycle,
    labelled: LabelledCycle,
    revision: int,
    *,
    leans: bool,
) -> tuple[LabelledCycle, JudgementRule]:
    """Keep what a judgement of a window adds to the evidence; returns its draws with what bets, and its rule.

    A window that was opened after a later one adds nothing. `leans`: its missing answers are not missing at random.
    """
    is_backfilled, limits = tx.cycles.is_backfilled(cycle), watched_streams(spec)
    if not is_backfilled:
        restart_changed_streams(tx, ports, spec, cycle)
        _tell_that_it_begins(tx, ports, spec, cycle)
    fix_bets(tx, spec, cycle, labelled, leans=leans)
    labelled = replace(labelled, draws=tx.rounds.draws(cycle.id))
    rule = rule_of_window(tx, spec, cycle, labelled, limits)
    if rule.rule == "evidence" and not is_backfilled:
        tx.evidence.add(evidence_rows(tx, spec, cycle, labelled, revision, ports.clock.now()))
    return labelled, rule


def _tell_that_it_begins(tx: Transaction, ports: Ports, spec: PanelSpec, cycle: Cycle) -> None:
    """Tell people once that windows are added up from now on, where earlier ones were judged without it."""
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=cycle.period, newest=1)
    if spec.alarms != "evidence" or not judged or not spec.limits or tx.evidence.rules(spec.name):
        return
    subject = f"Evidence is added up over windows from now on: {spec.name}"
    lines = (
        "A slow loss is paged by several windows together; the promise about false pages stays.",
        f"It begins at nothing. `stratawatch alerts replay {spec.name} --windows 8` adds the last 8 windows.",
        f'alarms = "window" below [panels.{spec.name}] judges each window by itself, as before.',
    )
    warn(tx, ports, f"{spec.name}:evidence begins", subject, "\n".join(lines))


def evidence_rows(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, labelled: LabelledCycle, revision: int, judged_at: datetime
) -> list[EvidenceRow]:
    """The e-values of a window on every end of a limit; stakes are those of its first judgement, at `judged_at`."""
    limits, before = watched_streams(spec), tx.evidence.of_cycle(cycle.id)
    design, drawn = betting_labels(tx, spec, cycle, labelled)
    rows = _fixed_ends(cycle, design, drawn, limits, before, revision)
    if any(limit.max_drop is not None for limit in limits.values()):
        drops = (
            bets_again(limits, before)
            if before
            else first_bets(spec, cycle, limits, current_baselines(tx, spec, cycle.window.start, judged_at))
        )
        rows += [row for bets in drops for row in bets.rows(cycle, revision, design, drawn)]
    return rows


def _fixed_ends(
    cycle: Cycle,
    design: FrozenDesign,
    drawn: Sequence[Sequence[DrawnLabel]],
    limits: Mapping[StreamKey, Limit],
    before: Sequence[EvidenceRow],
    revision: int,
) -> list[EvidenceRow]:
    """The e-values of a window on floors and ceilings."""
    ends = limit_tests(limits)
    places = {watched: place for place, watched in enumerate(ends)}
    stakes = {
        StakeKey(places[watched], row.ordinal, row.loss): row.stake
        for row in before
        if row.loss != NO_BET and (watched := WatchedEnd(row.key, row.end)) in places
    }
    found = window_e_values(design, drawn, list(ends.values()), stakes)
    by_test: dict[int, list[EValue]] = {}
    for one in found:
        by_test.setdefault(one.test, []).append(one)
    return [
        _row(watched, test, cycle, revision, value)
        for place, (watched, test) in enumerate(ends.items())
        for value in by_test.get(place) or [EValue(place, 1, NO_BET, 0.0, 0.0, 0)]
    ]


def _row(watched: WatchedEnd, test: LimitTest, cycle: Cycle, revision: int, value: EValue) -> EvidenceRow:
    return EvidenceRow(
        key=watched.key,
        end=watched.end,
        cycle_id=cycle.id,
        revision=revision,
        ordinal=value.ordinal,
        loss=value.loss,
        sign=1,
        point=0,
        limit=test.limit,
        stake=value.stake,
        log_e=value.log_e,
        labels=value.labels,
    )
