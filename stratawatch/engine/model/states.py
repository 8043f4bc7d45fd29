"""The one table of moves. A test compares it with the SQL CHECK constraints and with the diagrams in docs/."""

from enum import StrEnum
from typing import Final


class Entity(StrEnum):
    """What has a state that moves by compare-and-set."""

    CYCLE = "cycle"
    ROUND = "round"
    BATCH = "batch"


class CycleState(StrEnum):
    """The work on one window of one panel."""

    OPEN = "open"
    FROZEN = "frozen"
    LABELLING = "labelling"
    SETTLED = "settled"
    JUDGED = "judged"
    REFUSED = "refused"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class RoundState(StrEnum):
    """One plan, its batches and their labels."""

    PLANNED = "planned"
    DISPATCHED = "dispatched"
    LABELLING = "labelling"
    SETTLED = "settled"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class BatchState(StrEnum):
    """Items that are sent to the label queue at once: an outbox row."""

    PLANNED = "planned"
    SENT = "sent"
    CLOSED = "closed"
    FAILED = "failed"
    CANCELLED = "cancelled"  # decided here; the queue has still to be told
    WITHDRAWN = "withdrawn"  # the queue was told


TRANSITIONS: Final[dict[Entity, dict[str, frozenset[str]]]] = {
    Entity.CYCLE: {
        CycleState.OPEN: frozenset({CycleState.FROZEN, CycleState.REFUSED, CycleState.CANCELLED}),
        CycleState.FROZEN: frozenset({CycleState.LABELLING, CycleState.EXPIRED, CycleState.CANCELLED}),
        CycleState.LABELLING: frozenset({CycleState.SETTLED, CycleState.EXPIRED, CycleState.CANCELLED}),
        CycleState.SETTLED: frozenset({CycleState.JUDGED}),
        CycleState.EXPIRED: frozenset({CycleState.JUDGED}),
        CycleState.REFUSED: frozenset({CycleState.OPEN}),  # a person mended the input and reopens the window
        CycleState.JUDGED: frozenset(),
        CycleState.CANCELLED: frozenset(),
    },
    Entity.ROUND: {
        RoundState.PLANNED: frozenset({RoundState.DISPATCHED, RoundState.EXPIRED, RoundState.CANCELLED}),
        RoundState.DISPATCHED: frozenset(
            {RoundState.LABELLING, RoundState.SETTLED, RoundState.EXPIRED, RoundState.CANCELLED}
        ),
        RoundState.LABELLING: frozenset({RoundState.SETTLED, RoundState.EXPIRED, RoundState.CANCELLED}),
        RoundState.SETTLED: frozenset(),
        RoundState.EXPIRED: frozenset(),
        RoundState.CANCELLED: frozenset(),
    },
    Entity.BATCH: {
        BatchState.PLANNED: frozenset({BatchState.SENT, BatchState.CLOSED, BatchState.FAILED, BatchState.CANCELLED}),
        BatchState.SENT: frozenset({BatchState.CLOSED, BatchState.CANCELLED}),
        BatchState.FAILED: frozenset({BatchState.PLANNED, BatchState.CLOSED, BatchState.CANCELLED}),
        BatchState.CLOSED: frozenset(),
        BatchState.CANCELLED: frozenset({BatchState.WITHDRAWN}),
        BatchState.WITHDRAWN: frozenset(),
    },
}

ACTIVE_CYCLES: Final = (
    CycleState.OPEN,
    CycleState.FROZEN,
    CycleState.LABELLING,
    CycleState.SETTLED,
    CycleState.EXPIRED,
)
"""States in which an advance may find something to do."""


def may_move(entity: Entity, old: str, new: str) -> bool:
    """Whether the table allows this move."""
    return new in TRANSITIONS[entity].get(old, frozenset())
