"""How each metric of each classifier moved over the windows; what could not be estimated stays a gap."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from stratawatch.core.estimate import Undefined
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_links import Deployment
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.engine.model.states import ACTIVE_CYCLES
from stratawatch.formatting import printable
from stratawatch.report.report_data import CycleData, ReportData
from stratawatch.report.scores import metrics_of
from stratawatch.report.view_models import Mark, Point, Scale, Trend, interval_of, limit_value, limit_word


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
        marks=tuple(_changes(facts, key.classifier)),
    )


def with_deployments(trends: Sequence[Trend], deployments: Sequence[Deployment]) -> tuple[Trend, ...]:
    """The trends with what was put into service marked in its window."""
    return tuple(
        replace(one, marks=tuple(sorted((*one.marks, *_deployed(one, deployments)), key=lambda mark: mark.place)))
        for one in trends
    )


def _deployed(trend: Trend, deployments: Sequence[Deployment]) -> Iterator[Mark]:
    for one in deployments:
        if one.classifier in ("", trend.classifier):
            for place, point in enumerate(trend.points):
                if point.window.start <= one.at < point.window.end:
                    yield Mark(place, f"{one.at:%Y-%m-%d}: {printable(one.what)}")


def _changes(facts: ReportData, name: str) -> Iterator[Mark]:
    """The windows from which on a classifier is read in another way or has another cut-off."""
    for place, (before, one) in enumerate(pairwise(facts.cycles), start=1):
        was, now = (next((c for c in o.spec.classifiers if c.name == name), None) for o in (before, one))
        if now is None or was == now:
            continue
        what = "joined the panel" if was is None else "its score or its call is read in another way"
        if was is not None and was.cut_off != now.cut_off:
            what = f"its cut-off went from {_cut_off(was)} to {_cut_off(now)}"
        yield Mark(place, f"{one.cycle.window.start:%Y-%m-%d}: {what}")


def _cut_off(one: ClassifierSpec) -> str:
    return "none" if one.cut_off is None else f"{one.cut_off:g}"


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
