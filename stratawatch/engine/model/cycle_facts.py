"""Cycles and what is recorded of them: census, candidates, draws, rounds, revisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stratawatch.core.estimate import Estimate
from stratawatch.core.goals import Focus
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Census
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import CycleState, RoundState


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
    reason: str = ""  # why it was refused, expired, cancelled or replaced
    docs: str | None = None  # Data Docs of the check, relative to the report folder
    profile: InputProfile | None = None  # None: its window was not counted yet
    source_version: Json = field(default_factory=dict)
    focus: Focus | None = None  # what its labels follow, since the evidence spoke against it when it was frozen
    variance_priors: tuple[VariancePrior, ...] = ()  # what its intervals borrow from earlier windows

    @property
    def is_replaced(self) -> bool:
        """Whether its window was corrected and has another cycle now."""
        return self.period < 0


@dataclass(frozen=True)
class CensusResult:
    """The first query's answer: exact counts, the input profile, some bad rows to look at, what was read."""

    census: Census
    profile: InputProfile
    bad_rows: tuple[QuarantinedRow, ...]
    source_version: Json


@dataclass(frozen=True)
class CandidateItem:
    """One row of a stratum's pool, everything later steps need of it.

    `score_bins` are the own score bins by classifier, of those that gave the item a score; None where a window was
    frozen by a version that did not keep them.
    """

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
    score_bins: Mapping[str, int] | None = None


@dataclass(frozen=True)
class CheckReport:
    """What the input check found. `refusal` is the sentence that refuses the cycle, or empty."""

    failures: tuple[str, ...]
    refusal: str
    bad_rows: tuple[QuarantinedRow, ...] = ()
    docs: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the cycle goes on; warnings may have failed."""
        return not self.refusal


@dataclass(frozen=True)
class FrozenCycle:
    """The facts of a frozen cycle.

    `labelled_before`: where random numbers are by window, the items whose verdict was there when the cycle was opened,
    drawn or not, in the pools or not.
    """

    atoms: tuple[Atom, ...]
    candidates: tuple[CandidateItem, ...]
    profile: InputProfile
    source_version: Json
    docs: str | None
    bad_rows: tuple[QuarantinedRow, ...]
    focus: Focus | None = None
    variance_priors: tuple[VariancePrior, ...] = ()
    labelled_before: tuple[CandidateItem, ...] = ()


@dataclass(frozen=True)
class DrawnItem:
    """An item that was drawn: the design facts of that moment, read back when estimating.

    `inclusion` is n_h / N_h of its atom's stratum as planned by the round that drew it; the plan of the cycle's last
    round has the final n_h. Only answers to the question of `question_key` count for it. `first_use` (no earlier
    window drew it or, where numbers are by window, it had no label) and `bets` (its label counts as evidence) are
    decided when the window is first judged.
    """

    item: str
    item_key: str
    atom: int
    digest: str
    inclusion: float
    reused: bool = False  # its verdict was known from an earlier cycle, so nobody is asked again
    question_key: str = ""
    first_use: bool | None = None
    bets: bool | None = None


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
class PastDraw:
    """A draw of an earlier cycle and what was said about its item; `weight` items stood behind it (N_h / n_h)."""

    cycle_id: int
    item: str
    item_key: str
    pattern: str
    bin: int
    weight: float
    events: tuple[LabelEvent, ...]
    first_use: bool = True  # no earlier window used its label


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
class PastEstimate:
    """An estimate of a window by its newest revision, and by which version of the panel."""

    cycle_id: int
    period: int
    panel_version: int
    estimate: Estimate


@dataclass(frozen=True)
class Transition:
    """A line of the transition log."""

    entity: str
    entity_id: int
    old: str
    new: str
    why: str
    at: datetime
