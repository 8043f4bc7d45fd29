"""Records that cross the ports: frozen dataclasses, times in UTC. The store keeps them, adapters speak them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from stratawatch.core.alarms.states import AlarmState
from stratawatch.core.estimate import Estimate
from stratawatch.core.goals import Goal, Limit, Option
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Census
from stratawatch.engine.drift_rule import DriftRule
from stratawatch.engine.profile import Profile as Profile  # noqa: PLC0414 - one of the records
from stratawatch.engine.states import BatchState, CycleState, RoundState

Json = Mapping[str, Any]
ScoreKind = Literal["probability", "margin"]
StopRule = Literal["budget", "goals"]
Duplicates = Literal["refuse", "latest"]


@dataclass(frozen=True)
class Window:
    """Half-open UTC interval [start, end)."""

    start: datetime
    end: datetime

    def __str__(self) -> str:
        return f"[{self.start:%Y-%m-%d %H:%M}, {self.end:%Y-%m-%d %H:%M}) +00:00"


@dataclass(frozen=True)
class ClassifierSpec:
    """A model, its version and its cut-off, as columns of the source.

    Its call comes from the `call` column, or from `score >= cut_off` where there is no such column.
    """

    name: str
    score: str | None = None
    score_kind: ScoreKind = "probability"
    call: str | None = None
    cut_off: float | None = None
    called: str | None = None  # what a long table calls it, if not by its name


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


@dataclass(frozen=True)
class WindowRule:
    """Windows of `length` counted from `start`; one opens `lateness` after its end."""

    start: datetime
    length: timedelta
    lateness: timedelta = timedelta(0)


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


@dataclass(frozen=True)
class Cycle:
    """One window of one panel."""

    id: int
    panel: str
    panel_version: int
    period: int
    window: Window
    state: CycleState
    opened_at: datetime
    deadline_at: datetime | None
    failures: int = 0
    last_error: str = ""
    reason: str = ""  # why it was refused, expired or cancelled
    docs: str | None = None  # Data Docs of the check, relative to the report folder
    profile: Json = field(default_factory=dict)
    source_version: Json = field(default_factory=dict)


@dataclass(frozen=True)
class BadRow:
    """An input row, or a label, that was set aside, with the reason."""

    kind: Literal["prediction", "label"]
    key: str
    reason: str
    content: Json = field(default_factory=dict)

    @property
    def unreadable(self) -> Mapping[str, str]:
        """What the source had where it could not be read, by the fault's key; older programs did not keep it."""
        found: Mapping[str, str] = self.content.get("unreadable", {})
        return found


@dataclass(frozen=True)
class CensusAnswer:
    """The first query's answer: exact counts, the input profile, some bad rows to look at, what was read."""

    census: Census
    profile: Profile
    bad_rows: tuple[BadRow, ...]
    source_version: Json


@dataclass(frozen=True)
class CandidateItem:
    """One row of a stratum's pool, everything later steps need of it."""

    item: str
    atom: int
    digest: str
    pattern: str
    bin: int
    time: datetime
    copies: int = 1  # rows of the window that carry this item id
    payload: Json = field(default_factory=dict)
    segments: Mapping[str, str | None] = field(default_factory=dict)
    cluster: str | None = None


@dataclass(frozen=True)
class CheckReport:
    """What the input check found. `refusal` is the sentence that refuses the cycle, or empty."""

    passed: bool
    failures: tuple[str, ...]
    refusal: str
    bad_rows: tuple[BadRow, ...] = ()
    docs: str | None = None


@dataclass(frozen=True)
class Frozen:
    """The facts of a frozen cycle."""

    atoms: tuple[Atom, ...]
    candidates: tuple[CandidateItem, ...]
    profile: Profile
    source_version: Json
    docs: str | None
    bad_rows: tuple[BadRow, ...]


@dataclass(frozen=True)
class Draw:
    """An item that was drawn: the design facts of that moment, read back when estimating.

    `inclusion` is n_h / N_h of its atom's stratum as planned by the round that drew it; the plan of the cycle's last
    round has the final n_h.
    """

    item: str
    item_key: str
    atom: int
    digest: str
    inclusion: float
    reused: bool = False  # its verdict was known from an earlier cycle, so nobody is asked again


@dataclass(frozen=True)
class Task:
    """One line for a labeller."""

    item_key: str
    payload: Json


@dataclass(frozen=True)
class NewBatch:
    """An outbox row to be written. `key` is deterministic: panel, period, round and part."""

    key: str
    question: str
    guideline: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Batch:
    """An outbox row as it stands."""

    id: int
    round_id: int
    key: str
    state: BatchState
    attempts: int
    question: str
    guideline: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Round:
    """One plan and how far it came."""

    id: int
    cycle_id: int
    ordinal: int
    state: RoundState
    plan: Plan
    planned_at: datetime


@dataclass(frozen=True)
class Receipt:
    """The other side's word that it has something; `reference` is its own name for it."""

    reference: str
    duplicate: bool = False


LabelValue = Literal["yes", "no", "skip", "retract"]


@dataclass(frozen=True)
class LabelEvent:
    """One append-only statement by one annotator on one item. What is delivered twice counts once."""

    source: str
    event_id: str
    item_key: str
    annotator: str
    value: LabelValue
    at: datetime


@dataclass(frozen=True)
class PastDraw:
    """A draw of an earlier cycle and what was said about its item; `weight` items stood behind it (N_h / n_h)."""

    cycle_id: int
    item: str
    item_key: str
    pattern: str
    bin: int
    weight: float
    events: tuple[LabelEvent, ...]


@dataclass(frozen=True)
class Polled:
    """What a queue had to say since the cursor, and the cursor that comes after it."""

    events: tuple[LabelEvent, ...]
    rejected: tuple[BadRow, ...]
    cursor: Json


@dataclass(frozen=True)
class Revision:
    """One estimation of a cycle; a late label makes a new one, never an overwrite."""

    cycle_id: int
    number: int
    fingerprint: str  # of the verdicts it was made from: the same ledger makes no new revision
    mark: int  # the newest label event that had been read
    at: datetime
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class StreamKey:
    """What an alarm state belongs to. `segment` is 'column=value', or None for the whole population."""

    panel: str
    classifier: str
    metric: str
    segment: str | None = None

    def __str__(self) -> str:
        where = f" [{self.segment}]" if self.segment else ""
        return f"{self.panel} / {self.classifier} / {self.metric}{where}"


@dataclass(frozen=True)
class StreamState:
    """An alarm state as judged in one cycle and revision."""

    key: StreamKey
    cycle_id: int
    revision: int
    state: AlarmState
    reason: str
    at: datetime


@dataclass(frozen=True)
class Incident:
    """An open or resolved trouble of one stream; `dedup_key` names it towards every channel."""

    id: int
    key: StreamKey
    kind: AlarmState
    dedup_key: str
    cycle_id: int
    opened_at: datetime
    resolved_at: datetime | None = None


Severity = Literal["page", "warning", "resolved"]


@dataclass(frozen=True)
class Notification:
    """An outbox row for one channel. `key` is unique; `dedup_key` is what the receiver dedupes on."""

    key: str
    dedup_key: str
    channel: str
    severity: Severity
    subject: str
    body: str
    facts: Json
    created_at: datetime
    id: int = 0
    attempts: int = 0
    state: Literal["pending", "sent", "failed"] = "pending"


@dataclass(frozen=True)
class Move:
    """A line of the transition log."""

    entity: str
    entity_id: int
    old: str
    new: str
    why: str
    at: datetime
