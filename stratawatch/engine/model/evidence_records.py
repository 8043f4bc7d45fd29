"""Evidence that a limit is broken: its rows, where streams began anew, and by which rule a window was judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmRule
from stratawatch.core.goals import LimitEnd
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.errors import StratawatchError

FixedBets = Mapping[str, tuple[bool, bool]]
"""By item key: whether no earlier window drew the item, and whether its label bets."""

NO_BET: Final = 0.0
"""The loss of a row that stands for an end on which nothing could be bet: its window counts, with a factor of 1."""


@dataclass(frozen=True)
class EvidenceRow:
    """One bet of one round of a window on one end of a stream's limit, as of one revision.

    `loss` is what the bet assumes to be lost, `stake` what it risked, `labels` how many labels it was made on. With
    `sign` -1 it is a bet that a baseline is larger than the `point` of its grid, with 1 that the limit is broken.
    """

    key: StreamKey
    end: LimitEnd
    cycle_id: int
    revision: int
    ordinal: int  # of the round, from 1
    loss: float
    limit: float
    stake: float
    log_e: float
    labels: int
    sign: int = 1
    point: int = 0  # of the grid of a drop


@dataclass(frozen=True)
class EvidenceRestart:
    """That streams begin at 0 after a window, and why; without a key all streams of the panel do."""

    panel: str
    key: StreamKey | None
    cycle_id: int
    why: str
    at: datetime


@dataclass(frozen=True)
class JudgementRule:
    """By which rule a window was judged: by evidence over windows, or by its own intervals alone, and why by these.

    `persisting` is the largest share of what a limit's end looks at that was in a pool of an earlier window.
    """

    cycle_id: int
    rule: AlarmRule
    persisting: float
    why: str = ""


@dataclass(frozen=True)
class Page:
    """Why a stream is paged: by the evidence of all windows, or by one window's interval alone.

    `since` is the start of the window in which the loss most likely began, and `within` those of the first and last in
    which it may well have. `evidence` is what the panel had gathered, and `others` are the streams against which there
    is much too. `is_proven_alone` where the window's interval would do.
    """

    rule: AlarmRule
    reason: str
    since: datetime
    evidence: float | None = None
    others: tuple[StreamKey, ...] = ()
    is_proven_alone: bool = True
    within: tuple[datetime, datetime] | None = None


@dataclass(frozen=True)
class BaselineGrid:
    """What the labels of a baseline say of each value that the metric may have had: log e-values, by loss and point.

    `windows` are those whose labels they are, 0 for labels from elsewhere.
    """

    points: tuple[float, ...]
    losses: tuple[float, ...]
    log_b: tuple[tuple[float, ...], ...]
    windows: int = 0

    def __post_init__(self) -> None:
        """Raise where a loss or a point has no number, or one too many."""
        if [len(row) for row in self.log_b] != [len(self.points)] * len(self.losses):
            raise StratawatchError(
                "a baseline's grid has a number for each loss and point",
                expected=f"{len(self.losses)} rows of {len(self.points)}",
                got=f"rows of {', '.join(str(len(row)) for row in self.log_b) or 'nothing'}",
            )
