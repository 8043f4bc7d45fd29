"""What a panel is: its classifiers, columns, windows, goals and limits, frozen when a cycle opens."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from stratawatch.core.alarms.alarm_states import AlarmRule
from stratawatch.core.goals import Goal, Limit, Option
from stratawatch.core.random_numbers import window_seed
from stratawatch.core.second_votes import SecondVotes
from stratawatch.engine.model.drift_rule import DriftRule

ScoreKind = Literal["probability", "margin"]


StopRule = Literal["budget", "goals"]


Duplicates = Literal["refuse", "latest"]


RandomNumbers = Literal["permanent", "by window"]


_UNITS: Final = {timedelta(hours=1): "hour", timedelta(days=1): "day", timedelta(days=7): "week"}


@dataclass(frozen=True)
class Window:
    """Half-open UTC interval [start, end)."""

    start: datetime
    end: datetime

    @property
    def unit(self) -> str:
        """What people call a window of this length."""
        return _UNITS.get(self.end - self.start, "window")

    def __str__(self) -> str:
        return f"[{self.start:%Y-%m-%d %H:%M}, {self.end:%Y-%m-%d %H:%M}) +00:00"


Role = Literal[
    "item",
    "time",
    "ingested",
    "partition",
    "classifier",
    "score",
    "call",
    "auxiliary",
    "segment",
    "payload",
    "cluster",
    "label",
]


@dataclass(frozen=True)
class RequiredColumn:
    """A column that a panel reads, what for, and the key below the panel where the configuration names it."""

    column: str
    role: Role
    purpose: str
    key: tuple[str, ...]
    call_yes: str | None = None  # the value that the column is compared with


@dataclass(frozen=True)
class ClassifierSpec:
    """A model, its version and its cut-off, as columns of the source.

    Its call comes from the `call` column, or from `score >= cut_off` where there is no such column. With `call_yes` the
    call is positive where the column equals that value, and negative where it holds another one.
    """

    name: str
    score: str | None = None
    score_kind: ScoreKind = "probability"
    call: str | None = None
    cut_off: float | None = None
    called: str | None = None  # what a long table calls it, if not by its name
    call_yes: str | None = None  # a number too is kept as it is written

    def column_roles(self) -> Iterator[RequiredColumn]:
        """The columns of the classifier's score and call."""
        columns: tuple[tuple[Role, str | None], ...] = (("score", self.score), ("call", self.call))
        for role, column in columns:
            if column is not None:
                purpose, key = f"the {role} of classifier '{self.name}'", ("classifiers", self.name, role)
                yield RequiredColumn(column, role, purpose, key, self.call_yes if role == "call" else None)


@dataclass(frozen=True)
class AuxiliarySpec:
    """A score that helps and is not watched: an LLM judge, a heuristic, another model. It may be missing or wrong.

    It leans to yes where its linked score is at least one half. The score itself is binned only where no classifier
    has one.
    """

    name: str
    score: str
    score_kind: ScoreKind = "probability"
    called: str | None = None


@dataclass(frozen=True)
class Columns:
    """Where the source keeps what. `payload` is the allow-list of what labellers may see."""

    item: str
    time: str
    payload: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    cluster: str | None = None
    ingested: str | None = None  # when a row arrived: windows are then cut by it, not by `time`
    classifier: str | None = None  # who says it: a long table has a row for each item and classifier
    partition: str | None = None  # the day (UTC) of the time that cuts windows, by which the source keeps its rows


@dataclass(frozen=True)
class WindowRule:
    """Windows of `length` counted from `start`; one opens `lateness` after its end."""

    start: datetime
    length: timedelta
    lateness: timedelta = timedelta(0)

    @property
    def unit(self) -> str:
        """What people call one of them.

        >>> [WindowRule(datetime(2026, 1, 5), timedelta(days=days)).unit for days in (1, 7, 10)]
        ['day', 'week', 'window']
        """
        return _UNITS.get(self.length, "window")


@dataclass(frozen=True)
class CallCosts:
    """What a wrong call costs, in a currency or another unit of the user's; None where nobody can say."""

    unit: str
    wrong_flag: float | None = None
    miss: float | None = None


