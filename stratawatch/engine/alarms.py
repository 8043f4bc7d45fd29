"""Incidents and the notifications they send: written in the transaction that decided them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from stratawatch.core.results import AlarmState, Judgement, Limit
from stratawatch.engine.house import Ports
from stratawatch.engine.keys import incident_key
from stratawatch.engine.records import (
    Cycle,
    Incident,
    Notification,
    PanelSpec,
    Severity,
    StreamKey,
    StreamState,
)
from stratawatch.engine.repositories import Transaction


def streams(spec: PanelSpec) -> dict[StreamKey, Limit]:
    """Every classifier x metric x segment that has a limit."""
    found = {}
    for limit in spec.limits:
        segment = str(limit.segment) if limit.segment else None
        for name in limit.of or [classifier.name for classifier in spec.classifiers]:
            found[StreamKey(spec.name, name, limit.metric, segment)] = limit
    return found


def record(
    tx: Transaction,
    ports: Ports,
    cycle: Cycle,
    revision: int,
    judgements: Mapping[StreamKey, Judgement],
    *,
    superseded: bool = False,
    slices: Mapping[StreamKey, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Keep the states of one judgement, open and resolve incidents, write what must be told.

    `slices` are lines on a stream's segments, for whoever is paged; they name no culprit.
    When a later window was judged or refused already (`superseded`), a breach still pages, but nothing ends by it.
    """
    now = ports.clock.now()
    tx.alarms.add_states(
        [StreamState(key, cycle.id, revision, said.state, said.reason, now) for key, said in judgements.items()]
    )
    blind = []
    for key, said in judgements.items():
        if said.state == AlarmState.BREACH:
            _open(tx, ports, cycle, key, said, slices.get(key, ()))
        if superseded:
            continue
        if said.state == AlarmState.BLIND and _open_quietly(tx, cycle, key, AlarmState.BLIND, now):
            blind.append((key, said))
        _resolve(tx, ports, key, said)
    if blind:
        _tell_blind(tx, ports, cycle, blind)


def blind_panel(tx: Transaction, ports: Ports, spec: PanelSpec, cycle: Cycle, why: str) -> None:
    """Nothing can be told of this window: every stream is BLIND. A panel without limits is told all the same."""
    judgements = dict.fromkeys(streams(spec), Judgement(AlarmState.BLIND, why))
    revision = max((state.revision for state in tx.alarms.of_cycle(cycle.id)), default=-1) + 1
    record(tx, ports, cycle, revision, judgements)
    if not judgements:
        warn(tx, ports, f"{cycle.panel}:{cycle.period}:{revision}", f"BLIND: {cycle.panel}", why)


def warn(tx: Transaction, ports: Ports, about: str, subject: str, body: str) -> None:
    """Tell people of trouble that belongs to no single stream; once for every `about`."""
    _tell(tx, ports, f"stratawatch:{about}", "warning", subject, body, {"about": about})


def _open(tx: Transaction, ports: Ports, cycle: Cycle, key: StreamKey, said: Judgement, slices: Sequence[str]) -> None:
    if not _open_quietly(tx, cycle, key, AlarmState.BREACH, ports.clock.now()):
        return
    where = f" in {key.segment}" if key.segment else ""
    subject = f"BREACH: {key.metric.replace('_', ' ')} of {key.classifier}{where} ({key.panel})"
    body = "\n".join(
        [
            said.reason,
            *slices,
            f"window {cycle.window}, cycle {cycle.id}",
            f"Look: stratawatch estimates --panel {key.panel}; stratawatch report",
            "It is resolved by itself once the metric is proven inside its limit again.",
        ]
    )
    facts = {**_facts(key, cycle), "state": said.state.value, "reason": said.reason}
    _tell(tx, ports, incident_key(key, AlarmState.BREACH, cycle.period), "page", subject, body, facts)


def _open_quietly(tx: Transaction, cycle: Cycle, key: StreamKey, kind: AlarmState, now: datetime) -> bool:
    if any(incident.kind == kind for incident in tx.alarms.open_of(key)):
        return False
    tx.alarms.open_incident(Incident(0, key, kind, incident_key(key, kind, cycle.period), cycle.id, now))
    return True


def _tell_blind(tx: Transaction, ports: Ports, cycle: Cycle, blind: Sequence[tuple[StreamKey, Judgement]]) -> None:
    """One cause blinds many streams at once: one message for all of them."""
    reasons = sorted({said.reason for _, said in blind})
    names = "\n".join(f"- {key}" for key, _ in blind)
    subject = f"BLIND: {cycle.panel} cannot tell {len(blind)} of its metrics"
    body = "\n".join([*reasons, f"window {cycle.window}, cycle {cycle.id}", names])
    facts = {"panel": cycle.panel, "cycle": cycle.id, "streams": [str(key) for key, _ in blind]}
    _tell(tx, ports, f"stratawatch:{cycle.panel}:blind:{cycle.period}", "warning", subject, body, facts)


def _resolve(tx: Transaction, ports: Ports, key: StreamKey, said: Judgement) -> None:
    """BREACH ends when the metric is proven inside (OK); BLIND ends as soon as anything can be told."""
    for incident in tx.alarms.open_of(key):
        ended = said.state == AlarmState.OK if incident.kind == AlarmState.BREACH else said.state != AlarmState.BLIND
        if not ended:
            continue
        tx.alarms.resolve_incident(incident.id, ports.clock.now())
        if incident.kind == AlarmState.BREACH:
            subject = f"RESOLVED: {key.metric.replace('_', ' ')} of {key.classifier} ({key.panel})"
            facts = {
                "panel": key.panel,
                "classifier": key.classifier,
                "metric": key.metric,
                "segment": key.segment,
            }
            _tell(tx, ports, incident.dedup_key, "resolved", subject, said.reason, facts)
        else:
            _see_again(tx, ports, key.panel, incident)


def _see_again(tx: Transaction, ports: Ports, panel: str, ended: Incident) -> None:
    """The message that told of a panel's blindness is resolved when its last blind stream sees again."""
    still = [i for i in tx.alarms.incidents(panel=panel, only_open=True) if i.kind == AlarmState.BLIND]
    if any(incident.cycle_id == ended.cycle_id for incident in still):
        return
    period = tx.cycles.get(ended.cycle_id).period
    key = f"stratawatch:{panel}:blind:{period}"
    _tell(
        tx,
        ports,
        key,
        "resolved",
        f"RESOLVED: {panel} can tell again",
        "every metric can be told again",
        {"panel": panel},
    )


def _facts(key: StreamKey, cycle: Cycle) -> dict[str, object]:
    return {
        "panel": key.panel,
        "classifier": key.classifier,
        "metric": key.metric,
        "segment": key.segment,
        "cycle": cycle.id,
        "window_start": cycle.window.start.isoformat(),
        "window_end": cycle.window.end.isoformat(),
    }


def _tell(
    tx: Transaction,
    ports: Ports,
    dedup_key: str,
    severity: Severity,
    subject: str,
    body: str,
    facts: Mapping[str, object],
) -> None:
    for channel in ports.channels:
        key = f"{dedup_key}|{severity}|{channel}"
        tx.outbox.add(
            Notification(key, dedup_key, channel, severity, subject, body, facts, created_at=ports.clock.now())
        )
