"""What a report shows, as numbers and sentences: no markup, no database, reusable by the command line and the demo."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from shlex import quote
from typing import Final

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.core.alarms.ends import fixed_ends
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.goals import Goal, Limit
from stratawatch.engine.evidence.score_curves import ScoreCurve
from stratawatch.engine.model.limit_outlook import LimitOutlook
from stratawatch.engine.model.panel_links import STEPS_ANCHOR, WORDS, PanelLinks, is_clickable
from stratawatch.engine.model.panel_spec import Window
from stratawatch.formatting import age_text, capitalised, count_text
from stratawatch.report.baseline_view import BaselineView
from stratawatch.report.breach_rows import FlagCounts, PlacesChart
from stratawatch.report.moved_view import MovedView
from stratawatch.report.next_window import NextWindow
from stratawatch.report.several_table import SeveralView
from stratawatch.report.state_steps import StateSteps, steps_of
from stratawatch.report.table_rows import (
    Cost,
    CutOffsView,
    CycleRow,
    IncidentRow,
    LabelErrorsView,
    LabelOutcomes,
    MissingView,
    NotificationRow,
    PreviousValue,
    UndefinedRow,
)
from stratawatch.report.wording import metric_words

PATIENCE: Final = 3
"""So many lengths of a window after its end the next ones should be judged: labels take a while."""
_ENDS: Final = {"floor": "floor", "ceiling": "ceiling", "max_drop": "baseline"}


@dataclass(frozen=True)
class Scale:
    """The range of values that all charts of one metric share, so that classifiers can be compared by eye."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """The place of a value between the ends, from 0 to 1.

        >>> Scale(.5, 1.0).share(.75)
        0.5
        """
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


@dataclass(frozen=True)
class Score:
    """One classifier x metric, overall or inside a segment, as it stands in the newest finished window."""

    classifier: str
    metric: str
    segment: str | None
    estimate: IntervalEstimate | None
    labels_used: int
    state: AlarmState | None  # None: it has no limit
    reason: str  # the judgement's sentence, or why nothing can be told
    limit: Limit | None
    change: float | None  # against the newest earlier window that could be told
    previous: PreviousValue | None  # when `estimate` is None
    revision: int | None
    scale: Scale
    deff: float | None = None  # of labels that come in clusters
    method: str = ""  # of its interval
    baseline: BaselineView | None = None
    change_since: Window | None = None
    is_within_chance: bool = False  # the change may be luck alone
    outlooks: tuple[LimitOutlook, ...] = ()  # at each end of its limit

    @property
    def ways_out(self) -> tuple[str, ...]:
        """With what it would be proven inside, and where it would page, unless it is OK: for each end of its limit."""
        if self.state == AlarmState.OK:
            return ()
        parts = ([part for part in (one.proof, one.page) if part] for one in self.outlooks)
        return tuple(" ".join(f"{capitalised(part)}." for part in several) for several in parts if several)

    @property
    def page_values(self) -> tuple[tuple[str, float], ...]:
        """Near which values one window alone would page a metric that is OK, each with its end where there are two."""
        if self.state != AlarmState.OK:
            return ()
        ends = _ENDS if len(self.outlooks) > 1 else {}
        return tuple((ends.get(one.end, ""), one.page_value) for one in self.outlooks if one.page_value is not None)

    @property
    def adds_up(self) -> bool:
        """Whether several windows beyond one of those page sooner."""
        return bool(self.page_values) and any(one.adds_up for one in self.outlooks if one.page_value is not None)

    @property
    def half_width(self) -> float | None:
        """That of the estimate's interval, which decides the decimals of what is written beside it."""
        return self.estimate.half_width if self.estimate else None

    @property
    def labels_counted(self) -> int:
        """The labels that were used, divided by the design effect."""
        return round(self.labels_used / max(self.deff or 1.0, 1.0))

    @property
    def limit_value(self) -> float | None:
        """The floor or the ceiling."""
        return limit_value(self.limit)

    @property
    def says_why(self) -> bool:
        """Whether its sentence stands beside its state: it is not OK, or this window alone does not show that it is."""
        if self.state is None or self.estimate is None or self.limit is None:
            return False
        ends = fixed_ends(self.limit, self.estimate.value)
        shows_it = self.limit.max_drop is None and all(end.distance(self.estimate).is_inside for end in ends)
        return self.state != AlarmState.OK or not shows_it

    @property
    def name(self) -> str:
        """The score's name in a sentence."""
        where = f" in {self.segment}" if self.segment else ""
        return f"{metric_words(self.metric)} of {self.classifier}{where}"