@dataclass(frozen=True)
class PanelSpec:
    """Everything a cycle needs to know about its panel; frozen into the store when a cycle opens."""

    name: str
    question: str
    guideline: str
    seed: str
    classifiers: tuple[ClassifierSpec, ...]
    columns: Columns
    windows: WindowRule
    goals: tuple[Goal, ...]
    limits: tuple[Limit, ...]
    budget: int
    deadline: timedelta
    confidence: float = 0.95
    votes: int = 1
    batch_size: int = 500
    false_pages_per_year: float = 1.0
    max_bad_row_share: float = 0.01
    label_validity: timedelta = timedelta(days=90)
    blind_margin_factor: float = 3.0
    auxiliary: tuple[AuxiliarySpec, ...] = ()
    stop_rule: StopRule = "budget"  # all of it, or as many labels as the goals need and never more
    design: str = "joint"  # how labels are drawn and read
    options: Mapping[str, Option] = field(default_factory=dict)  # of the design
    variance: str = "default"  # how intervals come about
    duplicates: Duplicates = "refuse"  # or of the rows that share an id the newest counts
    drift: DriftRule = field(default_factory=DriftRule)
    source: str = ""  # what the predictions are read from, in words; the connection itself stays in the configuration
    guideline_version: str | None = None  # stands in for the guideline's text when questions are told apart
    second_votes: SecondVotes | None = None  # whom else to ask about an item whose first answer came
    gold_share: float | None = None  # gold items for each item that people are asked about
    same_items_as: str | None = None  # another panel, whose ids name the same items
    alarms: AlarmRule = "evidence"  # pages rest on evidence over windows, or on each window alone
    focus: bool = True  # more labels go where evidence leads
    rounds: int = 3  # at most, where the goals decide how many labels there are
    random_numbers: RandomNumbers = "permanent"  # an item keeps its own, or has another one in each window
    max_missing_score_share: float | None = None  # of rows without a score of a classifier; None: as of bad rows
    costs: CallCosts | None = None  # in which harm is told, too

    @property
    def items_of(self) -> str:
        """The panel by whose name the items are told apart from others of the same id."""
        return self.same_items_as or self.name

    @property
    def missing_score_cap(self) -> float:
        """The largest share of a window's rows that may lack a classifier's score."""
        return self.max_bad_row_share if self.max_missing_score_share is None else self.max_missing_score_share

    @property
    def has_scores(self) -> bool:
        """Whether any score guides the design: a classifier's own, or an auxiliary one."""
        return bool(self.auxiliary) or any(one.score is not None for one in self.classifiers)

    def place_of(self, classifier: str) -> int:
        """The place of a classifier's call in a pattern."""
        return [one.name for one in self.classifiers].index(classifier)

    @property
    def draws_anew(self) -> bool:
        """Whether an item's random number is another one in each window."""
        return self.random_numbers == "by window"

    def seed_of(self, window: Window) -> str:
        """The seed of the random numbers that items have in a window."""
        if not self.draws_anew:
            return self.seed
        first, end = (moment.astimezone(UTC).isoformat() for moment in (window.start, window.end))
        return window_seed(self.seed, f"{first}/{end}")

    def column_roles(self) -> Iterator[RequiredColumn]:
        """Every column that the panel reads, once for each role that it has."""
        columns = self.columns
        yield RequiredColumn(columns.item, "item", "the item id", ("columns", "item"))
        yield RequiredColumn(columns.time, "time", "the time", ("columns", "time"))
        if columns.ingested is not None:
            yield RequiredColumn(columns.ingested, "ingested", "the time of arrival", ("columns", "ingested"))
        if columns.partition is not None:
            yield RequiredColumn(columns.partition, "partition", "the day of the partition", ("columns", "partition"))
        if columns.classifier is not None:
            yield RequiredColumn(columns.classifier, "classifier", "who says it", ("columns", "classifier"))
        for one in self.classifiers:
            yield from one.column_roles()
        for auxiliary in self.auxiliary:
            purpose, key = f"the auxiliary score '{auxiliary.name}'", ("auxiliary", auxiliary.name, "score")
            yield RequiredColumn(auxiliary.score, "auxiliary", purpose, key)
        for name in columns.segments:
            yield RequiredColumn(name, "segment", "a segment", ("columns", "segments"))
        for name in columns.payload:
            yield RequiredColumn(name, "payload", "payload for labellers", ("columns", "payload"))
        if columns.cluster is not None:
            yield RequiredColumn(columns.cluster, "cluster", "the cluster", ("columns", "cluster"))
