"""The three readings of a stream that states are judged by: this window, the last 4 and the last 13.

Several windows are pooled label by label (`core.estimation.pooled_windows`) where their labels are at hand; else their
estimates are averaged, and a factor widens the mean for labels that were used before.

No reading holds its confidence at every look of a year: what is promised of false alarms is promised of pages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.alarms.reading_lengths import FEW, LAST, MANY
from stratawatch.core.baselines.baseline_from_estimates import at_confidence
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.mean_of_windows import mean_of_windows, shared_label_factor
from stratawatch.formatting import count_text, estimate_text


@dataclass(frozen=True)
class Reading:
    """A metric over the newest windows, and the labels they used."""

    windows: int
    interval: IntervalEstimate
    labels: int
    confidence: float

    @property
    def text(self) -> str:
        """The value with its interval, after the windows where it is not this one alone."""
        return f"{self.span}{self.value_text}"

    @property
    def value_text(self) -> str:
        """The value with its interval."""
        found = self.interval
        return estimate_text(found.value, found.low, found.high, self.confidence)

    @property
    def span(self) -> str:
        """The windows in words before a value; empty for one."""
        return f"over the last {self.windows} windows " if self.windows > 1 else ""

    @property
    def labels_text(self) -> str:
        """The number of labels that were used."""
        return count_text(self.labels, "label")


@dataclass(frozen=True)
class Readings:
    """What windows say of a stream: this one (None: nothing), the last 4, the last 13; and the last two.

    Where there are fewer windows, a reading is of those that there are.
    """

    now: Reading | None
    few: Reading
    many: Reading
    last: Reading

    @property
    def each(self) -> tuple[Reading, ...]:
        """The three readings that may prove something, the shortest first."""
        return (self.few, self.many) if self.now is None else (self.now, self.few, self.many)


Together = Callable[[int], Estimate | None]
"""By a number of newest windows, gaps counted, what they say together label by label; None where that is not known."""


def readings(estimates: Sequence[Estimate], first_use: float, together: Together | None = None) -> Readings | Undefined:
    """The readings of one stream from its windows' estimates, without gaps, oldest first; the last is this window's.

    What windows say `together` goes before the mean of their estimates. `first_use` is the share of this window's
    labels that no earlier window used: the smaller it is, the less the mean knows. Undefined where the last two windows
    have no value.

    >>> found = readings([Estimate("lr", "recall", None, IntervalEstimate(0.7, 0.6, 0.8, 80), 300, "", 0.95)] * 4, 1.0)
    >>> found.now.text, found.few.text
    ('70.0% (60.0 to 80.0, 95%)', 'over the last 4 windows 70.0% (65.0 to 75.0, 95%)')
    """
    now, last, few, many = (_reading(estimates[-n:], first_use, together) for n in (1, LAST, FEW, MANY))
    if last is None or few is None or many is None:
        return next((one.result for one in reversed(estimates) if isinstance(one.result, Undefined)), NOTHING)
    return Readings(now, few, many, last)


NOTHING: Final = Undefined("it was not estimated")


def _reading(newest: Sequence[Estimate], first_use: float, together: Together | None) -> Reading | None:
    """What these windows say, at the confidence of the last; None where they have no value."""
    pooled = together(len(newest)) if together and len(newest) > 1 else None
    if pooled is None:
        return _mean(newest, first_use)
    if isinstance(pooled.result, Undefined):
        return None
    return Reading(len(newest), pooled.result, pooled.labels_used, pooled.confidence)


def _mean(newest: Sequence[Estimate], first_use: float) -> Reading | None:
    """The mean of the windows that have a value."""
    valued = [(one, one.result) for one in newest if isinstance(one.result, IntervalEstimate)]
    if not valued:
        return None
    confidence = newest[-1].confidence
    intervals = [at_confidence(confidence, interval, one.confidence) for one, interval in valued]
    mean = mean_of_windows(intervals, shared_label_factor(len(intervals), first_use))
    return Reading(len(newest), mean, sum(one.labels_used for one, _ in valued), confidence)
