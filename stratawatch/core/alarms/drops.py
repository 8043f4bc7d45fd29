"""How far a metric has fallen since its baseline, in numbers and words; both are estimates with intervals."""

from dataclasses import dataclass, replace
from typing import Final

from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.baselines.drop import Drop, metric_drop
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.metrics import metric_named
from stratawatch.formatting import points

NO_BASELINE: Final = Undefined("no baseline is in force")
EVERY_WINDOW: Final = 10**6


@dataclass(frozen=True)
class ActiveBaseline:
    """The baseline that a window is judged against: its evidence, and its date in words (`of`).

    `windows` have begun since it is in force, this one included: no earlier ones are compared with it, as it may have
    been measured from them. With `has_evidence`, falls from it are added up over windows.
    """

    evidence: BaselineShare | TwoSampleBaseline
    of: str
    windows: int = EVERY_WINDOW
    has_evidence: bool = False

    def drop_to(self, metric: str, current: IntervalEstimate, confidence: float) -> Drop:
        """The drop from the baseline to the current value, whose interval has this confidence."""
        # An interval that mixes two laws may miss its value by a hair.
        low, high = min(current.low, current.value), max(current.high, current.value)
        return metric_drop(metric, self.evidence.interval_at(confidence), replace(current, low=low, high=high))


def fell_or_rose(metric: str) -> str:
    """How a metric that got worse moved."""
    return "rose" if metric_named(metric).lower_is_better else "fell"


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
