"""How each metric of each classifier moved over the windows; what could not be estimated stays a gap."""

from collections.abc import Mapping

from stratawatch.core.estimate import Undefined
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.states import ACTIVE_CYCLES
from stratawatch.report.report_data import CycleData, ReportData
from stratawatch.report.scores import metrics_of
from stratawatch.report.view_models import Point, Scale, Trend, interval_of, limit_value, limit_word


def trends(facts: ReportData, scales: Mapping[str, Scale]) -> tuple[Trend, ...]:
    """A trend for every classifier x metric that was estimated at least once."""
    names = [classifier.name for classifier in facts.spec.classifiers]
    keys = [StreamKey(facts.spec.name, name, metric) for name in names for metric in metrics_of(facts)]
    return tuple(_trend(facts, key, scales[key.metric]) for key in keys if any(c.estimate(key) for c in facts.cycles))


def _trend(facts: ReportData, key: StreamKey, scale: Scale) -> Trend:
    words = [limit_word(one.limits.get(key)) for one in facts.cycles]
    return Trend(
        classifier=key.classifier,
        metric=key.metric,
        limit_word=next((word for word in reversed(words) if word), ""),
        points=tuple(_point(one, key) for one in facts.cycles),
        scale=scale,
    )


def _point(one: CycleData, key: StreamKey) -> Point:
    estimate, state = one.estimate(key), one.states.get(key)
    interval = interval_of(estimate)
    gap = ""
    if interval is None:
        reason = estimate.result.reason if estimate and isinstance(estimate.result, Undefined) else ""
        gap = reason or one.cycle.reason or f"the cycle is {one.cycle.state.value}"
    return Point(
        window=one.cycle.window,
        estimate=interval,
        state=state.state if state else None,
        limit=limit_value(one.limits.get(key)),
        gap=gap,
        baseline=kept.estimate if (kept := one.baselines.get(key)) else None,
        under_way=not one.finished and one.cycle.state in ACTIVE_CYCLES,
    )
