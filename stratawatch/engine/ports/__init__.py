"""What the engine asks of the world. Adapters implement these; the engine imports none of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol, runtime_checkable

from stratawatch.core.population import Atom
from stratawatch.engine.model.alarm_records import Notification, StandingAlert
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult, CheckReport
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.label_events import Batch as BatchRecord
from stratawatch.engine.model.label_events import PollResult, Receipt
from stratawatch.engine.model.panel_links import PanelLinks
from stratawatch.engine.model.panel_spec import PanelSpec, RequiredColumn, Window
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.retention import Retention
from stratawatch.engine.model.shared_budget import SharedBudget
from stratawatch.engine.model.truth import PolledTruth
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import ClockDoubted, InputRefused

__all__ = [
    "AlertChannel",
    "ChannelRule",
    "Clock",
    "ColumnProblem",
    "FileInbox",
    "Heartbeat",
    "LabelQueue",
    "LevelChannel",
    "PayloadKeeper",
    "Ports",
    "PredictionCheck",
    "PredictionSource",
    "SourceDescription",
    "Store",
    "Transaction",
    "TruthFeed",
    "WindowReader",
]


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """The current time, in UTC."""
        ...


class WindowReader(Protocol):
    """Reads one window: counts and draws from the same rows, as far as the source can keep them still."""

    def census(self) -> CensusResult:
        """Count the window, profile its input. Raises InputRefused or Unreachable."""
        ...

    def candidates(self, atoms: Sequence[Atom], quotas: Sequence[int]) -> tuple[CandidateItem, ...]:
        """Fetch as many items of every stratum as its quota (all, if it has fewer): those with the smallest digests."""
        ...

    def items_by_id(
        self, atoms: Sequence[Atom], ids: Collection[str], *, with_payload: bool = False
    ) -> tuple[CandidateItem, ...]:
        """Find those of the items with these ids that the window has in the atoms, each once."""
        ...

    def rows(self, window: Window) -> int:
        """Count the rows dated inside this window, or inside a part of it, from the time alone."""
        ...


@dataclass(frozen=True)
class ColumnProblem:
    """A column that is missing in a source, or cannot hold what it should."""

    column: RequiredColumn
    error: InputRefused


@dataclass(frozen=True)
class SourceDescription:
    """What `check` shows of a source, and the columns that keep it from being read."""

    facts: Mapping[str, str]
    problems: tuple[ColumnProblem, ...] = ()


class PredictionSource(Protocol):
    """Reads the census and the candidates of a window; never holds the whole population in memory."""

    def reading(self, panel: PanelSpec, window: Window) -> AbstractContextManager[WindowReader]:
        """Read the census and the candidates of a window, with as few scans as they take together."""
        ...

    def describe(self, panel: PanelSpec) -> SourceDescription:
        """Describe the source for `check`: files, rows, columns with types, and every column that cannot be read.

        Raises InputRefused or Unreachable where it cannot be described at all.
        """
        ...


class PredictionCheck(Protocol):
    """Checks whether the input is fit to be judged."""

    def profile(self, panel: PanelSpec, window: Window, profile: InputProfile) -> CheckReport:
        """Check the one-row profile of the whole window."""
        ...

    def candidates(self, panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> CheckReport:
        """Check the candidates row by row, duplicates included."""
        ...


class LabelQueue(Protocol):
    """Takes batches to people and brings their labels back, each at least once; by their keys they count once.

    `where` names the place for people. A place that nobody adopted is Unreachable for publish, poll and cancel.
    """

    name: str
    where: str

    def identity(self) -> str:
        """The id that the place was given by `adopt`; empty where it has none, or is not there. Raises Unreachable."""
        ...

    def adopt(self, identity: str) -> None:
        """Prepare the place, if need be, and give it an id, instead of one that it has. Raises Unreachable."""
        ...

    def batch_keys(self) -> frozenset[str]:
        """The keys of all batches there, withdrawn and closed ones included. Raises Unreachable."""
        ...

    def withdrawn_keys(self) -> frozenset[str]:
        """The keys of the batches there that were withdrawn. Raises Unreachable."""
        ...

    def ask_again(self, keys: Sequence[str]) -> None:
        """Take a withdrawal back: people are asked about these batches once they are published again."""
        ...

    def asked_keys(self) -> frozenset[str]:
        """The keys of the batches that people are asked about now. Raises Unreachable."""
        ...

    def close(self, keys: Sequence[str]) -> None:
        """Put batches away that were answered: nobody is asked about them any more, but they were asked."""
        ...

    def publish(self, batch: BatchRecord) -> Receipt:
        """Hand over a batch; handing it over again changes nothing. Raises Unreachable."""
        ...

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read what came since `cursor` ({} at first)."""
        ...

    def cancel(self, keys: Sequence[str]) -> None:
        """Withdraw batches nobody needs to answer any more, as far as the queue can."""
        ...

    def describe(self) -> Mapping[str, str]:
        """Say what was found, for `check`. Raises Unreachable."""
        ...


