"""Streams that begin anew: a question, random numbers, a cut-off, a limit or a baseline has changed."""

from collections.abc import Iterator
from datetime import datetime

from stratawatch.core.alarms.drops import worsening_word
from stratawatch.core.goals import Limit
from stratawatch.core.metrics import metric_named
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.baselines.current_baselines import current_baselines, date_of
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import EvidenceRestart
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.model.stored_baseline import call_rule
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import exact_points


def restart_changed_streams(tx: Transaction, ports: Ports, spec: PanelSpec, cycle: Cycle) -> None:
    """Let streams begin at 0 with this window where it asks about something else than the judged one before it.

    A baseline that was measured after the window's first judgement was no part of it, and changes nothing.
    """
    earlier = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=cycle.period, newest=1)
    if not earlier:
        return
    judged_at = first_judged_at(tx, cycle) if cycle.state == CycleState.JUDGED else ports.clock.now()
    changes = dict(_other_baselines(tx, spec, earlier[0], cycle, judged_at))
    if earlier[0].panel_version != cycle.panel_version:
        changes |= dict(_changes(tx, tx.panels.get(earlier[0].panel_version), spec))
    for key, why in changes.items():
        tx.evidence.restart(EvidenceRestart(spec.name, key, earlier[0].id, why, ports.clock.now()))


def first_judged_at(tx: Transaction, cycle: Cycle) -> datetime:
    """When a judged window was judged first."""
    return next(move.at for move in tx.cycles.transitions(Entity.CYCLE, cycle.id) if move.new == CycleState.JUDGED)


def _other_baselines(
    tx: Transaction, spec: PanelSpec, earlier: Cycle, cycle: Cycle, judged_at: datetime
) -> Iterator[tuple[StreamKey | None, str]]:
    """The streams with a largest drop whose baseline is another one than in the window before."""
    keys = [key for key, limit in watched_streams(spec).items() if limit.max_drop is not None]
    if not keys:
        return
    before = current_baselines(tx, spec, earlier.window.start, first_judged_at(tx, earlier))
    present = current_baselines(tx, spec, cycle.window.start, judged_at)
    for key in keys:
        if key in before and key not in present:
            yield key, f"its baseline of {date_of(before[key])} is in force no longer"
        elif key in before and not before[key].same_evidence(present[key]):
            yield key, f"its baseline is of {date_of(present[key])}, no longer of {date_of(before[key])}"


def _changes(tx: Transaction, before: PanelSpec, spec: PanelSpec) -> Iterator[tuple[StreamKey | None, str]]:
    if tx.panels.question_key(before) != tx.panels.question_key(spec):
        yield None, "another question is asked"
        return
    if before.random_numbers != spec.random_numbers:
        yield None, f"random numbers are {spec.random_numbers}, no longer {before.random_numbers}"
        return
    rules = {classifier.name: call_rule(classifier) for classifier in before.classifiers}
    limits = watched_streams(before)
    for key, limit in watched_streams(spec).items():
        rule = next(call_rule(one) for one in spec.classifiers if one.name == key.classifier)
        if (was := rules.get(key.classifier)) not in (None, rule):
            yield key, f"{key.classifier} says yes by {rule}, no longer by {was}"
        elif key in limits and _ends(limits[key]) != _ends(limit):
            yield key, f"its limit is {limit_text(limit)}, no longer {limit_text(limits[key])}"


def _ends(limit: Limit) -> tuple[float | None, ...]:
    return limit.floor, limit.ceiling, limit.max_drop


def limit_text(limit: Limit) -> str:
    """A limit in a few words.

    >>> limit_text(Limit("precision", floor=0.85, max_drop=0.05))
    'a precision of at least 85%, and a fall of at most 5 points'
    """
    title, words = metric_named(limit.metric).title, []
    if limit.floor is not None:
        words.append(f"a {title} of at least {exact_points(limit.floor)}%")
    if limit.ceiling is not None:
        words.append(f"a {title} of at most {exact_points(limit.ceiling)}%")
    if limit.max_drop is not None:
        words.append(f"a {worsening_word(limit.metric)} of at most {exact_points(limit.max_drop)} points")
    return ", and ".join(words)