@dataclass(frozen=True)
class Point:
    """One window of a trend; where `estimate` is None, `gap` is the reason."""

    window: Window
    estimate: IntervalEstimate | None
    state: AlarmState | None
    limit: float | None
    gap: str = ""
    under_way: bool = False  # the window is still being labelled, so the gap may yet close
    baseline: IntervalEstimate | None = None  # the one in force

    @property
    def half_width(self) -> float | None:
        """That of the estimate's interval, which decides the decimals of what is written beside it."""
        return self.estimate.half_width if self.estimate else None


@dataclass(frozen=True)
class Mark:
    """What was changed in one of the windows, by its place among them."""

    place: int
    text: str


@dataclass(frozen=True)
class Trend:
    """One metric of one classifier over the windows of the report, oldest first."""

    classifier: str
    metric: str
    limit_word: str  # "floor", "ceiling" or ""
    points: tuple[Point, ...]
    scale: Scale
    marks: tuple[Mark, ...] = ()  # deployments, and changes of the configuration

    @property
    def baseline(self) -> IntervalEstimate | None:
        """The newest window's."""
        return self.points[-1].baseline if self.points else None


@dataclass(frozen=True)
class NamedLine:
    """A line of what is told, with the word that stands before it, and what to type where there is no button."""

    name: str
    text: str
    command: str = ""

    @classmethod
    def of(cls, line: str) -> "NamedLine":
        """A line of a message, such as "Since: the week of 2026-02-16".

        >>> str(NamedLine.of("Since: the week of 2026-02-16"))
        'Since: the week of 2026-02-16'
        """
        name, colon, text = line.partition(": ")
        return cls(name, text) if colon else cls("", line)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.name, self.text, self.command) if part)


@dataclass(frozen=True)
class Headline:
    """What needs attention first, in one sentence; then the rest in a few words.

    Of a breach there is what a reminder tells, and behind a click what can wait (`deeper`): other causes and the proof.
    """

    state: AlarmState | None
    sentence: str
    details: tuple[str, ...]
    told: tuple[NamedLine, ...] = ()
    further: tuple[NamedLine, ...] = ()  # where it is and how the others are, after what is to be done
    deeper: tuple[str, ...] = ()
    harm: tuple[str, ...] = ()  # of each open breach in a few words, where counts of it are known
    more_wrong: float = 0.0  # calls of the newest window that are wrong beyond the usual


@dataclass(frozen=True)
class ClassifierRow:
    """A classifier in one line: the worst of its states, the metrics that are shown, and its flags."""

    name: str
    state: AlarmState | None
    scores: tuple[Score | None, ...]
    flags: FlagCounts | None


@dataclass(frozen=True)
class Summary:
    """What stands below the headline: the classifiers, the names of those without a line, and what is to be known."""

    metrics: tuple[str, ...]
    rows: tuple[ClassifierRow, ...]
    others: tuple[str, ...]
    notes: tuple[str, ...]
    places: PlacesChart | None = None
    flags: FlagCounts | None = None  # of the classifier that broke


@dataclass(frozen=True)
class Method:
    """How the numbers were made."""

    names: tuple[str, ...]
    confidence: float
    false_pages_per_year: float
    revision: int | None
    estimated_at: datetime | None
    goals: tuple[Goal, ...]
    cluster: str | None = None  # the column, if estimates count it
    warnings: tuple[str, ...] = ()  # what was measured of the methods that the panel chose
    pages: str = ""  # by which rule the window paged
    seed: str = ""  # of the draw
    panel_version: int | None = None  # which of the panel's configurations the window was frozen with


@dataclass(frozen=True)
class Lead:
    """Where to turn to: `href` is empty where there is nothing to click on."""

    name: str
    text: str
    href: str


