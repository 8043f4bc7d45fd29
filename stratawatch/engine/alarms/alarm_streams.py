"""Opens and resolves incidents by judgements, and writes notifications in the same transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.blind_incidents import follow_blind, has_another_cause
from stratawatch.engine.alarms.blind_notices import notify_blind_ended
from stratawatch.engine.alarms.later_windows import newest_after
from stratawatch.engine.alarms.notifications import News, notify_breach, notify_resolved, warn_of_cycle
from stratawatch.engine.alarms.silent_streams import silent_keys
from stratawatch.engine.model.alarm_records import Incident, StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import EvidenceRestart, Page
from stratawatch.engine.model.idempotency_keys import incident_key
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def watched_streams(spec: PanelSpec) -> dict[StreamKey, Limit]:
    """Every classifier x metric x segment that has a limit."""
    found = {}
    for limit in spec.limits:
        segment = str(limit.segment) if limit.segment else None
        for name in limit.classifiers or [classifier.name for classifier in spec.classifiers]:
            found[StreamKey(spec.name, name, limit.metric, segment)] = limit
    return found


@dataclass(frozen=True)
class _Judging:
    """One judgement of one cycle, on its way into the store."""

    tx: Transaction
    ports: Ports
    cycle: Cycle
    revision: int

    def open(self, key: StreamKey, kind: AlarmState, dedup_key: str, page: Page | None = None) -> Incident | None:
        """A new incident, or None when the stream has one of this kind already."""
        if any(incident.kind == kind for incident in self.tx.alarms.open_incidents_of(key)):
            return None
        incident = Incident(0, key, kind, dedup_key, self.cycle.id, self.ports.clock.now())
        if page is not None:
            incident = replace(incident, rule=page.rule, since=page.since, evidence=page.evidence)
        return replace(incident, id=self.tx.alarms.open_incident(incident))

    def close(self, incident: Incident, why: str, news: News | None, judgements: Mapping[StreamKey, Judgement]) -> None:
        """End a breach and say so; a stream that was paged gathers evidence anew from the next window on."""
        close_incident(self.tx, self.ports, incident, why, news, {key: said.state for key, said in judgements.items()})
        self.restart(incident.key, "its incident is over")

    def restart(self, key: StreamKey | None, why: str) -> None:
        """Let a stream, or all of the panel, begin at 0 after this window."""
        panel, now = self.cycle.panel, self.ports.clock.now()
        self.tx.evidence.restart(EvidenceRestart(panel, key, self.cycle.id, why, now))


def close_incident(
    tx: Transaction,
    ports: Ports,
    incident: Incident,
    why: str,
    news: News | None = None,
    states: Mapping[StreamKey, AlarmState] = MappingProxyType({}),
) -> None:
    """End an incident and tell people; of streams that one cause hides, people are told when the last one ends."""
    silent = incident.dedup_key in silent_keys(tx, ports.clock.now())
    tx.alarms.resolve_incident(incident.id, ports.clock.now())
    if incident.kind == AlarmState.BREACH:
        notify_resolved(tx, ports, incident, why, news, states, silent=silent)
        return
    several = tx.alarms.incidents_of(incident.dedup_key)
    if all(other.resolved_at for other in several):
        notify_blind_ended(tx, ports, several, [why], {}, silent=silent)


def record_judgements(
    tx: Transaction,
    ports: Ports,
    cycle: Cycle,
    revision: int,
    judgements: Mapping[StreamKey, Judgement],
    *,
    pages: Mapping[StreamKey, Page] = MappingProxyType({}),
    superseded: bool = False,
    only_states: bool = False,
    news: Mapping[StreamKey, News] = MappingProxyType({}),
) -> None:
    """Keep the states of one judgement, open and resolve incidents, write what must be told.

    `pages` are the streams to be paged; one that has an open incident is not paged again. `news` is what there is to
    be told of streams that are paged, or whose breach may be over.
    When a later window was judged or refused already (`superseded`), a breach still pages, but nothing ends by it.
    Streams of paused classifiers are left as they are. Of a retired panel (`only_states`), of shadows and of
    classifiers that left the configuration, only the states are kept; of a backfilled window too, with a warning.
    """
    now = ports.clock.now()
    judgements = {key: said for key, said in judgements.items() if not ports.paused.cover(key)}
    tx.alarms.add_states(
        [StreamState(key, cycle.id, revision, said.state, said.reason, now) for key, said in judgements.items()]
    )
    if only_states:
        return
    if tx.cycles.is_backfilled(cycle):
        _warn_of_old_breaches(tx, ports, cycle, judgements)
        return
    judging = _Judging(tx, ports, cycle, revision)
    judgements = {key: said for key, said in judgements.items() if not why_unheeded(ports, key)}
    states = {key: said.state for key, said in judgements.items()}
    if pages and (later := newest_after(tx, cycle)):
        states = heeded_states(tx, ports, later)  # how the others are is known better by the newest window
    for key, page in pages.items():
        if key in judgements:
            incident = judging.open(key, AlarmState.BREACH, incident_key(key, cycle.period, revision), page)
            if incident is not None:
                notify_breach(tx, ports, cycle, incident, judgements[key], news.get(key), states)
                # After a page by evidence all of it is gone, or the sum would not bound the pages any more.
                judging.restart(None if page.rule == "evidence" else key, f"{key} was paged")
    if not superseded:
        _end(judging, judgements, news)


def blind_panel(tx: Transaction, ports: Ports, spec: PanelSpec, cycle: Cycle, why: str) -> None:
    """Make every stream BLIND: nothing can be estimated in this window. People hear of it without limits too."""
    judgements = dict.fromkeys(watched_streams(spec), Judgement(AlarmState.BLIND, why, BlindCause.REFUSED))
    record_judgements(tx, ports, cycle, newest_number(tx, cycle) + 1, judgements)
    if not judgements:
        moves = len(tx.cycles.transitions(Entity.CYCLE, cycle.id))  # a window that was reopened may be refused again
        warn_of_cycle(tx, ports, cycle, f"refused:{moves}", f"BLIND: {cycle.panel}", why)


def newest_number(tx: Transaction, cycle: Cycle) -> int:
    """The number of the newest revision or refusal of a window, its earlier runs included; -1 before the first."""
    numbers = [-1]
    for one in (*tx.cycles.earlier_runs(cycle), cycle):
        numbers += [state.revision for state in tx.alarms.of_cycle(one.id)]
        revision = tx.estimates.latest(one.id)
        numbers += [revision.number] if revision else []
    return max(numbers)


def heeded_states(tx: Transaction, ports: Ports, cycle: Cycle) -> dict[StreamKey, AlarmState]:
    """The states in a window of the streams that somebody is paged about."""
    return {
        one.key: one.state
        for one in tx.alarms.of_cycle(cycle.id)
        if not ports.paused.cover(one.key) and not why_unheeded(ports, one.key)
    }


def why_unheeded(ports: Ports, key: StreamKey) -> str:
    """Why no incidents are opened for a stream whose states are kept; empty where they are opened."""
    if (key.panel, key.classifier) in ports.paused.shadows:
        return f"{key.classifier} is a shadow"
    return f"{key.classifier} is not configured any more" if has_left(ports, key) else ""


def has_left(ports: Ports, key: StreamKey) -> bool:
    """Whether the classifier of a stream is not configured any more, and its panel is."""
    spec = ports.configured.get(key.panel)
    return spec is not None and all(one.name != key.classifier for one in spec.classifiers)


def _warn_of_old_breaches(
    tx: Transaction, ports: Ports, cycle: Cycle, judgements: Mapping[StreamKey, Judgement]
) -> None:
    """Tell once of breaches in a backfilled window: it is over, and what holds now is judged by later windows."""
    lines = [
        f"{key}: {said.reason}"
        for key, said in judgements.items()
        if said.state == AlarmState.BREACH and not why_unheeded(ports, key)
    ]
    if lines:
        body = "\n".join([*lines, f"window {cycle.window}, cycle {cycle.id}: opened after later ones, nobody is paged"])
        warn_of_cycle(tx, ports, cycle, "backfilled", f"BREACH in a past window of {cycle.panel}", body)


def _end(judging: _Judging, judgements: Mapping[StreamKey, Judgement], news: Mapping[StreamKey, News]) -> None:
    """End incidents that are over, and tell people which cause hides the streams that are BLIND now."""
    open_now = judging.tx.alarms.incidents(panel=judging.cycle.panel, only_open=True)
    over = {one: why for one in open_now if (why := _why_over(judging, one, judgements))}
    for incident, why in over.items():
        if incident.kind == AlarmState.BREACH:
            judging.close(incident, why, news.get(incident.key), judgements)
    leaving = {one: why for one, why in over.items() if one.kind == AlarmState.BLIND}
    follow_blind(judging.tx, judging.ports, judging.cycle, judging.revision, judgements, leaving)


def _why_over(judging: _Judging, incident: Incident, judgements: Mapping[StreamKey, Judgement]) -> str:
    """Why an incident is over: a BREACH by a metric proven inside (OK), a BLIND by an estimate or by another cause.

    Both end when nobody watches the stream any more. Empty where the incident goes on.
    """
    panel = judging.cycle.panel
    spec = judging.ports.configured.get(panel) or judging.tx.panels.latest()[panel]
    if judging.ports.paused.cover(incident.key):
        return ""  # it goes on where it was
    said, unheeded = judgements.get(incident.key), why_unheeded(judging.ports, incident.key)
    if said is None and not unheeded and incident.key in watched_streams(spec):
        return ""  # the cycle was opened while it was not watched, as during a pause; it is watched again
    if said is None:
        return unheeded or "it has no limit any more"
    is_blind = incident.kind == AlarmState.BLIND
    if said.state == AlarmState.OK or (
        is_blind and (said.state != AlarmState.BLIND or has_another_cause(incident, said))
    ):
        return said.reason
    return ""
