"""The state of a stream from three readings of its windows.

OK takes one of three intervals inside, and the last two windows together inside; AT RISK is the last four together
outside; BREACH lasts from the page until OK. Whom to page is decided elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState, BlindCause, EndOutlook, Judgement
from stratawatch.core.alarms.drops import NO_BASELINE, ActiveBaseline, fell_or_rose
from stratawatch.core.alarms.ends import DropEnd, End, fixed_ends
from stratawatch.core.alarms.reading_lengths import LAST, MANY
from stratawatch.core.alarms.readings import Reading, Readings, Together, readings
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Limit
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text


def judge_state(
    estimates: Sequence[Estimate],
    first_use: float,
    limit: Limit,
    margin: float,
    *,
    is_paged: bool = False,
    blind_margin_factor: float = 3.0,
    baseline: ActiveBaseline | Undefined = NO_BASELINE,
    together: Together | None = None,
) -> Judgement:
    """The state of a stream whose windows have these estimates, without gaps, oldest first; the last is this window's.

    `first_use` and `together` are those of `readings`. `is_paged` means that somebody was
    paged in an earlier window and the stream was not OK since. BLIND is a stream without a value in the last two
    windows, and a reading of four whose interval is wider than so many margins and lies across the limit.

    A limit may have several ends: a floor, a ceiling, a largest drop since the baseline. The most urgent state among
    them is the judgement, so OK is proven for all of them.
    """
    stream = _Stream(tuple(estimates), first_use, together)
    rule = _Rule(margin, blind_margin_factor, is_paged)
    found = stream.readings
    if isinstance(found, Undefined):
        return Judgement(AlarmState.BLIND, f"cannot see: {found.reason}", BlindCause.FEW_LABELS)
    said = [_judge_end(end, stream, found, rule) for end in fixed_ends(limit, found.few.interval.value)]
    if limit.max_drop is not None:
        said.append(_judge_drop(stream, limit.metric, limit.max_drop, baseline, rule))
    if not said:
        raise StratawatchError(
            f"the limit for {limit.metric} has no end", expected="a floor or a ceiling, or a largest drop"
        )
    worst, this = min(said, key=lambda one: URGENCY.index(one.state)), estimates[-1].result
    worst = replace(worst, outlooks=tuple(outlook for one in said for outlook in one.outlooks))
    if isinstance(this, Undefined):
        return replace(worst, reason=f"{worst.reason}; nothing is known of this window: {this.reason}")
    return worst


@dataclass(frozen=True)
class _Stream:
    """The estimates of a stream's windows, oldest first."""

    estimates: tuple[Estimate, ...]
    first_use: float
    together: Together | None

    @property
    def readings(self) -> Readings | Undefined:
        """The three readings."""
        return readings(self.estimates, self.first_use, self.together)

    def with_more_windows(self, number: int, value: float) -> "_Stream":
        """The stream after more windows like its newest one, in which the metric has this value.

        Nobody knows which labels these will share: readings of them are means of estimates.
        """
        valued = (one for one in reversed(self.estimates) if isinstance(one.result, IntervalEstimate))
        newest = next(valued, self.estimates[-1])
        return _Stream((*self.estimates, *[_moved(newest, value)] * number), self.first_use, None)


@dataclass(frozen=True)
class _Rule:
    """What a judgement asks besides the estimates."""

    margin: float
    blind_margin_factor: float
    is_paged: bool


def _judge_drop(
    stream: _Stream, metric: str, max_drop: float, baseline: ActiveBaseline | Undefined, rule: _Rule
) -> Judgement:
    """The state by a largest drop, from the windows since its baseline is in force."""
    if isinstance(baseline, Undefined):
        return _no_drop(metric, baseline, BlindCause.NO_BASELINE)
    since = replace(stream, estimates=stream.estimates[-baseline.windows :])
    found = since.readings
    if isinstance(found, Undefined):
        return _no_drop(metric, found, BlindCause.FEW_LABELS)
    return _judge_end(DropEnd(metric, max_drop, baseline), since, found, rule)


def _no_drop(metric: str, found: Undefined, cause: BlindCause) -> Judgement:
    return Judgement(AlarmState.BLIND, f"cannot see how far it {fell_or_rose(metric)}: {found.reason}", cause)


def _judge_end(end: End, stream: _Stream, found: Readings, rule: _Rule) -> Judgement:
    """The state against one end of the limit, and the outlook at it."""
    outlook = _outlook(end, stream, found)
    return replace(_state_at(end, found, rule, outlook), outlooks=(outlook,))


