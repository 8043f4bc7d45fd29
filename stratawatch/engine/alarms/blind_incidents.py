"""Opens, follows and ends incidents of streams of which nothing can be told: together, where one cause hides them.

Each stream has an incident, and those of one panel and cause share a key: people hear of them as one. It lasts over
windows until its last stream has left it, so that a queue without labels is told once, however many limits it hides.
"""

from collections import defaultdict
from collections.abc import Mapping

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.engine.alarms.blind_notices import Change, notify_blind, notify_blind_changed, notify_blind_ended
from stratawatch.engine.alarms.silent_streams import silent_keys
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.idempotency_keys import blind_cause_of, blind_dedup_key
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def has_another_cause(incident: Incident, said: Judgement) -> bool:
    """Whether a stream is BLIND for another reason than its incident says; one of an older program says none."""
    cause = blind_cause_of(incident.dedup_key)
    return cause is not None and said.cause is not None and cause != said.cause


def follow_blind(
    tx: Transaction,
    ports: Ports,
    cycle: Cycle,
    revision: int,
    judgements: Mapping[StreamKey, Judgement],
    leaving: Mapping[Incident, str],
) -> None:
    """Let streams leave what hid them, with why, and join what hides them now; write it where that is news."""
    now = ports.clock.now()
    silent = silent_keys(tx, now)
    still = [one for one in tx.alarms.incidents(panel=cycle.panel, only_open=True) if one.kind == AlarmState.BLIND]
    before: dict[str, list[StreamKey]] = defaultdict(list)
    keys: dict[BlindCause | None, str] = {}
    for one in still:
        before[one.dedup_key].append(one.key)
        keys[blind_cause_of(one.dedup_key)] = one.dedup_key
    for one in leaving:
        tx.alarms.resolve_incident(one.id, now)
    hidden = {one.key for one in still if one not in leaving}
    joined: dict[str, list[StreamKey]] = defaultdict(list)
    for key, said in judgements.items():
        if said.cause is None or key in hidden:
            continue
        dedup_key = keys.setdefault(said.cause, blind_dedup_key(cycle.panel, said.cause, cycle.period, revision))
        tx.alarms.open_incident(Incident(0, key, AlarmState.BLIND, dedup_key, cycle.id, now))
        joined[dedup_key].append(key)
    for dedup_key in dict.fromkeys([*before, *joined]):
        left = [one.key for one in leaving if one.dedup_key == dedup_key]
        streams = [*(key for key in before.get(dedup_key, ()) if key not in left), *joined.get(dedup_key, ())]
        reasons = {key: judgements[key].reason for key in streams if key in judgements}
        if dedup_key not in before:
            notify_blind(tx, ports, cycle, dedup_key, reasons)
        elif not streams:
            why = [said for one, said in leaving.items() if one.dedup_key == dedup_key]
            states = {key: said.state for key, said in judgements.items()}
            incidents = tx.alarms.incidents_of(dedup_key)
            notify_blind_ended(tx, ports, incidents, why, states, silent=dedup_key in silent)
        elif left or joined.get(dedup_key):
            change = Change(streams, joined.get(dedup_key, []), left)
            notify_blind_changed(tx, ports, cycle, revision, dedup_key, change, reasons.values())