@runtime_checkable
class PayloadKeeper(Protocol):
    """A queue out of whose place we can take what labellers were shown, and what they wrote besides their answers."""

    def drop_payload(self, batches: Mapping[str, Collection[str]]) -> None:
        """Forget that of these items, by the key of their batch; once more changes nothing. Raises Unreachable.

        Of a batch that is out nobody is asked about them any more, as far as the queue can. Keys and answers stay.
        """
        ...


@runtime_checkable
class FileInbox(Protocol):
    """A queue whose answers come as files."""

    def unread_files(self) -> tuple[str, ...]:
        """The names of files that came and are not read, as they end otherwise, sorted. Raises Unreachable."""
        ...


class TruthFeed(Protocol):
    """Reads truth that arrives by itself; each statement at least once, and by what it says it counts once."""

    @property
    def name(self) -> str:
        """What the cursor is kept under."""
        ...

    def poll(self, cursor: Mapping[str, object]) -> PolledTruth:
        """Read what came since `cursor` ({} at first). Raises Unreachable."""
        ...


class AlertChannel(Protocol):
    """Sends notifications to people."""

    name: str

    def send(self, notification: Notification) -> Receipt:
        """Tell people once for each `key`: a repeated one is answered with a receipt that says `duplicate`.

        `dedup_key` is the incident's: severity `resolved` ends what the same one began, `update` is word in between.
        Raises Unreachable.
        """
        ...


@runtime_checkable
class LevelChannel(AlertChannel, Protocol):
    """A channel whose receiver forgets what it is not told again, and lets it end by itself: a level, not an event.

    `send` says that one begins or ends, as everywhere; what is open is said again at each advance.
    """

    def assert_open(self, alerts: Sequence[StandingAlert], lasts: timedelta) -> None:
        """Say that these are open, and for how long they stand without being said again. Raises Unreachable."""
        ...


@runtime_checkable
class AskableChannel(AlertChannel, Protocol):
    """A channel whose receiver can be asked whether it is there, and nobody hears of it."""

    def ask(self) -> str:
        """What it says of itself. Raises StratawatchError where it is away or does not let us in."""
        ...


class Store(Protocol):
    """Keeps all state. A transaction rolls back unless it commits."""

    def begin(self) -> AbstractContextManager[Transaction]:
        """Start a transaction."""
        ...


READ_TIMEOUT: Final = 600.0
"""Seconds, for a panel of which nothing else is said."""

Heartbeat = Callable[[], object]
"""Tells a watcher outside that an advance went well. Raises Unreachable."""


THREE_ADVANCES: Final = timedelta(minutes=15)
"""As long as three advances take to come, where nothing is said of their schedule."""

DropPages = Callable[[datetime, datetime], int]
"""Deletes reports, and pages of the input check, that are dated before these moments; says how many. Raises OSError."""


@dataclass(frozen=True)
class ChannelRule:
    """How a channel is used: whether only where every other one failed, and how many seconds a send may take.

    With `reports`, it gets the weekly report.
    """

    fallback: bool = False
    timeout: float = 20.0
    reports: bool = False


@dataclass(frozen=True)
class Ports:
    """Everything a use case may touch.

    `sources`, `read_timeouts` and `links` are by panel, `channels` and `channel_rules` by the channel's name. `by` is
    who asks for what is done by hand. `configured` is what the configuration says of panels now, before `open` stores
    it. `clock_doubt` is why an advance may freeze no window and end no cycle at its deadline. `budget` is what panels
    share, if they do.
    """

    store: Store
    clock: Clock
    sources: Mapping[str, PredictionSource]
    check: PredictionCheck
    queue: LabelQueue
    channels: Mapping[str, AlertChannel]
    channel_rules: Mapping[str, ChannelRule] = field(default_factory=dict)
    read_timeouts: Mapping[str, float] = field(default_factory=dict)
    heartbeat: Heartbeat | None = None
    retention: Retention = field(default_factory=Retention)
    drop_pages: DropPages | None = None
    by: str = "unknown"
    paused: Pauses = field(default_factory=Pauses)
    configured: Mapping[str, PanelSpec] = field(default_factory=dict)
    clock_doubt: ClockDoubted | None = None
    budget: SharedBudget | None = None
    truth: Sequence[TruthFeed] = ()
    links: Mapping[str, PanelLinks] = field(default_factory=dict)
    three_advances: Callable[[datetime], timedelta] = lambda _now: THREE_ADVANCES
    """How long it is from a moment to the third advance after it."""

    def channel_rule(self, name: str) -> ChannelRule:
        """How a channel is used, the ordinary way if nothing else is said."""
        return self.channel_rules.get(name, ChannelRule())

    def read_timeout(self, panel: str) -> float:
        """How many seconds the reading of one window of a panel may take."""
        return self.read_timeouts.get(panel, READ_TIMEOUT)

    def links_of(self, panel: str) -> PanelLinks:
        """Where a notification about a panel leads."""
        return self.links.get(panel, PanelLinks())

    @property
    def report_channels(self) -> tuple[str, ...]:
        """The names of the channels that get the weekly report."""
        return tuple(name for name in self.channels if self.channel_rule(name).reports)

    def channels_of(self, *, fallback: bool) -> tuple[str, ...]:
        """The names of the fallback channels, or of all others."""
        return tuple(name for name in self.channels if self.channel_rule(name).fallback == fallback)
