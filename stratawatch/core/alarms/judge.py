"""The page by one window: the confidence that it needs and what it says; and doubts that missing answers raise."""

from dataclasses import replace
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.alarms.drops import NO_BASELINE, ActiveBaseline
from stratawatch.core.alarms.ends import Distance, ends_of, fixed_ends
from stratawatch.core.alarms.page_value import lies_outside
from stratawatch.core.alarms.readings import Reading
from stratawatch.core.designs.missing_bounds import MissingBounds, blind_reason
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.missing_answers import MissingLean
from stratawatch.core.goals import Limit
from stratawatch.formatting import estimate_text

_LEAST_CONFIDENT: Final = 0.95
_MOST_CONFIDENT: Final = 1 - 1e-9
_HOWEVER: Final = "so it is however the missing answers had come out"


def page_confidence(streams: int, periods_a_year: float, false_pages_per_year: float) -> float:
    """Two-sided confidence 1 - 2 F/(M T), at least .95: M streams, T periods a year, F false pages a year expected.

    A page needs the interval to lie wholly on the wrong side of its limit: probability at most F/(M T) a stream and
    period while the metric keeps its limit, so at most F false pages a year, however the streams depend on each other.
    A stream whose limit has several ends counts once for each of them.

    >>> round(page_confidence(streams=8, periods_a_year=52, false_pages_per_year=1), 5)
    0.99519
    """
    looks = max(streams, 1) * max(periods_a_year, 1e-9)
    return min(max(1 - 2 * false_pages_per_year / looks, _LEAST_CONFIDENT), _MOST_CONFIDENT)


def page_by_window(
    estimate: Estimate,
    page_estimate: Estimate,
    limit: Limit,
    *,
    baseline: ActiveBaseline | Undefined = NO_BASELINE,
    bounds: MissingBounds | None = None,
    lean: MissingLean | None = None,
) -> str:
    """Why this window alone pages, or nothing: the page's interval lies wholly beyond an end of the limit.

    Where missing answers leave the estimate open, the span of their bounds has to lie beyond a floor or ceiling too.
    A window that knows its metric less well than five random labels would does not page (`is_precise_enough`).
    """
    interval, page = estimate.result, page_estimate.result
    if isinstance(interval, Undefined) or isinstance(page, Undefined):
        return ""
    reading = Reading(1, interval, estimate.labels_used, estimate.confidence)
    for end in ends_of(limit, interval.value, baseline):
        if lies_outside(end, page, page_estimate.confidence):
            side = end.side(reading, is_inside=False, is_proven=True)
            proof = end.page_proof(reading, page, page_estimate.confidence)
            said = end.sentence(reading, f"{side}{proof}")
            if bounds is None or not blind_reason(bounds, interval, lean):
                return said
            is_sure = any(one.is_outside for one in _span_distances(interval, bounds, limit))
            return f"{said}; {_HOWEVER}" if is_sure else ""
    return ""


def judge_missing(
    said: Judgement, estimate: Estimate, limit: Limit, bounds: MissingBounds | None, lean: MissingLean | None
) -> Judgement:
    """The judgement, or BLIND where missing answers leave it open; what even the span of the bounds proves stays."""
    interval = estimate.result
    if bounds is None or isinstance(interval, Undefined) or not (why := blind_reason(bounds, interval, lean)):
        return said
    distances = _span_distances(interval, bounds, limit)
    breached = said.state == AlarmState.BREACH and any(one.is_outside for one in distances)
    kept = said.state == AlarmState.OK and limit.max_drop is None and all(one.is_inside for one in distances)
    if breached or kept:
        return replace(said, reason=f"{said.reason}; {_HOWEVER}")
    value = estimate_text(interval.value, interval.low, interval.high, estimate.confidence)
    doubt = f"{value} is in doubt: {why}; {estimate.labels_used} labels"
    return Judgement(AlarmState.BLIND, doubt, BlindCause.MISSING_ANSWERS)


def _span_distances(interval: IntervalEstimate, bounds: MissingBounds, limit: Limit) -> list[Distance]:
    """How far inside the floor and the ceiling the span of the bounds lies."""
    span = IntervalEstimate(interval.value, bounds.low, bounds.high, interval.n_eff)
    return [end.distance(span) for end in fixed_ends(limit, interval.value)]