@dataclass(frozen=True)
class PanelView:
    """Everything the report says about one panel."""

    panel: str
    question: str
    source: str
    generated_at: datetime
    window: Window | None  # of the scorecard
    refused: str  # why that window was refused, if it was
    headline: Headline
    summary: Summary
    scores: tuple[Score, ...]
    segments: tuple[Score, ...]
    trends: tuple[Trend, ...]
    labels: LabelOutcomes
    cost: Cost | None
    shared_budget: str  # what the window had of a budget that panels share, and why; empty without one
    forecasts: str  # what became of the last ones; empty before the first
    cycles: tuple[CycleRow, ...]
    older: int  # cycles that are older than the ones shown
    incidents: tuple[IncidentRow, ...]
    notifications: tuple[NotificationRow, ...]
    undefined: tuple[UndefinedRow, ...]
    method: Method
    truth: tuple[str, ...] = ()  # what came by itself, in sentences
    missing: MissingView | None = None
    label_errors: LabelErrorsView | None = None
    disagreement: str = ""  # what that of annotators implies; empty where it moves nothing
    cut_offs: tuple[CutOffsView, ...] = ()
    moved: tuple[MovedView, ...] = ()
    score_curves: tuple[ScoreCurve, ...] = ()
    links: PanelLinks = field(default_factory=PanelLinks)
    next_window: NextWindow | None = None
    several: SeveralView | None = None  # the newest windows as one, where there are several

    @property
    def marks(self) -> tuple[str, ...]:
        """What was changed in these windows, each once, with its classifier unless it is about all of several."""
        names = {trend.classifier for trend in self.trends}
        of: dict[Mark, dict[str, None]] = {}
        for trend in self.trends:
            for mark in trend.marks:
                of.setdefault(mark, {})[trend.classifier] = None
        ordered = sorted(of, key=lambda mark: (mark.place, mark.text))
        is_all = {mark: len(names) > 1 and len(of[mark]) == len(names) for mark in ordered}
        return tuple(mark.text if is_all[mark] else f"{mark.text} ({', '.join(of[mark])})" for mark in ordered)

    @property
    def ended_ago(self) -> str:
        """How long ago the newest window ended, where others should have been judged since; else empty."""
        if self.window is None:
            return ""
        length, age = self.window.end - self.window.start, self.generated_at - self.window.end
        return age_text(age) if age > PATIENCE * length else ""

    @property
    def hygiene(self) -> str:
        """How many breaches there were in these windows, and whether people took them; empty without one."""
        pages = [row for row in self.incidents if row.kind == AlarmState.BREACH]
        if not pages:
            return ""
        still, taken = (sum(map(is_so, pages)) for is_so in (_is_open, _is_taken))
        return f"{count_text(len(pages), 'breach', 'breaches')} in these windows: {still} open, {taken} acknowledged."

    @property
    def again(self) -> str:
        """What to type to have the same page again from the same store."""
        return f"stratawatch report --now {self.generated_at.astimezone(UTC).isoformat().replace('+00:00', 'Z')}"

    @property
    def leads(self) -> tuple[Lead, ...]:
        """Who looks after the panel, and what to do when something is wrong; nothing that leads to this page."""
        facts = self.links.facts
        page = facts.pop("report_url", "")
        said = {WORDS[name]: text for name, text in facts.items() if not (page and text.startswith(page))}
        return tuple(Lead(name, text, text if is_clickable(text) else "") for name, text in said.items())

    @property
    def steps(self) -> tuple[tuple[AlarmState, StateSteps], ...]:
        """What to do about each state; of all, as alerts lead here about states that came after the page."""
        return steps_of(self.panel)

    @property
    def present(self) -> frozenset[AlarmState]:
        """The states that are on the page."""
        open_ = {row.kind for row in self.incidents if row.resolved_at is None}
        return frozenset({*open_, *(one.state for one in (*self.scores, *self.segments) if one.state)})

    @property
    def steps_anchor(self) -> str:
        """Where they stand."""
        return STEPS_ANCHOR

    @property
    def mistakes_command(self) -> str:
        """What to type to see the mistakes of the classifier that needs it most; empty while nothing is estimated."""
        if not (self.method.revision and self.scores):
            return ""
        worst = min(self.scores, key=lambda score: URGENCY.index(score.state) if score.state else len(URGENCY))
        return f"stratawatch mistakes {quote(self.panel)} --classifier {quote(worst.classifier)}"

    @property
    def clustered(self) -> Score | None:
        """The score whose labels clusters make worth least, if any are worth less."""
        worst = max(self.scores, key=lambda score: score.deff or 0.0, default=None)
        return worst if worst is not None and worst.labels_counted < worst.labels_used else None


def _is_open(row: IncidentRow) -> bool:
    return row.resolved_at is None


def _is_taken(row: IncidentRow) -> bool:
    return bool(row.acknowledged_by)


def limit_value(limit: Limit | None) -> float | None:
    """The floor or the ceiling of a limit."""
    if limit is None:
        return None
    return limit.floor if limit.floor is not None else limit.ceiling


def limit_word(limit: Limit | None) -> str:
    """Whether the limit is a floor or a ceiling; empty without either."""
    if limit_value(limit) is None or limit is None:
        return ""
    return "floor" if limit.floor is not None else "ceiling"


def interval_of(estimate: Estimate | None) -> IntervalEstimate | None:
    """The estimate's interval, if it is defined."""
    return estimate.result if estimate is not None and isinstance(estimate.result, IntervalEstimate) else None
