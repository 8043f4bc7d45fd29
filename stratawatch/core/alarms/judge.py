"""Judge a metric against its limit, and choose the confidence that a page needs."""

from dataclasses import dataclass
from typing import Final

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState, Judgement
from stratawatch.core.alarms.drops import ActiveBaseline, judge_drop
from stratawatch.core.designs.missing_bounds import MissingBounds, blind_reason
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.missing_answers import MissingLean
from stratawatch.core.goals import Limit
from stratawatch.errors import StratawatchError
from stratawatch.formatting import confidence_text, estimate_text, percent

_LEAST_CONFIDENT: Final = 0.95
_MOST_CONFIDENT: Final = 1 - 1e-9
NO_BASELINE: Final = Undefined("no baseline is in force")


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


def judge(
    estimate: Estimate,
    page_estimate: Estimate,
    limit: Limit,
    margin: float,
    *,
    blind_margin_factor: float = 3.0,
    baseline: ActiveBaseline | Undefined = NO_BASELINE,
) -> Judgement:
    """The alarm state of an estimate: BREACH by the page's interval, OK by the ordinary one, BLIND when too wide.

    A limit may have several ends: a floor, a ceiling, a largest drop since the baseline. The most urgent state among
    them is the judgement, so OK is proven for all of them.
    """
    interval = estimate.result
    if isinstance(interval, Undefined):
        return Judgement(AlarmState.BLIND, f"cannot tell: {interval.reason}")
    widest, half, width = blind_margin_factor * margin, interval.half_width, ""
    if half > widest:
        width = f"plus-minus {percent(half, half)}, more than {blind_margin_factor:g} x {percent(margin, half)}"
    ends = [_judge_end(bound, estimate, interval, page_estimate, width) for bound in _ends(limit, interval.value)]
    if limit.max_drop is not None:
        ends.append(judge_drop(estimate, interval, page_estimate, baseline, limit.max_drop, widest))
    if not ends:
        raise StratawatchError(
            f"the limit for {limit.metric} has no end", expected="a floor or a ceiling, or a largest drop"
        )
    return min(ends, key=lambda said: URGENCY.index(said.state))


def judge_missing(
    said: Judgement, estimate: Estimate, limit: Limit, bounds: MissingBounds | None, lean: MissingLean | None
) -> Judgement:
    """The judgement, or BLIND where missing answers leave it open; what even the span of the bounds proves stays."""
    interval = estimate.result
    if bounds is None or isinstance(interval, Undefined) or not (why := blind_reason(bounds, interval, lean)):
        return said
    span = IntervalEstimate(interval.value, bounds.low, bounds.high, interval.n_eff)
    ends = _ends(limit, interval.value)
    breached = said.state == AlarmState.BREACH and any(end.violated_by(span) for end in ends)
    kept = said.state == AlarmState.OK and limit.max_drop is None and all(end.kept_by(span) for end in ends)
    if breached or kept:
        return Judgement(said.state, f"{said.reason}; so it is however the missing answers had come out")
    value = estimate_text(interval.value, interval.low, interval.high, estimate.confidence)
    return Judgement(AlarmState.BLIND, f"{value} is in doubt: {why}; {estimate.labels_used} labels")


def _judge_end(
    bound: "_Bound", estimate: Estimate, interval: IntervalEstimate, page_estimate: Estimate, too_wide: str
) -> Judgement:
    page = page_estimate.result
    value = estimate_text(interval.value, interval.low, interval.high, estimate.confidence)
    labels = f"{estimate.labels_used} labels"
    if isinstance(page, IntervalEstimate) and bound.violated_by(page):
        end = "at most" if bound.is_floor else "at least"
        level = confidence_text(page_estimate.confidence)
        proof = "" if page == interval else f" ({end} {percent(_near(page, bound), interval.half_width)} at {level})"
        return Judgement(AlarmState.BREACH, f"{value} is proven {bound.wrong} {bound.name(interval)}{proof}; {labels}")
    if bound.kept_by(interval):
        return Judgement(AlarmState.OK, f"{value} is proven {bound.right} {bound.name(interval)}; {labels}")
    if too_wide and not bound.violated_by(interval):
        return Judgement(
            AlarmState.BLIND, f"{value} is too wide to tell ({too_wide}) about {bound.name(interval)}; {labels}"
        )
    holds = bound.holds(interval.value)
    state, side = (AlarmState.UNPROVEN, bound.right) if holds else (AlarmState.AT_RISK, bound.wrong)
    return Judgement(state, f"{value} is {side} {bound.name(interval)}, but that is not proven; {labels}")


@dataclass(frozen=True)
class _Bound:
    """One end of a limit: a floor, or a ceiling."""

    value: float
    is_floor: bool

    @property
    def wrong(self) -> str:
        return "below" if self.is_floor else "above"

    @property
    def right(self) -> str:
        return "at or above" if self.is_floor else "at or below"

    def name(self, beside: IntervalEstimate) -> str:
        return f"the {'floor' if self.is_floor else 'ceiling'} of {percent(self.value, beside.half_width)}"

    def holds(self, value: float) -> bool:
        return value >= self.value if self.is_floor else value <= self.value

    def kept_by(self, interval: IntervalEstimate) -> bool:
        return interval.low >= self.value if self.is_floor else interval.high <= self.value

    def violated_by(self, interval: IntervalEstimate) -> bool:
        return interval.high < self.value if self.is_floor else interval.low > self.value


def _ends(limit: Limit, value: float) -> list[_Bound]:
    """The ends of a limit, the one first that the value is nearest to violating."""
    ends = [_Bound(end, is_floor) for end, is_floor in ((limit.floor, True), (limit.ceiling, False)) if end is not None]
    return sorted(ends, key=lambda end: value - end.value if end.is_floor else end.value - value)


def _near(interval: IntervalEstimate, bound: _Bound) -> float:
    """The end of a violating interval that is nearest to the bound."""
    return interval.high if bound.is_floor else interval.low