def _state_at(end: End, found: Readings, rule: _Rule, outlook: EndOutlook) -> Judgement:
    few, proof, is_in = found.few, _proof(end, found), _is_in_lately(end, found)
    distance = end.distance(few.interval, few.confidence)
    # Without a value of this window nothing is new: what was known before ends no page.
    if proof and is_in and not (rule.is_paged and found.now is None):
        return _said(AlarmState.OK, end, proof, end.side(proof, is_inside=True, is_proven=True))
    side = end.side(few, is_inside=distance.value >= 0)
    if rule.is_paged:
        return _said(AlarmState.BREACH, end, few, f"{side}; paged, and not proven inside since")
    if distance.half_width > rule.blind_margin_factor * rule.margin and not (proof or distance.is_outside):
        return _said(AlarmState.BLIND, end, few, end.too_wide(few, rule.margin, rule.blind_margin_factor))
    if distance.value < 0:
        return _said(AlarmState.AT_RISK, end, few, f"{side} so far, not proven")
    if proof and not is_in:
        but = f"{end.side(proof, is_inside=True, is_proven=True)}, but the last {LAST} windows together are not inside"
        return _said(AlarmState.UNPROVEN, end, proof, but)
    return _said(AlarmState.UNPROVEN, end, few, f"{side} so far, not proven; {_when_proven(outlook.windows_to_ok)}")


def _outlook(end: End, stream: _Stream, found: Readings) -> EndOutlook:
    """How the stream stands at this end, and when it would be proven inside if the metric keeps its value."""
    few = found.few
    distance, proof, is_in = end.distance(few.interval, few.confidence), _proof(end, found), _is_in_lately(end, found)
    if proof and is_in:
        windows: int | None = 0
    else:
        windows = _windows_to_ok(end, stream, few.interval.value) if distance.value >= 0 else None
    fell_lately = proof is not None and not is_in and distance.value >= 0
    return EndOutlook(end.kind, few, distance.value, _half_width_to_prove(end, few), windows, fell_lately)


def _half_width_to_prove(end: End, reading: Reading) -> float | None:
    """What a window's interval may have at most that proves the reading's value inside; None where no window's does.

    Near 0 and 1 an interval reaches further to one side: the arm towards the limit must not reach beyond it.
    """
    interval = reading.interval
    distance = end.distance(interval, reading.confidence)
    arm = max(interval.value - interval.low if end.worse_is_lower else interval.high - interval.value, 0.0)
    # A baseline has an interval too: what it adds to that of a drop no window's labels take away.
    room = distance.value**2 - max((distance.value - distance.low) ** 2 - arm**2, 0.0)
    if distance.value <= 0 or room <= 0:
        return None
    return interval.half_width * sqrt(room) / arm if arm else interval.half_width


def _said(state: AlarmState, end: End, reading: Reading, verdict: str) -> Judgement:
    cause = BlindCause.FEW_LABELS if state == AlarmState.BLIND else None
    return Judgement(state, end.sentence(reading, verdict), cause)


def _proof(end: End, found: Readings) -> Reading | None:
    """The shortest reading that lies inside with all of its interval."""
    inside = (one for one in found.each if end.distance(one.interval, one.confidence).is_inside)
    return next(inside, None)


def _is_in_lately(end: End, found: Readings) -> bool:
    """Whether the last two windows together lie inside."""
    return end.distance(found.last.interval, found.last.confidence).value >= 0


def _windows_to_ok(end: End, stream: _Stream, value: float) -> int | None:
    """How many more windows like the newest one make the metric OK if it keeps this value; None: no number does."""
    for number in range(1, MANY + 1):
        found = stream.with_more_windows(number, value).readings
        if not isinstance(found, Undefined) and _proof(end, found) and _is_in_lately(end, found):
            return number
    return None


def _when_proven(windows: int | None) -> str:
    """When it will be proven, in words."""
    return "not with these labels" if windows is None else f"about {count_text(windows, 'more window')}"


def _moved(estimate: Estimate, value: float) -> Estimate:
    """The estimate with another value, its interval as far from it on both sides."""
    found = estimate.result
    if isinstance(found, Undefined):
        return estimate
    by = value - found.value
    return replace(estimate, result=replace(found, value=value, low=found.low + by, high=found.high + by))
