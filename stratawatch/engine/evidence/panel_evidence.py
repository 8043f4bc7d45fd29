"""Evidence over windows of a panel: what every end of a limit has gathered since it last began at 0."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.evidence.e_detector import evidence_of, log_e_by_bet, page_threshold
from stratawatch.core.goals import LimitEnd
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.alarms.alarm_streams import watched_streams, why_unheeded
from stratawatch.engine.evidence.drop_streams import fallen_streams
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import NO_BET, EvidenceRow
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

YEAR: Final = timedelta(days=365.25)


@dataclass(frozen=True)
class EndEvidence:
    """The evidence that one end of a limit is broken, of which windows, and log E by window and bet.

    `limit` is what the metric is to keep; a largest drop has none that is certain.
    """

    key: StreamKey
    end: LimitEnd
    value: float
    limit: float | None
    windows: tuple[Cycle, ...] = field(repr=False, compare=False)
    log_e: Floats = field(repr=False, compare=False)


@dataclass(frozen=True)
class PanelEvidence:
    """The evidence of all ends that count, most first, and what their sum has to reach for a page."""

    ends: tuple[EndEvidence, ...]
    threshold: float

    @property
    def total(self) -> float:
        """The sum over the ends."""
        return sum(end.value for end in self.ends)

    @property
    def pages(self) -> bool:
        """Whether the evidence is enough for a page."""
        return bool(self.ends) and self.total >= self.threshold

    @property
    def suspected(self) -> tuple[EndEvidence, ...]:
        """The ends with so much evidence that one should look at them, most first."""
        return tuple(end for end in self.ends if end.value >= EVIDENCE.suspicion)

    def of(self, key: StreamKey) -> EndEvidence | None:
        """The end of a stream that has most evidence."""
        return next((end for end in self.ends if end.key == key), None)


def panel_threshold(spec: PanelSpec) -> float:
    """What the evidence of a panel has to reach for a page."""
    ends = sum(limit.tests for limit in watched_streams(spec).values())
    return page_threshold(ends, YEAR / spec.windows.length, spec.false_pages_per_year)


def panel_evidence(tx: Transaction, ports: Ports, spec: PanelSpec) -> PanelEvidence:
    """The evidence of a panel's streams, without those that have an open incident or that page nobody."""
    open_breaches = {
        incident.key
        for incident in tx.alarms.incidents(panel=spec.name, only_open=True)
        if incident.kind == AlarmState.BREACH
    }
    return _of_rows(tx, spec, tx.evidence.since_restarts(spec.name), _counted(ports, spec) - open_breaches)


def evidence_when_paged(tx: Transaction, ports: Ports, spec: PanelSpec, incident: Incident) -> PanelEvidence:
    """The evidence of a panel by which an incident was paged, as the labels of these windows stand now."""
    before = {
        other.key
        for other in tx.alarms.incidents(panel=spec.name)
        if other.kind == AlarmState.BREACH
        and other.opened_at < incident.opened_at
        and (other.resolved_at is None or other.resolved_at >= incident.opened_at)
    }
    return _of_rows(tx, spec, _rows_when_paged(tx, spec, incident), _counted(ports, spec) - before)


def stream_when_paged(tx: Transaction, spec: PanelSpec, incident: Incident) -> EndEvidence | None:
    """The end of an incident's stream that had most evidence then; None where its windows were judged by themselves."""
    rule = tx.evidence.rule_of(incident.cycle_id)
    if rule is None or rule.rule != "evidence":
        return None
    return _of_rows(tx, spec, _rows_when_paged(tx, spec, incident), {incident.key}).of(incident.key)


def _counted(ports: Ports, spec: PanelSpec) -> set[StreamKey]:
    """The streams that somebody is paged about."""
    return {key for key in watched_streams(spec) if not ports.paused.cover(key) and not why_unheeded(ports, key)}


def _rows_when_paged(tx: Transaction, spec: PanelSpec, incident: Incident) -> list[EvidenceRow]:
    """The bets on broken limits since the last restart of each stream before the window that paged, it included."""
    newest, began = tx.cycles.get(incident.cycle_id), dict[StreamKey | None, datetime]()
    for one in tx.evidence.restarts(spec.name):
        start = tx.cycles.get(one.cycle_id).window.start
        if start < newest.window.start:
            began[one.key] = start  # they come oldest window first
    starts = {cycle.id: cycle.window.start for cycle in tx.cycles.find(panel=spec.name)}
    of_all = began.get(None)
    period = None if of_all is None else (of_all - spec.windows.start) // spec.windows.length
    return [
        row
        for row in tx.evidence.of_panel(spec.name, period)
        if row.sign > 0
        and starts[row.cycle_id] <= newest.window.start
        and (row.key not in began or starts[row.cycle_id] > began[row.key])
    ]


def _of_rows(
    tx: Transaction, spec: PanelSpec, rows: Sequence[EvidenceRow], counted: Collection[StreamKey]
) -> PanelEvidence:
    """The evidence of the counted streams from the bets since they last began at 0."""
    cycles = {cycle.id: cycle for cycle in tx.cycles.find(panel=spec.name)}
    fallen = fallen_streams(tx, spec, rows, counted, cycles)
    drops = [EndEvidence(one.key, "max_drop", one.value, None, one.windows, one.log_e) for one in fallen]
    ends = [*_by_end(rows, counted, cycles), *drops]
    ranked = sorted(ends, key=lambda one: (-one.value, str(one.key), one.end))
    return PanelEvidence(tuple(ranked), panel_threshold(spec))


def _by_end(
    rows: Sequence[EvidenceRow], counted: Collection[StreamKey], cycles: Mapping[int, Cycle]
) -> list[EndEvidence]:
    """The evidence against floors and ceilings."""
    windows: dict[tuple[StreamKey, LimitEnd], dict[int, dict[float, float]]] = defaultdict(dict)
    limits: dict[tuple[StreamKey, LimitEnd], float] = {}
    for row in rows:
        if row.key in counted and row.end != "max_drop":
            limits[row.key, row.end] = row.limit
            sums = windows[row.key, row.end].setdefault(row.cycle_id, {})
            if row.loss != NO_BET:
                sums[row.loss] = sums.get(row.loss, 0.0) + row.log_e
    found = []
    for (key, end), by_cycle in windows.items():
        table = log_e_by_bet(list(by_cycle.values()))
        in_order = tuple(cycles[one] for one in by_cycle)
        found.append(EndEvidence(key, end, evidence_of(table), limits[key, end], in_order, table))
    return found
