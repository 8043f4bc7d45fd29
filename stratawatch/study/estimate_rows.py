"""The results of a study: a row for each classifier, metric and segment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from stratawatch.core.designs.missing_bounds import REWEIGHTING, MissingBounds, blind_reason
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.missing_answers import MissingLean
from stratawatch.core.goals import Goal
from stratawatch.core.metrics import METRICS, metric_named
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, did_you_mean, percent
from stratawatch.study.result_table import ResultTable

if TYPE_CHECKING:
    import pandas as pd

State = Literal["held", "short", "known", "undefined", "blind"]


@dataclass(frozen=True)
class StudyEstimate:
    """One metric. `value`, `low`, `high` and `n_eff` are None where it cannot be estimated; `reason` says why.

    `state`: "held", the interval's half-width is within its goal's margin; "short", it is not yet; "known", there is no
    goal for it; "undefined", there is no value; "blind", missing answers may move it far, as `reason` says.
    `segment` None stands for everything. `deff`: how many times larger the variance is because labels come in clusters;
    None without clusters.

    `missing` of the drawn items that the metric reads have no answer, as a share. However these had come out, the value
    were between `lowest` and `highest`; `worst_low` to `worst_high` adds sampling error. All are None where all came.

    `corrected`, between `corrected_low` and `corrected_high`, is the value without the errors of labels, as gold items
    show them; None without gold items, and where they leave nothing to say: `uncorrected_reason` says why.

    >>> row = StudyEstimate("lr", "precision", None, 0.8, 0.71, 0.87, 100, 98.0, "short", "logit", margin=0.05)
    >>> round(row.half_width, 3)
    0.08
    """

    classifier: str
    metric: str
    segment: str | None
    value: float | None
    low: float | None
    high: float | None
    labels_used: int
    n_eff: float | None
    state: State
    method: str
    margin: float | None = None
    reason: str | None = None
    deff: float | None = None
    missing: float | None = None
    lowest: float | None = None
    highest: float | None = None
    worst_low: float | None = None
    worst_high: float | None = None
    corrected: float | None = None
    corrected_low: float | None = None
    corrected_high: float | None = None
    uncorrected_reason: str | None = None

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def in_words(self) -> str:
        """The row as a sentence; empty where there is no value."""
        if self.value is None or self.low is None or self.high is None:
            return ""
        where = f" in {self.segment}" if self.segment else ""
        name = f"the {metric_named(self.metric).title} of {self.classifier}{where}"
        interval = f"with its interval from {self.low:.3f} to {self.high:.3f}"
        return f"{name} is {self.value:.3f}, {interval}, from {count_text(self.labels_used, 'label')}"


class StudyEstimates(ResultTable[StudyEstimate]):
    """Estimates in the order segment, classifier, metric: a sequence, a table when printed, a frame by `to_frame()`.

    >>> row = StudyEstimate("lr", "precision", None, 0.8, 0.71, 0.87, 100, 98.0, "known", "logit")
    >>> StudyEstimates([row]).of("lr", "precision").value
    0.8
    """

    def of(self, classifier: str, metric: str, segment: str | None = None) -> StudyEstimate:
        """The one estimate of that name; a segment is written "column=value"."""
        for row in self:
            if (row.classifier, row.metric, row.segment) == (classifier, metric, segment):
                return row
        where = f" in {segment}" if segment else ""
        raise StratawatchError(
            f"there is no estimate of {metric!r} of {classifier!r}{where}",
            expected="; ".join(self._choices()),
            hint=self._what_was_meant(classifier, metric, segment),
        )

    def to_frame(self) -> "pd.DataFrame":
        """As every table's, with `half_width` beside the interval."""
        frame = super().to_frame()
        if len(self):
            frame.insert(list(frame.columns).index("high") + 1, "half_width", (frame["high"] - frame["low"]) / 2)
        return frame

    def _choices(self) -> list[str]:
        """What there is of each: classifiers, metrics, segments."""
        found = {
            "classifiers": [row.classifier for row in self],
            "metrics": [row.metric for row in self],
            "segments": [row.segment for row in self if row.segment],
        }
        return [f"{name} {', '.join(dict.fromkeys(words))}" for name, words in found.items() if words]

    def _what_was_meant(self, classifier: str, metric: str, segment: str | None) -> str:
        """The nearest name to the one that is wrong, or how to ask for what these estimates leave out."""
        segments = [row.segment for row in self if row.segment]
        if all(row.classifier != classifier for row in self):
            return did_you_mean(classifier, dict.fromkeys(row.classifier for row in self))
        if metric in METRICS and all(row.metric != metric for row in self):
            return f'ask for it: estimates(metrics=["{metric}"])'
        if all(row.metric != metric for row in self):
            return did_you_mean(metric, METRICS)
        if segment is not None and segment not in segments:
            inside = [name for name in segments if name.partition("=")[2] == segment]
            return did_you_mean(inside[0] if inside else segment, dict.fromkeys(segments))
        return ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """That answers are missing, how many at most, and what cannot be seen for it."""
        most = max((row.missing or 0.0 for row in self), default=0.0)
        if most == 0:
            return ()
        blind = dict.fromkeys(row.reason for row in self if row.state == "blind" and row.reason)
        return (f"Of the drawn items that a metric reads, up to {percent(most)} have no answer", *blind)


