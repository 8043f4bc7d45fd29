"""What `advance` says of the questions that it sent: how many, where they lie, and until when answers count."""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stratawatch.engine.model.states import BatchState, Entity
from stratawatch.formatting import count_text, minute

if TYPE_CHECKING:
    from stratawatch.engine.ports.transaction import Transaction


def asked_questions(tx: "Transaction", where: str, before: int, batches: Collection[int]) -> list[dict[str, Any]]:
    """The questions of these batches that went to the queue after a line of the transition log, by cycle."""
    moves = tx.cycles.transitions(Entity.BATCH, after=before)
    questions: Counter[int] = Counter()
    sent = dict.fromkeys(move.entity_id for move in moves if move.new == BatchState.SENT)
    for number in (one for one in sent if one in batches):
        batch = tx.rounds.batch(number)
        questions[tx.rounds.get(batch.round_id).cycle_id] += len(batch.tasks)
    cycles = [(tx.cycles.get(number), asked) for number, asked in questions.items()]
    return [
        {
            "panel": cycle.panel,
            "cycle": cycle.id,
            "questions": asked,
            "queue": where,
            "answers_until": cycle.deadline_at,
        }
        for cycle, asked in cycles
    ]


def asked_text(row: Mapping[str, Any]) -> str:
    """A row as a sentence.

    >>> until = datetime(2026, 1, 13, 6, tzinfo=UTC)
    >>> asked_text({"panel": "spam", "questions": 240, "queue": "/srv/queue", "answers_until": until})
    'spam: 240 questions are out in /srv/queue, answers until Tuesday, 2026-01-13 06:00 UTC'
    """
    deadline: datetime | None = row["answers_until"]
    until = "" if deadline is None else f", answers until {deadline.astimezone(UTC):%A}, {minute(deadline)} UTC"
    are = "is" if row["questions"] == 1 else "are"
    return f"{row['panel']}: {count_text(row['questions'], 'question')} {are} out in {row['queue']}{until}"
