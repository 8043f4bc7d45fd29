"""Judge how far a metric has fallen since its baseline; both are estimates with intervals."""

from dataclasses import dataclass, replace

from stratawatch.core.alarms.alarm_states import AlarmState, Judgement
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.baselines.drop import Drop, metric_drop
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.metrics import metric_named
from stratawatch.formatting import confidence_text, estimate_text, exact_points, points


@dataclass(frozen=True)
class ActiveBaseline:
    """The baseline that a window is judged against: its evidence, and its date in words (`of`)."""

    evidence: BaselineShare | TwoSampleBaseline
    of: str

    def drop_to(self, metric: str, current: IntervalEstimate, confidence: float) -> Drop:
        """The drop from the baseline to the current value, whose interval has this confidence."""
        # An interval that mixes two laws may miss its value by a hair.
        low, high = min(current.low, current.value), max(current.high, current.value)
        return metric_drop(metric, self.evidence.interval_at(confidence), replace(current, low=low, high=high))


def judge_drop(
    estimate: Estimate,
    interval: IntervalEstimate,
    page_estimate: Estimate,
    baseline: ActiveBaseline | Undefined,
    max_drop: float,
    widest: float,
) -> Judgement:
    """BREACH if the page's interval of the drop lies wholly beyond `max_drop`, OK if the ordinary one lies within.

    Both intervals include the baseline's uncertainty. BLIND without a baseline, or where half the interval is wider
    than `widest`.
    """
    if isinstance(baseline, Undefined):
        went = "rose" if metric_named(estimate.metric).lower_is_better else "fell"
        return Judgement(AlarmState.BLIND, f"cannot tell how far it {went}: {baseline.reason}")
    fell = baseline.drop_to(estimate.metric, interval, estimate.confidence)
    half = fell.half_width
    state, verdict = _verdict(fell, max_drop, widest)
    page = page_estimate.result
    if isinstance(page, IntervalEstimate):
        on_page = baseline.drop_to(estimate.metric, page, page_estimate.confidence)
        if on_page.proven_beyond(max_drop):
            proof = f"at least {points(on_page.low, half)} at {confidence_text(page_estimate.confidence)}"
            state, verdict = AlarmState.BREACH, f"proven to be more ({proof})"
    against = f"{change_text(estimate.metric, fell)} against the baseline of {baseline.of}"
    now = estimate_text(interval.value, interval.low, interval.high, estimate.confidence)
    allowed = f"a {worsening_word(estimate.metric)} of {exact_points(max_drop)} is allowed"
    return Judgement(state, f"{against}, {allowed}: {verdict}; now {now}, {estimate.labels_used} labels")


def _verdict(fell: Drop, max_drop: float, widest: float) -> tuple[AlarmState, str]:
    """The state by the ordinary interval, and its words."""
    half = fell.half_width
    if fell.high <= max_drop:
        return AlarmState.OK, "proven to be within"
    if half > widest and not fell.proven_beyond(max_drop):
        words = f"plus-minus {points(half, half)}, more than {points(widest, half)}"
        return AlarmState.BLIND, f"too wide to tell ({words})"
    if fell.value <= max_drop:
        return AlarmState.UNPROVEN, "within, but that is not proven"
    return AlarmState.AT_RISK, "more, but that is not proven"


def worsening_word(metric: str) -> str:
    """The word for a metric that gets worse: a rise where lower is better, else a fall."""
    return "rise" if metric_named(metric).lower_is_better else "fall"


def change_text(metric: str, fell: Drop) -> str:
    """A change since the baseline in words, in the direction in which the value moved.

    >>> drops = {"precision": Drop(0.031, 0.012, 0.05), "false_omission_rate": Drop(0.031, -0.01, 0.05)}
    >>> tuple(change_text(metric, fell) for metric, fell in drops.items())
    ('fell by 3.1 points (1.2 to 5.0)', 'rose by 3.1 points (-1.0 to 5.0)')
    """
    half = fell.half_width
    worse = fell.value >= 0
    down = worse != metric_named(metric).lower_is_better
    ends = (fell.low, fell.high) if worse else (-fell.high, -fell.low)
    low, high = (points(end, half) for end in ends)
    return f"{'fell' if down else 'rose'} by {points(abs(fell.value), half)} points ({low} to {high})"
