"""The scorecard: every classifier x metric as it stands in the newest finished window, overall and by segment."""

from collections.abc import Mapping
from itertools import pairwise
from math import ceil, floor

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.metrics import METRICS
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.report.baseline_view import baseline_view
from stratawatch.report.report_data import CycleData, ReportData
from stratawatch.report.table_rows import PreviousValue
from stratawatch.report.view_models import Scale, Score, interval_of, limit_value


def overall(facts: ReportData, scales: Mapping[str, Scale]) -> tuple[Score, ...]:
    """One score for every classifier x metric of the panel, in the panel's order."""
    names = [classifier.name for classifier in facts.spec.classifiers]
    keys = [StreamKey(facts.spec.name, name, metric) for name in names for metric in metrics_of(facts)]
    return tuple(_score(facts, key, scales[key.metric]) for key in keys if _is_about(facts, key))


def by_segment(facts: ReportData, scales: Mapping[str, Scale]) -> tuple[Score, ...]:
    """One score for every classifier x metric x segment that was estimated or has a limit."""
    keys = {key for key in _estimated(facts.spec, facts.newest) if key.segment}
    keys |= {key for key in watched_streams(facts.spec) if key.segment}
    order = {classifier.name: place for place, classifier in enumerate(facts.spec.classifiers)}
    ranked = sorted(
        (key for key in keys if key.classifier in order),
        key=lambda key: (key.segment or "", order[key.classifier], _rank(key.metric)),
    )
    return tuple(_score(facts, key, scales[key.metric]) for key in ranked)


def metrics_of(facts: ReportData) -> tuple[str, ...]:
    """Every metric that was estimated, has a goal or has a limit."""
    found = {limit.metric for limit in facts.spec.limits} | {goal.metric for goal in facts.spec.goals}
    for one in facts.cycles:
        found |= {estimate.metric for estimate in (one.revision.estimates if one.revision else ())}
    return tuple(sorted(found, key=_rank))


def scales_of(facts: ReportData) -> dict[str, Scale]:
    """For every metric a range that holds all intervals and limits of all classifiers, in whole steps."""
    return {metric: _scale(_ends(facts, metric)) for metric in metrics_of(facts)}


def _rank(metric: str) -> tuple[int, str]:
    """In the registry's order; a stored metric that is no longer registered comes last."""
    order = list(METRICS)
    return (order.index(metric) if metric in order else len(order), metric)


def _is_about(facts: ReportData, key: StreamKey) -> bool:
    """Whether a metric concerns this classifier at all; an unestimated goal or limit may name others only."""
    if any(one.estimate(key) for one in facts.cycles) or key in watched_streams(facts.spec):
        return True
    return any(goal.is_for(key.classifier, key.metric) for goal in facts.spec.goals)


def _estimated(spec: PanelSpec, one: CycleData | None) -> set[StreamKey]:
    estimates = one.revision.estimates if one and one.revision else ()
    return {StreamKey(spec.name, e.classifier, e.metric, str(e.segment) if e.segment else None) for e in estimates}


def _score(facts: ReportData, key: StreamKey, scale: Scale) -> Score:
    one = facts.newest
    estimate = one.estimate(key) if one else None
    state = one.states.get(key) if one else None
    interval = interval_of(estimate)
    before = _previous_value(facts, key)
    return Score(
        classifier=key.classifier,
        metric=key.metric,
        segment=key.segment,
        estimate=interval,
        labels_used=estimate.labels_used if estimate else 0,
        state=state.state if state else None,
        reason=state.reason if state else _why_not(one, estimate),
        limit=one.limits.get(key) if one else watched_streams(facts.spec).get(key),
        change=interval.value - before.value if interval and before else None,
        change_since=before.window if interval and before else None,
        previous=None if interval else before,
        revision=one.revision.number if one and one.revision else None,
        scale=scale,
        deff=estimate.deff if estimate else None,
        method=estimate.method if estimate else "",
        outlooks=tuple(o for o in facts.outlooks if one and o.key == key and o.cycle == one.cycle.id),
        baseline=baseline_view(one.baselines.get(key) if one else None, interval, _confidence(one, estimate)),
    )


def _confidence(one: CycleData | None, estimate: Estimate | None) -> float:
    if estimate is not None:
        return estimate.confidence
    return one.spec.confidence if one else 0.95


def _why_not(one: CycleData | None, estimate: Estimate | None) -> str:
    if one is None:
        return "no window has been judged yet"
    if estimate is None:
        return one.cycle.reason or "it was not estimated in this window"
    return estimate.result.reason if isinstance(estimate.result, Undefined) else ""


def _previous_value(facts: ReportData, key: StreamKey) -> PreviousValue | None:
    """The newest value of a window before the scorecard's."""
    for one in reversed(facts.cycles):
        if facts.newest is None or one.cycle.period >= facts.newest.cycle.period:
            continue
        if interval := interval_of(one.estimate(key)):
            return PreviousValue(interval.value, one.cycle.window)
    return None


def _ends(facts: ReportData, metric: str) -> list[float]:
    """Values that the charts must hold. Segments are left out: their wide intervals would flatten the rest."""
    ends = []
    for one in facts.cycles:
        for estimate in one.revision.estimates if one.revision else ():
            if estimate.metric == metric and not estimate.segment and isinstance(estimate.result, IntervalEstimate):
                ends += [estimate.result.low, estimate.result.high]
        was = [kept.estimate for key, kept in one.baselines.items() if key.metric == metric and not key.segment]
        ends += [end for interval in was for end in (interval.low, interval.high)]
        limits = (limit_value(limit) for key, limit in one.limits.items() if key.metric == metric and not key.segment)
        ends += [value for value in limits if value is not None]
    return ends


def _scale(ends: list[float]) -> Scale:
    """Widen to whole steps, inside [0, 1].

    >>> _scale([.71, .86])
    Scale(low=0.7, high=0.9)
    """
    if not ends:
        return Scale(0.0, 1.0)
    low, high = min(ends), max(ends)
    wide = max(high - low, 0.005)
    steps = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
    step = next((big for small, big in pairwise(steps) if wide / small <= 4), steps[-1])
    bottom = max(0.0, floor(low / step + 1e-9) * step)
    top = min(1.0, ceil(high / step - 1e-9) * step)
    return Scale(round(bottom, 6), round(max(top, bottom + step), 6)) if top > bottom else Scale(0.0, 1.0)
