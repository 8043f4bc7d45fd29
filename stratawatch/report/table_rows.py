"""Rows of the report's tables: cycles, incidents, labels and what they cost, missing answers, corrections."""

from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.cut_offs import CutOffChoice
from stratawatch.core.designs.missing_bounds import MissingBounds
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.missing_answers import AnswerCounts
from stratawatch.engine.evidence.cut_off_text import CutOffRow
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.states import CycleState


@dataclass(frozen=True)
class PreviousValue:
    """The newest value that could be told, and of which window."""

    value: float
    window: Window


@dataclass(frozen=True)
class LabelOutcomes:
    """A cycle's drawn items by their outcome. `new` were sent to people, `used` have a yes or no."""

    drawn: int = 0
    reused: int = 0
    new: int = 0
    used: int = 0
    skipped: int = 0
    open: int = 0
    expired: int = 0
    unsent: int = 0


@dataclass(frozen=True)
class PlainNeed:
    """The simple random samples that would estimate one metric with the same half-width."""

    classifier: str
    metric: str
    half_width: float
    separate: int  # from the items the metric is about: called positive, called negative; recall: from all
    shared: int  # from the whole population


@dataclass(frozen=True)
class Cost:
    """Labels used, beside what plain random sampling would need for the same half-widths."""

    used: int
    new: int
    needs: tuple[PlainNeed, ...]
    undefined_goals: int  # goals that could not be estimated and are left out of the comparison

    @property
    def separate(self) -> int:
        """Every metric of every classifier by a random sample of its own."""
        return sum(need.separate for need in self.needs)

    @property
    def shared(self) -> int:
        """One random sample of the population for all of them: the hardest one decides."""
        return max((need.shared for need in self.needs), default=0)


@dataclass(frozen=True)
class CycleRow:
    """One line of the table of cycles."""

    id: int
    period: int
    window: Window
    state: CycleState
    revision: int | None
    rows: int | None
    quarantined: int | None
    labels: LabelOutcomes
    note: str
    docs: str | None
    warnings: tuple[str, ...] = ()  # what was odd about its input and did not refuse it


@dataclass(frozen=True)
class IncidentRow:
    """An incident that is open, or that began or ended in the windows of the report."""

    name: str
    kind: AlarmState
    opened_at: datetime
    resolved_at: datetime | None
    window: Window | None
    reason: str
    id: int = 0
    classifier: str = ""
    since: datetime | None = None
    acknowledged_by: str = ""
    metric: str = ""
    segment: str | None = None


@dataclass(frozen=True)
class NotificationRow:
    """A notification and its delivery."""

    at: datetime
    severity: str
    channel: str
    subject: str
    state: str
    attempts: int


@dataclass(frozen=True)
class BoundsRow:
    """What missing answers could make of one score, beside its interval."""

    classifier: str
    metric: str
    estimate: IntervalEstimate
    bounds: MissingBounds


@dataclass(frozen=True)
class MissingView:
    """Answers that did not come: in a sentence, their bounds, and their counts by side and stratum."""

    sentence: str
    leans: bool
    bounds: tuple[BoundsRow, ...]
    counts: tuple[AnswerCounts, ...]

    @property
    def of_sides(self) -> tuple[AnswerCounts, ...]:
        """The counts of what each classifier called and passed."""
        return tuple(row for row in self.counts if row.classifier)

    @property
    def of_strata(self) -> tuple[AnswerCounts, ...]:
        """The counts of strata."""
        return tuple(row for row in self.counts if not row.classifier)


@dataclass(frozen=True)
class CorrectedRow:
    """One metric as the labels have it, and without their errors or why that cannot be told, each in words."""

    classifier: str
    metric: str
    labelled: str
    corrected: str


@dataclass(frozen=True)
class LabelErrorsView:
    """What gold items say of labels, and each score without their errors."""

    sentence: str
    rows: tuple[CorrectedRow, ...]


@dataclass(frozen=True)
class CutOffsView:
    """The cut-offs that were tried for an open incident, and what came of them in a sentence.

    `choice` has the same ones as numbers, for a chart.
    """

    name: str
    sentence: str
    rows: tuple[CutOffRow, ...]
    choice: CutOffChoice | None = None


@dataclass(frozen=True)
class UndefinedRow:
    """A window or a metric that could not be estimated, and why."""

    what: str
    why: str
