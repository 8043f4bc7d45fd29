"""What earlier windows say of a stream, and whether it is paged: what its state is judged by besides this window."""

from collections.abc import Mapping
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.reading_lengths import MANY
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.stored_baseline import call_rule
from stratawatch.engine.ports.transaction import Transaction

NO_ESTIMATE: Final = Undefined("it was not estimated")

_Rule = tuple[object, ...]
"""What has to be the same for two windows to say the same of a stream."""


def estimates_so_far(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, current: Mapping[StreamKey, Estimate]
) -> dict[StreamKey, list[Estimate]]:
    """For every stream of this window the estimates of the windows up to it, without gaps, oldest first.

    They are 13 at most, and begin after the last window that asked another question, drew by other random numbers,
    called by another rule or had another limit, and after the last one that paged: what was found of that stream has
    ended.
    """
    periods = range(cycle.period - 1, cycle.period - MANY, -1)
    metrics, segments = {key.metric for key in current}, {key.segment for key in current}
    past = {
        (_key(spec.name, one.estimate), one.period): one
        for one in tx.estimates.in_periods(spec.name, periods[-1], periods[0], metrics, segments)
    }
    versions = {one.panel_version for one in past.values()} - {cycle.panel_version}
    rules = {version: _rules(tx, tx.panels.get(version)) for version in versions}
    rules[cycle.panel_version] = _rules(tx, spec) if versions else {}
    ended = {(one.key, one.cycle_id) for one in tx.alarms.incidents(panel=spec.name) if one.kind == AlarmState.BREACH}
    found = {}
    for key, estimate in current.items():
        estimates, gap = [estimate], _gap(estimate)
        for period in periods:
            one = past.get((key, period))
            if one is None:
                estimates.append(gap)
                continue
            is_other = rules[one.panel_version].get(key) != rules[cycle.panel_version].get(key)
            if is_other or (key, one.cycle_id) in ended:
                break
            estimates.append(one.estimate)
        while estimates[-1] is gap:
            estimates.pop()
        found[key] = estimates[::-1]
    return found


def paged_streams(tx: Transaction, cycle: Cycle) -> frozenset[StreamKey]:
    """The streams that were paged by this window or an earlier one, and whose incident is open."""
    return frozenset(
        one.key
        for one in tx.alarms.incidents(panel=cycle.panel, only_open=True)
        if one.kind == AlarmState.BREACH and tx.cycles.get(one.cycle_id).window.start <= cycle.window.start
    )


def _rules(tx: Transaction, spec: PanelSpec) -> dict[StreamKey, _Rule]:
    """By stream with a limit what must not change: the question, random numbers, what says yes, the limit's ends."""
    question = tx.panels.question_key(spec)
    calls = {one.name: call_rule(one) for one in spec.classifiers}
    return {
        key: (question, spec.random_numbers, calls.get(key.classifier), limit.floor, limit.ceiling, limit.max_drop)
        for key, limit in watched_streams(spec).items()
    }


def _gap(estimate: Estimate) -> Estimate:
    """A window of the same stream that has no estimate."""
    return Estimate(
        estimate.classifier, estimate.metric, estimate.segment, NO_ESTIMATE, 0, "", confidence=estimate.confidence
    )


def _key(panel: str, estimate: Estimate) -> StreamKey:
    segment = str(estimate.segment) if estimate.segment else None
    return StreamKey(panel, estimate.classifier, estimate.metric, segment)