def goal_margins(goals: Sequence[Goal], classifiers: Sequence[str]) -> dict[tuple[str, str], float]:
    """The narrowest margin of any goal, by (classifier, metric)."""
    margins: dict[tuple[str, str], float] = {}
    for goal in goals:
        for name in goal.classifiers or classifiers:
            margins[name, goal.metric] = min(goal.margin, margins.get((name, goal.metric), goal.margin))
    return margins


def study_estimates(
    estimates: Sequence[Estimate],
    margins: Mapping[tuple[str, str], float],
    remark: str = "",
    bounds: Sequence[MissingBounds | None] = (),
    lean: MissingLean | None = None,
) -> StudyEstimates:
    """Estimates as rows beside the margins of goals; `remark` is added to every method."""
    rows = (_row(one, margins, remark) for one in estimates)
    return StudyEstimates([_with_bounds(*each, lean) for each in zip_longest(rows, estimates, bounds)])


def with_corrections(rows: StudyEstimates, corrected: Sequence[IntervalEstimate | Undefined]) -> StudyEstimates:
    """Rows beside what is left of them without the errors of labels."""
    return StudyEstimates([_with_correction(*each) for each in zip(rows, corrected, strict=True)])


def _with_correction(row: StudyEstimate, found: IntervalEstimate | Undefined) -> StudyEstimate:
    if not isinstance(found, IntervalEstimate):
        return replace(row, uncorrected_reason=found.reason)
    return replace(row, corrected=found.value, corrected_low=found.low, corrected_high=found.high)


def _row(one: Estimate, margins: Mapping[tuple[str, str], float], remark: str) -> StudyEstimate:
    margin = None if one.segment else margins.get((one.classifier, one.metric))
    found = one.result
    row = StudyEstimate(
        classifier=one.classifier,
        metric=one.metric,
        segment=str(one.segment) if one.segment else None,
        value=None,
        low=None,
        high=None,
        labels_used=one.labels_used,
        n_eff=None,
        state="undefined",
        method=f"{one.method}{remark}",
        margin=margin,
    )
    if not isinstance(found, IntervalEstimate):
        return replace(row, reason=found.reason)
    state: State = "known" if margin is None else "held" if found.half_width <= margin else "short"
    return replace(
        row, value=found.value, low=found.low, high=found.high, n_eff=found.n_eff, state=state, deff=one.deff
    )


def _with_bounds(
    row: StudyEstimate, one: Estimate, bounds: MissingBounds | None, lean: MissingLean | None
) -> StudyEstimate:
    if bounds is None or not isinstance(one.result, IntervalEstimate):
        return row
    why = blind_reason(bounds, one.result, lean)
    return replace(
        row,
        method=f"{row.method}; {REWEIGHTING}",
        state="blind" if why else row.state,
        reason=why or None,
        missing=bounds.missing_share,
        lowest=bounds.lowest,
        highest=bounds.highest,
        worst_low=bounds.low,
        worst_high=bounds.high,
    )
