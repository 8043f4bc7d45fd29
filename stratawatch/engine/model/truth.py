"""Truth that arrives by itself, such as chargebacks and appeals. It selects itself, so no estimate is made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from stratawatch.engine.model.document import Json
from stratawatch.engine.model.quarantined_row import QuarantinedRow

TruthValue = Literal["yes", "no", "retract"]


@dataclass(frozen=True)
class TruthStatement:
    """What became known of an item of a panel, by whom (`source`: "chargeback") and when. The newest one counts.

    `predicted_at` and `calls` (by classifier) say which window the item belongs to and what it was called there: of
    items that are no candidates the store does not know it.
    """

    panel: str
    item: str
    value: TruthValue
    source: str
    at: datetime
    predicted_at: datetime | None = None
    calls: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class PolledTruth:
    """What a feed had to say since the cursor, and the cursor that comes after it."""

    statements: tuple[TruthStatement, ...]
    rejected: tuple[QuarantinedRow, ...]
    cursor: Json


@dataclass(frozen=True)
class KnownItem:
    """A candidate of a cycle of which the truth is known."""

    cycle_id: int
    item: str
    value: TruthValue
    source: str
    pattern: str
    bin: int
    segments: Mapping[str, str | None]


@dataclass(frozen=True)
class TruthCount:
    """How many statements a source made about a panel, and how many of them were yes."""

    panel: str
    source: str
    statements: int
    yes: int
    newest_at: datetime


@dataclass(frozen=True)
class TruthWarning:
    """A limit of a stream that was known to be broken in a cycle, if what came by itself is right."""

    panel: str
    cycle_id: int
    classifier: str
    metric: str
    segment: str | None
    sentence: str
    at: datetime
