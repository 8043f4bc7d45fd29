"""What is proposed for a table: the panels, where their columns are, and what could not be told."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from stratawatch.adapters.sources.column_summary import Separation, TableSummary, TimeRange
from stratawatch.engine.model.panel_spec import ScoreKind


@dataclass(frozen=True)
class Choices:
    """What a person said already; empty or None where the table decides."""

    item: str | None = None
    time: str | None = None
    panel: str | None = None
    question: str | None = None
    every: timedelta | None = None
    payload: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    truth: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    call_yes: tuple[str, ...] = ()
    """Values that mean yes: each VALUE of any call, or COLUMN=VALUE of this one."""

    def yes_of(self, call: str, values: Collection[str]) -> str | None:
        """The value of a call that was said to mean yes: its own, else one of any call's that it has."""
        own = [said.removeprefix(f"{call}=") for said in self.call_yes if said.startswith(f"{call}=")]
        return next((said for said in (*own, *self.call_yes) if said in values), None)

    def columns(self) -> list[tuple[str, str]]:
        """Every column that was named, after the option that named it."""
        several = {"payload": self.payload, "segment": self.segments, "score": self.scores, "call": self.calls}
        named = [("item", self.item), ("time", self.time)]
        named += [(option, name) for option, names in {**several, "truth": self.truth}.items() for name in names]
        return [(option, name) for option, name in named if name is not None]


@dataclass(frozen=True)
class Schedule:
    """Windows, the newest one of which the rows fill, and a moment after its end."""

    start: datetime
    every: timedelta
    newest: datetime
    now: datetime


@dataclass(frozen=True)
class TableFacts:
    """All that is known of a table: copies and sums by the columns that they are of, separations by score and call."""

    table: TableSummary
    times: Mapping[str, TimeRange] = field(default_factory=dict)
    copies: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    separations: Mapping[tuple[str, str], Mapping[str, Separation]] = field(default_factory=dict)
    sums: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    """In which share of rows the columns add up to 1."""


@dataclass(frozen=True)
class Unsure:
    """Something that the table does not tell: the option that answers it, a question, and what is proposed."""

    option: str
    asked: str
    proposed: str
    of: str = ""
    """The column that a value of `call-yes` is of."""


@dataclass(frozen=True)
class ProposedClassifier:
    """A classifier, by its keys."""

    name: str
    score: str | None = None
    score_kind: ScoreKind = "probability"
    cut_off: float | None = None
    call: str | None = None
    call_yes: str | None = None
    called: str | None = None


@dataclass(frozen=True)
class ProposedPanel:
    """A question, and the classifiers that answer it."""

    name: str
    question: str
    classifiers: tuple[ProposedClassifier, ...]


@dataclass(frozen=True)
class Proposal:
    """A whole configuration for one table."""

    panels: tuple[ProposedPanel, ...]
    item: str
    time: str
    classifier_column: str | None
    payload: tuple[str, ...]
    segments: tuple[str, ...]
    schedule: Schedule
    remarks: tuple[str, ...]
    unsure: tuple[Unsure, ...]
    takes_latest: bool = False
    """Whether a few rows repeat an item, of which the newest counts."""
    leaves_scores_out: bool = False
    """Whether no score is used, although some column seems to be one."""
