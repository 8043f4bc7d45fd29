"""The final state as plain values, without ids and times: what must be the same however often the process died."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.chaos.places import Place
from benchmarks.chaos.tally import gold_answers
from benchmarks.chaos.world import PANEL
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.states import Entity
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

Snapshot = Mapping[str, list[str]]


def take(ports: Ports, folder: Path, place: Place) -> Snapshot:
    """Everything the product knows and has written for others in the end, by subject, in a fixed order."""
    with ports.store.begin() as tx:
        replaced = tx.cycles.find(panel=PANEL, replaced=True)
        cycles = (*tx.cycles.find(panel=PANEL), *(replace(one, period=-n) for n, one in enumerate(replaced, start=1)))
        rooms = {
            "cycles": [f"{c.panel} {c.period} {c.window} {c.state} {c.reason}" for c in cycles],
            "moves": [line for cycle in cycles for line in _moves(tx, cycle)],
            "atoms": [f"{c.period} {atom}" for c in cycles for atom in tx.cycles.atoms(c.id)],
            "candidates": [f"{c.period} {item}" for c in cycles for item in tx.cycles.candidates(c.id)],
            "rounds": [line for cycle in cycles for line in _rounds(tx, cycle)],
            "labels": sorted(f"{item} {_but_time_of_arrival(event)}" for item, event in tx.labels.of_panel(PANEL)),
            "gold": sorted(f"{item} {_but_time_of_arrival(event)}" for item, event in gold_answers(tx)),
            "estimates": [line for cycle in cycles for line in _estimates(tx, cycle)],
            "states": [
                f"{c.period} {s.revision} {s.key} {s.state} {s.reason}"
                for c in cycles
                for s in sorted(tx.alarms.of_cycle(c.id), key=lambda s: str(s.key))
            ],
            "current": sorted(f"{s.key} {s.state} revision {s.revision}" for s in tx.alarms.current_states(PANEL)),
            "evidence": [line for cycle in cycles for line in _evidence(tx, cycle)],
            "restarts": [f"{one.key} {one.why} cycle {one.cycle_id}" for one in tx.evidence.restarts(PANEL)],
            "incidents": sorted(
                f"{i.key} {i.kind} {i.dedup_key} {i.rule} {i.since} {i.evidence}"
                f" by {i.acknowledged_by}: {i.acknowledged_why}"
                f" {'open' if i.resolved_at is None else 'resolved'}"
                for i in tx.alarms.incidents(panel=PANEL)
            ),
            "notifications": sorted(
                f"{n.key} {n.dedup_key} {n.channel} {n.severity} {n.subject} {n.body} {n.state}"
                for n in tx.outbox.all()
            ),
            "silences": [f"{s.scope} {s.by} {s.reason} {s.ended_at is not None}" for s in tx.silences.all()],
            "baselines": [_baseline(one) for one in tx.baselines.of(PANEL)],
            "truth": [f"{c.panel} {c.source} {c.statements} yes {c.yes}" for c in tx.truth.counts()],
            "quarantine": sorted(str(row) for row in tx.cycles.quarantined(newest=10_000)),
        }
        periods = {cycle.id: cycle.period for cycle in cycles}
    rooms["files"] = sorted(place.contents())
    return {room: [_plain(line, folder, periods) for line in lines] for room, lines in rooms.items()}


def _plain(line: str, folder: Path, periods: Mapping[int, int]) -> str:
    """Lost transactions leave gaps in sequences, a killed attempt counts too, a late look moves times."""
    line = line.replace(str(folder), "<folder>")
    line = re.sub(r"- ops, \d+ attempts: .*", "- ops: its error", line)
    line = re.sub(r":away:[-+:T\d]+", ":away", line)
    line = re.sub(r"\b(since|until) [-0-9]+ [:0-9]+ \+00:00", r"\1 then", line)
    line = re.sub(r"\b(incident|ack|show) \d+", r"\1", line)
    line = re.sub(r"after \d+ attempts", "after some attempts", line)
    line = re.sub(r"deadline [-0-9]+ [:0-9]+ \+00:00 passed", "deadline passed", line)
    return re.sub(r"\bcycle (\d+)", lambda found: f"cycle of period {periods.get(int(found[1]), -1)}", line)


def conclusions(snapshot: Snapshot) -> Snapshot:
    """What must be the same whatever the product went through: not how often it judged, nor what it said on the way.

    A deadline passes while the label files are away too: fewer items have a verdict then, and late ones still count.
    """
    told_on_the_way = r"\brevision \d+( \S+)?|deadline passed; \d+ of"
    return {
        subject: sorted({re.sub(told_on_the_way, "", line) for line in snapshot[subject]})
        for subject in ("atoms", "candidates", "labels", "current", "incidents", "baselines", "cycles")
    }


def differences(one: Snapshot, other: Snapshot) -> list[str]:
    """What is in one and not in the other, a few lines a subject."""
    found = []
    for room in one:
        ours, theirs = Counter(one[room]), Counter(other[room])
        found += [f"{room}: only undisturbed: {line}" for line in list((ours - theirs).elements())[:3]]
        found += [f"{room}: only disturbed: {line}" for line in list((theirs - ours).elements())[:3]]
        if ours == theirs and one[room] != other[room]:
            found.append(f"{room}: another order")
    return found


def _moves(tx: Transaction, cycle: Cycle) -> list[str]:
    lines = [f"period {cycle.period} {m.old}>{m.new}" for m in tx.cycles.transitions(Entity.CYCLE, cycle.id)]
    for round_ in tx.rounds.of(cycle.id):
        name = f"{cycle.period}.{round_.ordinal}"
        lines += [f"round {name} {m.old}>{m.new}" for m in tx.cycles.transitions(Entity.ROUND, round_.id)]
        for batch in tx.rounds.batches(round_id=round_.id):
            lines += [f"batch {batch.key} {m.old}>{m.new}" for m in tx.cycles.transitions(Entity.BATCH, batch.id)]
    return lines


def _rounds(tx: Transaction, cycle: Cycle) -> list[str]:
    lines = []
    for round_ in tx.rounds.of(cycle.id):
        lines.append(f"{cycle.period}.{round_.ordinal} {round_.state} {round_.plan.totals} {round_.plan.method}")
        lines += [f"{cycle.period}.{round_.ordinal} {draw}" for draw in tx.rounds.draws(cycle.id, round_.id)]
        lines += [f"{b.key} {b.state} {b.tasks}" for b in tx.rounds.batches(round_id=round_.id)]
    return lines


def _estimates(tx: Transaction, cycle: Cycle) -> list[str]:
    revision = tx.estimates.latest(cycle.id)
    if revision is None:
        return []
    head = f"{cycle.period} revision {revision.number} {revision.fingerprint}"
    return [head, *(f"{head} {estimate}" for estimate in revision.estimates)]


def _evidence(tx: Transaction, cycle: Cycle) -> list[str]:
    rule = tx.evidence.rule_of(cycle.id)
    lines = [] if rule is None else [f"{cycle.period} {rule.rule} {rule.persisting} {rule.why}"]
    rows = (replace(row, cycle_id=cycle.period) for row in tx.evidence.of_cycle(cycle.id))
    return [*lines, *(f"{cycle.period} {row}" for row in rows)]


def _baseline(one: StoredBaseline) -> str:
    """Without the moment at which it was measured: a repeated command has another."""
    known = f"{one.evidence} {one.method} n={one.n} {one.source}"
    return f"{one.key} {one.call} {known} from {one.valid_from} to {one.valid_until}"


def _but_time_of_arrival(event: LabelEvent) -> str:
    """What was imported by hand carries the time of its import, and a repeated command has another.

    Label Studio's ids are numbered on from one run to the next.
    """
    at = "" if event.source == "import" else event.at.isoformat()
    name = "" if event.source == "label_studio" else event.event_id
    return f"{event.source} {name} {event.item_key} {event.annotator} {event.value} {at}"
