"""How each metric of each classifier moved over the windows; what could not be told stays a gap."""

from collections.abc import Mapping

from stratawatch.core.estimate import Undefined
from stratawatch.engine.model.notification import StreamKey
from stratawatch.engine.model.states import ACTIVE_CYCLES
from stratawatch.report.facts import CycleFacts, Facts
from stratawatch.report.model import Point, Scale, Trend, known_of, limit_value, limit_word
from stratawatch.report.scores import metrics_of


def trends(facts: Facts, scales: Mapping[str, Scale]) -> tuple[Trend, ...]:
    """A trend for every classifier x metric that was estimated at least once."""
    names = [classifier.name for classifier in facts.spec.classifiers]
    keys = [StreamKey(facts.spec.name, name, metric) for name in names for metric in metrics_of(facts)]
    return tuple(_trend(facts, key, scales[key.metric]) for key in keys if any(c.estimate(key) for c in facts.cycles))


def _trend(facts: Facts, key: StreamKey, scale: Scale) -> Trend:
    words = [limit_word(one.limits.get(key)) for one in facts.cycles]
    return Trend(
        classifier=key.classifier,
        metric=key.metric,
        limit_word=next((word for word in reversed(words) if word), ""),
        points=tuple(_point(one, key) for one in facts.cycles),
        scale=scale,
    )


def _point(one: CycleFacts, key: StreamKey) -> Point:
    estimate, state = one.estimate(key), one.states.get(key)
    known = known_of(estimate)
    gap = ""
    if known is None:
        told = estimate.outcome.reason if estimate and isinstance(estimate.outcome, Undefined) else ""
        gap = told or one.cycle.reason or f"the cycle is {one.cycle.state.value}"
    return Point(
        window=one.cycle.window,
        known=known,
        state=state.state if state else None,
        limit=limit_value(one.limits.get(key)),
        gap=gap,
        baseline=kept.known if (kept := one.baselines.get(key)) else None,
        under_way=not one.finished and one.cycle.state in ACTIVE_CYCLES,
    )
