"""Batches that go to a label queue, and the label events that come back."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from stratawatch.engine.model.annotator_names import person
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import BatchState


@dataclass(frozen=True)
class LabelTask:
    """One line for a labeller."""

    item_key: str
    payload: Json


@dataclass(frozen=True)
class NewBatch:
    """An outbox row to be written. `key` is deterministic: panel, period, round, part, and a digest of the content."""

    key: str
    question: str
    guideline: str
    tasks: tuple[LabelTask, ...]
    question_key: str = ""
    vote: int = 1
    rule: str = ""


@dataclass(frozen=True)
class Batch:
    """An outbox row as it stands. `vote`: which vote on its items it asks for; `rule`: why, if it is not the first.

    `answers_since`: answers from before then have expired, and count for nothing in its cycle. It is said as the batch
    goes to the queue.
    """

    id: int
    round_id: int
    key: str
    state: BatchState
    attempts: int
    question: str
    guideline: str
    tasks: tuple[LabelTask, ...]
    question_key: str = ""
    vote: int = 1
    rule: str = ""
    answers_since: datetime | None = None


@dataclass(frozen=True)
class Receipt:
    """The other side's word that it has something; `reference` is its own name for it."""

    reference: str
    duplicate: bool = False


LabelValue = Literal["yes", "no", "skip", "retract"]
NOWHERE: Final = ("", 0)
"""The place of an event that was read from no file."""


@dataclass(frozen=True)
class LabelEvent:
    """One append-only statement by one annotator on one item. What is delivered twice counts once.

    `annotator` is the name as it was written. `dated` is false where nobody said when it was made and `at` is the
    queue's guess. The store says which question it answers when it keeps the event; until then `question_key` is empty.
    `place` is the file and the line that it was read from, which the store does not keep.
    """

    source: str
    event_id: str
    item_key: str
    annotator: str
    value: LabelValue
    at: datetime
    dated: bool = True
    question_key: str = field(default="", compare=False)
    place: tuple[str, int] = field(default=NOWHERE, compare=False, repr=False)

    @property
    def person(self) -> str:
        """Who said it: the same for every spelling of the annotator's name."""
        return person(self.annotator)


@dataclass(frozen=True)
class WaitingLabels:
    """Label events in the inbox: how many, on how many items, and when the oldest was received."""

    events: int
    items: int
    since: datetime | None


@dataclass(frozen=True)
class PollResult:
    """What a queue had to say since the cursor, and the cursor that comes after it."""

    events: tuple[LabelEvent, ...]
    rejected: tuple[QuarantinedRow, ...]
    cursor: Json
